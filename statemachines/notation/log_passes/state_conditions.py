"""Conditions over `state`, settled to the states in which they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlNode, YamlScalar
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.state_references import unknown_state_error
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
