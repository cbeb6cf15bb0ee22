"""Expressions that are wrong by a little: what a slip of the pen makes of a condition or a value."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.expressions import (
    Binary,
    Boolean,
    Compare,
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
from statemachines.model.types import BoolType, EnumType, IntType, OptionalType, SetType, Type, base_of
from statemachines.semantics.wording import wording

Slip = tuple[str, Expression | None]
"""What was done, in words, and what stands there then; None: nothing."""
NEIGHBOURS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def conditions(condition: Expression) -> Iterator[Slip]:
    """Yield what may become of a condition: dropped, negated, a part of it dropped, a bound moved by one.

    >>> from statemachines.model.expressions import Kind, Name
    >>> from statemachines.model.types import BOOL
    >>> paid, packed = (Name(Kind.VARIABLE, name, type=BOOL) for name in ("paid", "packed"))
    >>> [words for words, _ in conditions(Boolean("and", (paid, packed), type=BOOL))]
    ['is dropped', 'is negated', 'loses `paid`', 'loses `packed`']
    """
    yield "is dropped", None
    yield "is negated", condition.operand if isinstance(condition, Not) else Not(condition, type=condition.type)
    for part in _chains(condition):
        for place, operand in enumerate(part.operands):
            rest = part.operands[:place] + part.operands[place + 1 :]
            less = rest[0] if len(rest) == 1 else evolve(part, operands=rest)
            yield f"loses `{wording(operand)}`", replaced(condition, part, less)
    for node in walk(condition):
        if isinstance(node, Implies):
            yield f"asks `{wording(node.consequence)}` always", replaced(condition, node, node.consequence)
        if isinstance(node, Compare) and node.operator in NEIGHBOURS:
            near = evolve(node, operator=NEIGHBOURS[node.operator])
            yield f"asks `{wording(near)}` for `{wording(node)}`", replaced(condition, node, near)


def values(value: Expression, type_: Type) -> Iterator[Slip]:
    """Yield what may become of a value: off by one, the opposite, another member, one side of an operation, the other branch.

    Args:
        value: a right-hand side or a result.
        type_: what is asked for there.
    """
    match base_of(type_):
        case IntType():
            yield "is one too many", _moved(value, 1)
            yield "is one too few", _moved(value, -1)
        case BoolType():
            yield "is the opposite", evolve(value, value=not value.value) if isinstance(value, Literal) else Not(value, type=value.type)
        case EnumType(members=members) if isinstance(value, Literal) and value.value in members and len(members) > 1:
            other = members[(members.index(str(value.value)) + 1) % len(members)]
            yield f"is '{other}'", evolve(value, value=other)
        case OptionalType() if not (isinstance(value, Literal) and value.value is None):
            yield "is None", Literal(None, type=value.type)
        case SetType() if value != SetDisplay((), type=value.type):
            yield "is empty", SetDisplay((), type=value.type)
    for node in walk(value):
        yield from ((f"{said} in `{wording(node)}`", replaced(value, node, other)) for said, other in _parts(node))


def _moved(value: Expression, by: int) -> Expression:
    if isinstance(value, Literal) and isinstance(value.value, int):
        return evolve(value, value=value.value + by)
    return Binary("+" if by > 0 else "-", value, Literal(abs(by), type=IntType()), type=IntType())


def _parts(node: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield what may become of a part of a value."""
    match node:
        case Binary(operator="|" | "-" | "&", left=left, right=right) if isinstance(base_of(node.type), SetType):
            yield f"forgets `{node.operator} {wording(right)}`", left
            if node.operator != "-":
                yield f"forgets `{wording(left)} {node.operator}`", right
        case Conditional(yes=yes, no=no):
            yield "takes the other branch", evolve(node, yes=no, no=yes)
        case Comprehension(clauses=clauses):
            for place, clause in enumerate(clauses):
                if clause.conditions:
                    freed = (*clauses[:place], evolve(clause, conditions=()), *clauses[place + 1 :])
                    yield "forgets the condition", evolve(node, clauses=freed)


def _chains(condition: Expression) -> Iterator[Boolean]:
    """Yield the outermost `and` or `or`, and those directly in it."""
    if isinstance(condition, Boolean):
        yield condition
        for operand in condition.operands:
            yield from _chains(operand)


def replaced(whole: Expression, part: Expression, other: Expression) -> Expression:
    """Return an expression in which one part, this very one, is another."""
    return other if whole is part else rebuild(whole, lambda inside: replaced(inside, part, other))
