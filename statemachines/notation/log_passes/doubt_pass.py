"""Doubts: states of one machine that say that others are no longer as they were seen last; and
conditions over `state`, settled to the states in which they hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.log_definitions import DoubtDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_text,
)
from statemachines.notation.lines.line_templates import TemplateError, template_fields
from statemachines.notation.passes.spec_builder import SpecBuilder, unknown_state_error
from statemachines.notation.releases.release_ranges import values_by_release


def conditions_by_release(
    node: YamlNode | None, releases: ReleaseSet, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[tuple[YamlScalar, ReleaseSet]]:
    """Yield a condition with its releases: one, or a list of `in` and `is`.

    Args:
        node: as the spec has it; None where it is missing.
        releases: in which it may hold.
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Yields:
        The condition and its releases.
    """
    if isinstance(node, YamlScalar):
        yield node, releases
    elif node is not None:
        for own_node, cut, _ in values_by_release(node, work.family, releases, diagnostics):
            condition = own_node.get("is")
            if isinstance(condition, YamlScalar):
                yield condition, cut


class _NotAStateCondition(Exception):
    """A condition that asks for more than the state."""


def condition_states(
    condition: YamlScalar, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    """Return the states in which a condition holds.

    Args:
        condition: an expression that looks at the state alone.
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        Names of states, in the order of the machine.
    """
    try:
        tree = ast.parse(condition.text.strip(), mode="eval").body
        for name in dict.fromkeys(_quoted_names(tree)):
            if not work.releases_of(name):
                diagnostics.append(unknown_state_error(YamlScalar(name, condition.span), work))
        return tuple(state for state in work.state_names() if _condition_holds(tree, state))
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NotAStateCondition):
        hint = (
            "write `state == 'OPEN'` or `state in {'OPEN', 'AJAR'}`, with `and`, `or`, `not` where"
            " needed"
        )
        diagnostics.append(
            Diagnostic(
                "SM511", f"`{condition.text}` is not a condition on `state`", condition.span, hint
            )
        )
        return ()


def _quoted_names(tree: ast.expr) -> Iterator[str]:
    return (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _condition_holds(tree: ast.expr, state: str) -> bool:
    match tree:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_condition_holds(value, state) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_condition_holds(value, state) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _condition_holds(operand, state)
        case ast.Compare(left=ast.Name(id="state"), ops=[ast.Eq() | ast.In()], comparators=[right]):
            return state in _compared_states(right, tree.ops[0])
        case ast.Compare(
            left=ast.Name(id="state"), ops=[ast.NotEq() | ast.NotIn()], comparators=[right]
        ):
            return state not in _compared_states(right, tree.ops[0])
    raise _NotAStateCondition


def _compared_states(tree: ast.expr, operator: ast.cmpop) -> set[str]:
    match tree:
        case ast.Constant(value=str(name)) if isinstance(operator, ast.Eq | ast.NotEq):
            return {name}
        case ast.Set(elts=items) | ast.List(elts=items) | ast.Tuple(elts=items) if isinstance(
            operator, ast.In | ast.NotIn
        ):
            return {name for item in items for name in _compared_states(item, ast.Eq())}
    raise _NotAStateCondition


def read_doubts(work: SpecBuilder) -> list[Diagnostic]:
    """Read the doubts of a log.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    log = work.root.get("log")
    node = log.get("doubts") if isinstance(log, YamlMapping) else None
    if work.log is None or not isinstance(node, YamlMapping):
        return []
    diagnostics: list[Diagnostic] = []
    doubts = tuple(
        doubt
        for name, value in node.entries
        for doubt in _read_doubt(name, value, work, diagnostics)
    )
    work.log = evolve(work.log, doubts=doubts)
    return diagnostics


def _read_doubt(
    name: YamlScalar, value: YamlNode, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[DoubtDefinition]:
    keys = work.log.instance if work.log else ()
    for node, releases, span in values_by_release(
        value, work.family, work.releases, diagnostics, name
    ):
        about = node.get("about")
        matched = about.entries if isinstance(about, YamlMapping) else ()
        for template in (node.get("says"), *(text for _, text in matched)):
            diagnostics.extend(unknown_template_fields(template, keys))
        for condition, cut in conditions_by_release(node.get("while"), releases, work, diagnostics):
            yield DoubtDefinition(
                name.text,
                condition_states(condition, work, diagnostics),
                catalogue_name(node_text(node.get("of")), work.name),
                tuple((key.text, node_text(text)) for key, text in matched),
                node_text(node.get("says")),
                is_true(node.get("process")),
                node_text(node.get("doc")),
                cut,
                span,
            )


def catalogue_name(machine: str, beside: str) -> str:
    """Return the whole name of a machine that is named as one beside another.

    Args:
        machine: as a spec names it.
        beside: the catalogue name of that spec.

    Returns:
        A catalogue name.
    """
    folder, slash, _ = beside.rpartition("/")
    return machine if "/" in machine else f"{folder}{slash}{machine}"


def unknown_template_fields(
    template: YamlNode | None, keys: tuple[str, ...]
) -> Iterator[Diagnostic]:
    """Yield what a template asks for that is no key of the instance.

    Args:
        template: a text with fields in braces; None where it is missing.
        keys: fields that it may ask for.

    Yields:
        A diagnostic a field.
    """
    if not isinstance(template, YamlScalar):
        return
    try:
        fields = template_fields(template.text)
    except TemplateError as error:
        yield Diagnostic("SM501", str(error), template.span)
        return
    for field in fields:
        if field not in keys:
            message = f"`{field}` is no key of the instance"
            yield Diagnostic("SM514", message, template.span, did_you_mean(field, keys))
