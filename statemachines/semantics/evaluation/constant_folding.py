"""What expressions come to once some of their names are literals."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from attrs import evolve

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    BooleanOperation,
    Comparison,
    Conditional,
    Expression,
    Implies,
    Literal,
    Not,
)
from statemachines.model.language.value_types import BOOL


def plain_value(node: Expression) -> Expression:
    """Return an expression with what its literals come to.

    Args:
        node: its parts are worked out already.

    Returns:
        A literal where that is plain; else the expression, or the part of it that counts.
    """
    match node:
        case Conditional(test=Literal() as test):
            return node.yes if test.value else node.no
        case Not(operand=Literal() as operand):
            return Literal(not operand.value, type=BOOL)
        case BooleanOperation(operator=operator):
            return _logic(node, operator == "or")
        case Implies(condition=Literal() as test):
            return node.consequence if test.value else Literal(True, type=BOOL)
        case (BinaryOperation() | Comparison()) as pair if pair.operator in _OPERATORS:
            if isinstance(pair.left, Literal) and isinstance(pair.right, Literal):
                with suppress(ZeroDivisionError, TypeError):
                    value = _OPERATORS[pair.operator](pair.left.value, pair.right.value)
                    return Literal(value, type=node.type)
    return node


def _logic(node: BooleanOperation, ends_at: bool) -> Expression:
    """Leave out of `and` what is true, of `or` what is false."""
    operands = list[Expression]()
    for operand in node.operands:
        if not isinstance(operand, Literal):
            operands.append(operand)
        elif operand.value is ends_at:
            operands.append(operand)
            break
    if len(operands) < 2:
        return operands[0] if operands else Literal(not ends_at, type=BOOL)
    return evolve(node, operands=tuple(operands))


_OPERATORS: Mapping[str, Callable[[Any, Any], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
