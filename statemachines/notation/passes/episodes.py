"""Episodes: their conditions over `state` settled to sets of states."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import Episode, Says
from statemachines.model.places import Span
from statemachines.model.releases import Releases
from statemachines.model.suggestions import did_you_mean, meant
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of, text_of, texts_of
from statemachines.notation.passes.references import unknown_state
from statemachines.notation.ranges import values_in
from statemachines.notation.templates import TemplateError, fields_of
from statemachines.notation.work import Work


def episodes(work: Work) -> list[Diagnostic]:
    """Read the episodes of a log."""
    log = work.root.get("log")
    node = log.get("episodes") if isinstance(log, Mapping) else None
    if work.log is None or not isinstance(node, Mapping):
        return []
    found: list[Diagnostic] = []
    read = tuple(episode for name, value in node.entries for episode in _named(name, value, work, found))
    work.log = evolve(work.log, episodes=read)
    return found


def _named(name: Scalar, value: Node, work: Work, found: list[Diagnostic]) -> Iterator[Episode]:
    for said, releases, span in values_in(value, work.family, work.releases, found, name):
        keys = work.log.instance if work.log else ()
        of = [item for item in items_of(said.get("of")) if isinstance(item, Scalar)]
        names = tuple(item.text for item in of)
        found.extend(_unknown_field(name.text, name.span, keys) for name in of if name.text not in keys)
        for title in (said.get("title"), said.get("was")):
            if isinstance(title, Scalar):
                found.extend(_unknown_fields(title, (*(names or keys), STATE)))
        marks = [item for item in items_of(said.get("because")) if isinstance(item, Scalar)]
        found.extend(diagnostic for mark in marks for diagnostic in _unknown_mark(mark, work))
        blame = tuple(Says(text) for text in texts_of(said.get("blame")))
        for condition, cut in _conditions(said.get("while"), releases, work, found):
            states = _states(condition, work, found)
            more = {key: _settled(said.get(key), work, found) for key in ("until", "orderly", "replaced")}
            yield Episode(
                name.text, states, text_of(said.get("title")), blame, text_of(said.get("doc")), cut, span,
                tuple(mark.text for mark in marks), names, **more,
                by_step=text_of(said.get("opens")) == "step", was=text_of(said.get("was")),
            )  # fmt: skip


def _settled(condition: Node | None, work: Work, found: list[Diagnostic]) -> tuple[str, ...]:
    return _states(condition, work, found) if isinstance(condition, Scalar) else ()


def _conditions(node: Node | None, releases: Releases, work: Work, found: list[Diagnostic]) -> Iterator[tuple[Scalar, Releases]]:
    """Yield a condition with its releases: one, or a list of `in` and `is`."""
    if isinstance(node, Scalar):
        yield node, releases
    elif node is not None:
        for said, cut, _ in values_in(node, work.family, releases, found):
            condition = said.get("is")
            if isinstance(condition, Scalar):
                yield condition, cut


def _unknown_fields(title: Scalar, keys: Sequence[str]) -> list[Diagnostic]:
    try:
        fields = fields_of(title.text)
    except TemplateError as error:
        return [Diagnostic("SM501", str(error), title.span)]
    return [_unknown_field(f"{{{field}}}", title.span, keys) for field in fields if field not in keys]


def _unknown_field(text: str, span: Span, keys: Sequence[str]) -> Diagnostic:
    return Diagnostic("SM512", f"`{text}` is no key of what the episode is of", span, did_you_mean(text.strip("{}"), keys))


def _unknown_mark(because: Scalar, work: Work) -> list[Diagnostic]:
    marks = list(dict.fromkeys(line.mark for line in (work.log.lines if work.log else ()) if line.mark))
    if because.text in marks:
        return []
    known = f"there are {', '.join(f'`{mark}`' for mark in marks)}" if marks else "give a line a `mark`"
    return [Diagnostic("SM521", f"no line has the mark `{because.text}`", because.span, meant(because.text, marks) or known)]


STATE = "state"
"""In a title: the state that it is in, or was in last."""


class _NotOverState(Exception):
    """A condition that asks for more than the state."""


def _states(condition: Scalar, work: Work, found: list[Diagnostic]) -> tuple[str, ...]:
    """Return the states in which a condition holds."""
    try:
        tree = ast.parse(condition.text.strip(), mode="eval").body
        for name in dict.fromkeys(_names(tree)):
            if not work.releases_of(name):
                found.append(unknown_state(Scalar(name, condition.span), work))
        return tuple(state for state in work.state_names() if _holds(tree, state))
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NotOverState):
        hint = "write `state == 'OPEN'` or `state in {'OPEN', 'AJAR'}`, with `and`, `or`, `not` where needed"
        found.append(Diagnostic("SM511", f"`{condition.text}` is no condition over `state`", condition.span, hint))
        return ()


def _names(tree: ast.expr) -> Iterator[str]:
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _holds(tree: ast.expr, state: str) -> bool:
    match tree:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_holds(value, state) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_holds(value, state) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _holds(operand, state)
        case ast.Compare(left=ast.Name(id="state"), ops=[ast.Eq() | ast.In()], comparators=[right]):
            return state in _set(right, tree.ops[0])
        case ast.Compare(left=ast.Name(id="state"), ops=[ast.NotEq() | ast.NotIn()], comparators=[right]):
            return state not in _set(right, tree.ops[0])
    raise _NotOverState


def _set(tree: ast.expr, operator: ast.cmpop) -> set[str]:
    match tree:
        case ast.Constant(value=str(name)) if isinstance(operator, ast.Eq | ast.NotEq):
            return {name}
        case ast.Set(elts=items) | ast.List(elts=items) | ast.Tuple(elts=items) if isinstance(operator, ast.In | ast.NotIn):
            return {name for item in items for name in _set(item, ast.Eq())}
    raise _NotOverState
