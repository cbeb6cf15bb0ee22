"""`log`: how logs tell of a machine."""

from __future__ import annotations

import re

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import Line, Log, Says
from statemachines.model.places import Span
from statemachines.model.suggestions import hint
from statemachines.notation.nodes import Mapping, Node, Scalar, is_true, items_of, text_of, texts_of
from statemachines.notation.passes.loglines import Reader, lines_of, patterns_of, state_patterns
from statemachines.notation.passes.tellings import named_of, untellable
from statemachines.notation.templates import STATE_FIELDS, runs_of
from statemachines.notation.work import Work

LONG_LITERAL = 12
"""Characters in a row that make a wording one's own."""

_DIGITS = re.compile(r"(?:(?:\\d|\[0-9\])(?:[+*?]|\{\d+(?:,\d*)?\})?)+")


def logs(work: Work) -> list[Diagnostic]:
    """Read a machine's log, its episodes apart."""
    node = work.root.get("log")
    if not isinstance(node, Mapping):
        return []
    found: list[Diagnostic] = []
    family_patterns = dict(work.family_log.patterns) if work.family_log else {}
    lines, patterns = more_lines(node, family_patterns, work, found)
    instance = texts_of(node.get("instance"))
    generation, carrier = _generation(node.get("generation"))
    found += _keys(node, instance, len(found)) + ([] if found else _untold_keys(node, lines))
    work.log = Log(
        instance,
        lines,
        tuple(patterns.items()),
        is_true(node.get("shared")),
        texts_of(node.get("subject")) or instance,
        generation,
        carrier,
        numbers=frozenset(name for name, pattern in patterns.items() if _DIGITS.fullmatch(pattern)),
        program=is_true(node.get("program")),
    )
    found += signs(work.log)
    found += untellable(node, named_of(work))
    return found


def more_lines(node: Mapping, known: dict[str, str], work: Work, found: list[Diagnostic]) -> tuple[tuple[Line, ...], dict[str, str]]:
    """Read the lines of a log with the patterns that hold for them: those that are known, then its own over them."""
    patterns = known | patterns_of(node.get("patterns"), found)
    lines = tuple(lines_of(node.get("lines"), _reader(work, patterns), found))
    found += [wrong for line in lines for wrong in untold(line)]
    return lines, patterns


def _reader(work: Work, patterns: dict[str, str]) -> Reader:
    names = work.state_names()
    spellings = tuple(spelling for state in work.states for spelling in state.spellings)
    return Reader(work.family, work.releases, patterns | state_patterns(names, spellings), names, work.base_lines)


def _generation(node: Node | None) -> tuple[str | None, str | None]:
    if isinstance(node, Mapping):
        return next(((name.text, text_of(value)) for name, value in node.entries), (None, None))
    return text_of(node) or None, None


def _keys(node: Mapping, instance: tuple[str, ...], told: int) -> list[Diagnostic]:
    """Report subjects and generations that are no keys."""
    found: list[Diagnostic] = []
    generation = node.get("generation")
    ordering = [name for name, _ in generation.entries] if isinstance(generation, Mapping) else list(items_of(generation))
    for name in [*items_of(node.get("subject")), *ordering]:
        if isinstance(name, Scalar) and name.text not in instance:
            message = f"`{name.text}` is no key of the instance"
            found.append(Diagnostic("SM514", message, name.span, hint(told + len(found), name.text, instance)))
    return found


def _untold_keys(node: Mapping, lines: tuple[Line, ...]) -> list[Diagnostic]:
    """Report keys that no line tells."""
    found: list[Diagnostic] = []
    told = dict.fromkeys(field for line in lines for template in line.templates for field in template.fields)
    told |= dict.fromkeys(field for line in lines if line.each for field in line.each.item.fields)
    told |= dict.fromkeys(field for line in lines if line.thread for field in line.thread.fields)
    for name in items_of(node.get("instance")) if lines else ():
        if isinstance(name, Scalar) and name.text not in told:
            found.append(Diagnostic("SM515", f"no line captures the key `{name.text}`", name.span, hint(len(found), name.text, told)))
    return found


_NEEDS = {
    Says.IS: "state",
    Says.STEP: "to",
    Says.FORCED: "to",
    Says.ASKED: "to",
    Says.IGNORED: "to",
    Says.REFUSED: "to",
    Says.RAISED: "to",
    Says.FAILED: "to",
    Says.EVENT: "event",
    Says.RELEASE: "release",
}


def untold(line: Line) -> list[Diagnostic]:
    """Report a line that lacks what it needs in order to say what it says."""
    need = _NEEDS.get(line.says[0])
    if need is None or not line.templates or not line.span or _tells(line, need):
        return []
    hint = f"capture `{{{need}}}` in the text" + ("" if need == "release" else f", or write `{need}:`")
    if line.event and Says.STEP in line.says:
        hint += "; a line that tells an event, and not where it led, `says: event`"
    return [Diagnostic("SM509", f"a line that says `{line.says[0]}` must tell `{need}`", line.span, hint)]


def _tells(line: Line, need: str) -> bool:
    fixed = {"state": line.state, "to": len(line.target) == 1 or None, "event": line.event, "release": None}[need]
    fields = [set(template.fields) | (set(line.each.item.fields) if line.each else set()) for template in line.templates]
    told = all(need in own for own in fields)
    if need == "to" and line.event and line.says[0] not in (Says.STEP, Says.FORCED):
        return True
    return bool(fixed) or told


def signs(log: Log) -> list[Diagnostic]:
    """Report lines that say `begin` without a key of the instance and that any program may write."""
    return [_may_be_anyones(line) for line in log.lines if Says.BEGIN in line.says and _is_short(line, log.instance)]


BEGINNINGS = {Says.PROCESS_BEGINS, Says.PROCESS_MAY_BEGIN}
"""What a family's lines say of a process that begins."""


def process_signs(lines: tuple[Line, ...]) -> list[Diagnostic]:
    """The same for a family's lines that say that a process begins."""
    return [_may_be_anyones(line) for line in lines if BEGINNINGS.intersection(line.says) and _is_short(line, ())]


def _is_short(line: Line, keys: tuple[str, ...]) -> bool:
    without_key = [template for template in line.templates if not set(template.fields) & set(keys)]
    return not line.strict and any(max(map(len, runs_of(template.text)), default=0) < LONG_LITERAL for template in without_key)


def _may_be_anyones(line: Line) -> Diagnostic:
    hint = f"write `strict: true` with its logger, or a text with {LONG_LITERAL} plain characters in a row"
    return Diagnostic("SM510", "any program may write this sign of a beginning", line.span or Span("", 1, 1), hint)


def stateless(lines: tuple[Line, ...]) -> list[Diagnostic]:
    """Report a family's lines that speak of states: a family has none."""
    return [
        Diagnostic("SM519", f"`{{{field}}}` in a line of a family, which has no states", line.span)
        for line in lines
        for template in line.templates
        for field in template.fields
        if field in STATE_FIELDS and line.span
    ]
