"""Expressions that are a little wrong: what a slip makes of a condition or a value."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    BooleanOperation,
    Comparison,
    ComparisonOperator,
    Comprehension,
    Conditional,
    Expression,
    Implies,
    Literal,
    Not,
    SetDisplay,
    rebuild,
    walk,
)
from statemachines.model.language.value_types import (
    BoolType,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
    base_type,
)
from statemachines.semantics.messages.expression_text import format_expression

Slip = tuple[str, Expression | None]
"""What was done, in words, and what stands there then; None: nothing."""
_NEIGHBOUR_OPERATORS: dict[ComparisonOperator, ComparisonOperator] = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
}


def condition_slips(condition: Expression) -> Iterator[Slip]:
    """Yield what may become of a condition: dropped, negated, a part of it dropped, a bound moved
    by one.

    Args:
        condition: a guard, a `when` or a `where`.

    Yields:
        Slips, each with its label.

    >>> from statemachines.model.language.expression_nodes import NameKind, Name
    >>> from statemachines.model.language.value_types import BOOL
    >>> paid, packed = (Name(NameKind.VARIABLE, name, type=BOOL) for name in ("paid", "packed"))
    >>> [words for words, _ in condition_slips(BooleanOperation("and", (paid, packed), type=BOOL))]
    ['is dropped', 'is negated', 'loses `paid`', 'loses `packed`']
    """
    yield "is dropped", None
    yield (
        "is negated",
        condition.operand if isinstance(condition, Not) else Not(condition, type=condition.type),
    )
    for part in _boolean_chains(condition):
        for index, operand in enumerate(part.operands):
            rest = part.operands[:index] + part.operands[index + 1 :]
            less = rest[0] if len(rest) == 1 else evolve(part, operands=rest)
            yield (
                f"loses `{format_expression(operand)}`",
                _with_part_replaced(condition, part, less),
            )
    for node in walk(condition):
        if isinstance(node, Implies):
            yield (
                f"asks `{format_expression(node.consequence)}` always",
                _with_part_replaced(condition, node, node.consequence),
            )
        if isinstance(node, Comparison) and node.operator in _NEIGHBOUR_OPERATORS:
            near = evolve(node, operator=_NEIGHBOUR_OPERATORS[node.operator])
            yield (
                f"asks `{format_expression(near)}` for `{format_expression(node)}`",
                _with_part_replaced(condition, node, near),
            )


def value_slips(value: Expression, type_: Type) -> Iterator[Slip]:
    """Yield what may become of a value: off by one, the opposite, another member, one side of an
    operation, the other branch.

    Args:
        value: a right-hand side or a result.
        type_: what is asked for there.

    Yields:
        Slips, each with its label.
    """
    match base_type(type_):
        case IntType():
            yield "is one too many", _shifted(value, 1)
            yield "is one too few", _shifted(value, -1)
        case BoolType():
            yield (
                "is the opposite",
                (
                    evolve(value, value=not value.value)
                    if isinstance(value, Literal)
                    else Not(value, type=value.type)
                ),
            )
        case EnumType(members=members) if (
            isinstance(value, Literal) and value.value in members and len(members) > 1
        ):
            other = members[(members.index(str(value.value)) + 1) % len(members)]
            yield f"is '{other}'", evolve(value, value=other)
        case OptionalType() if not (isinstance(value, Literal) and value.value is None):
            yield "is None", Literal(None, type=value.type)
        case SetType() if value != SetDisplay((), type=value.type):
            yield "is empty", SetDisplay((), type=value.type)
    for node in walk(value):
        yield from (
            (f"{label} in `{format_expression(node)}`", _with_part_replaced(value, node, other))
            for label, other in _part_slips(node)
        )


def _shifted(value: Expression, by: int) -> Expression:
    if isinstance(value, Literal) and isinstance(value.value, int):
        return evolve(value, value=value.value + by)
    return BinaryOperation(
        "+" if by > 0 else "-", value, Literal(abs(by), type=IntType()), type=IntType()
    )


def _part_slips(node: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield what may become of a part of a value."""
    match node:
        case BinaryOperation(operator="|" | "-" | "&", left=left, right=right) if isinstance(
            base_type(node.type), SetType
        ):
            yield f"forgets `{node.operator} {format_expression(right)}`", left
            if node.operator != "-":
                yield f"forgets `{format_expression(left)} {node.operator}`", right
        case Conditional(yes=yes, no=no):
            yield "takes the other branch", evolve(node, yes=no, no=yes)
        case Comprehension(clauses=clauses):
            for index, clause in enumerate(clauses):
                if clause.conditions:
                    freed = (*clauses[:index], evolve(clause, conditions=()), *clauses[index + 1 :])
                    yield "forgets the condition", evolve(node, clauses=freed)


def _boolean_chains(condition: Expression) -> Iterator[BooleanOperation]:
    """Yield the outermost `and` or `or`, and those directly in it."""
    if isinstance(condition, BooleanOperation):
        yield condition
        for operand in condition.operands:
            yield from _boolean_chains(operand)


def _with_part_replaced(whole: Expression, part: Expression, other: Expression) -> Expression:
    """Return an expression in which one part, this very one, is another."""
    return (
        other
        if whole is part
        else rebuild(whole, lambda inside: _with_part_replaced(inside, part, other))
    )
