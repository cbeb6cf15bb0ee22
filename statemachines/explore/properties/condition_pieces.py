"""A condition taken apart at `and`, `or`, `not` and their kin: a piece looks at fewer columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from attrs import frozen

from statemachines.explore.properties.row_conditions import RowCondition, build_condition
from statemachines.model.language.expression_nodes import (
    BooleanOperation,
    Conditional,
    Expression,
    Implies,
    Not,
)


@frozen(eq=False)
class ConditionChoice:
    """One of two conditions, by a third: the other one is not looked at, so that what makes a
    condition safe is looked at before it.
    """

    test: ConditionPiece
    yes: ConditionPiece
    no: ConditionPiece


ConditionPiece = RowCondition | ConditionChoice | bool


def split_condition(condition: RowCondition) -> ConditionChoice | None:
    """Take a condition apart at its outermost operator; None where that is none of logic, or no
    piece looks at fewer columns than the whole.
    """
    if condition.number is not bool:
        return None
    choice = _choice(condition, condition.node)
    if choice is None or all(_reads_all(condition, leaf) for leaf in _leaves(choice)):
        return None
    return choice


def _choice(whole: RowCondition, node: Expression) -> ConditionChoice | None:
    match node:
        case BooleanOperation(operator="and"):
            return _chain(whole, node.operands, ends_at=False)
        case BooleanOperation():
            return _chain(whole, node.operands, ends_at=True)
        case Not():
            return ConditionChoice(_piece(whole, node.operand), False, True)
        case Implies():
            return ConditionChoice(
                _piece(whole, node.condition), _piece(whole, node.consequence), True
            )
        case Conditional():
            return ConditionChoice(
                _piece(whole, node.test), _piece(whole, node.yes), _piece(whole, node.no)
            )
    return None


def _chain(
    whole: RowCondition, operands: Sequence[Expression], *, ends_at: bool
) -> ConditionChoice:
    """Return operands from left to right, up to the first one that is as named."""

    def before(rest: ConditionPiece, node: Expression) -> ConditionPiece:
        piece = _piece(whole, node)
        return (
            ConditionChoice(piece, True, rest) if ends_at else ConditionChoice(piece, rest, False)
        )

    start: ConditionPiece = not ends_at
    chosen = reduce(before, reversed(operands), start)
    assert isinstance(chosen, ConditionChoice)
    return chosen


def _piece(whole: RowCondition, node: Expression) -> RowCondition:
    return build_condition(
        whole.tables, whole.columns, node, whole.bound, memos=whole.memos.values()
    )


def _leaves(piece: ConditionPiece) -> list[RowCondition]:
    match piece:
        case ConditionChoice():
            return [leaf for part in (piece.test, piece.yes, piece.no) for leaf in _leaves(part)]
        case RowCondition():
            return [piece]
    return []


def _reads_all(whole: RowCondition, piece: RowCondition) -> bool:
    return (piece.reads, piece.reads_before) == (whole.reads, whole.reads_before)
