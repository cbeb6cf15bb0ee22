"""What is known where an expression stands: from types, `where`, guards, earlier operands, conditions and generators.

A fact relates two expressions: `in`, `not in`, `within` (a set in a set), `equal`, `unequal`, `less`, `at most`; `some` and `none` say of
one whether it is None. `Every` is a fact about each element.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from attrs import frozen

from statemachines.model.expressions import (
    Boolean,
    Call,
    Clause,
    Compare,
    Comprehension,
    Expression,
    Implies,
    IsNone,
    ListDisplay,
    Literal,
    Local,
    MapDisplay,
    Not,
    SetDisplay,
    View,
)
from statemachines.model.types import INT, IntType, MapType, OptionalType, SetType, base_of
from statemachines.notation.expressions.scope import Scope

_OPPOSITE = {"==": "!=", "!=": "==", "in": "not in", "not in": "in", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_DEEPEST = 12


@frozen
class Fact:
    """A relation that holds."""

    relation: str
    left: Expression
    right: Expression


@frozen
class Every:
    """A fact about each element of what is walked."""

    clause: Clause
    fact: Fact


Known = Fact | Every
ZERO = Literal(0, type=IntType(0, 0))
NOTHING = Literal(None, type=OptionalType(INT))


@frozen
class Facts:
    """Everything that is known at one place of an expression."""

    scope: Scope
    known: tuple[Known, ...] = ()

    def knowing(self, node: Expression, *, truth: bool = True) -> Facts:
        """Return what is known where an expression is true (or false)."""
        return attrs.evolve(self, known=(*self.known, *_facts_of(self.scope, node, truth, _DEEPEST)))

    def with_fact(self, relation: str, left: Expression, right: Expression) -> Facts:
        """Return what is known with one fact more."""
        return attrs.evolve(self, known=(*self.known, Fact(relation, left, right)))

    def inside(self, clause: Clause) -> Facts:
        """Return what is known of the variables of a generator, its conditions included."""
        facts = attrs.evolve(self, known=(*self.known, *facts_of_clause(clause)))
        for condition in clause.conditions:
            facts = facts.knowing(condition)
        return facts

    def simple(self) -> Iterator[Fact]:
        """Yield the facts that are about no `Every`."""
        return (known for known in self.known if isinstance(known, Fact))

    def every(self) -> Iterator[Every]:
        """Yield the facts about each element."""
        return (known for known in self.known if isinstance(known, Every))


def facts_of_clause(clause: Clause) -> Iterator[Fact]:
    """Yield what a generator says of its variables."""
    first, iterable = clause.targets[0], clause.iterable
    if isinstance(iterable, View) and len(clause.targets) == 2:
        yield Fact("in", first, iterable.map)
    elif isinstance(iterable, Call) and iterable.function == "range":
        yield Fact("at most", iterable.arguments[0] if len(iterable.arguments) == 2 else ZERO, first)
        yield Fact("less", first, iterable.arguments[-1])
    else:
        yield Fact("in", first, iterable)


def _facts_of(scope: Scope, node: Expression, truth: bool, depth: int) -> Iterator[Known]:
    """Yield what follows from an expression's being true (or false)."""
    if not depth:
        return
    match node:
        case Not():
            yield from _facts_of(scope, node.operand, not truth, depth - 1)
        case Boolean() if (node.operator == "and") == truth:
            for operand in node.operands:
                yield from _facts_of(scope, operand, truth, depth - 1)
        case Implies() if not truth:
            yield from _facts_of(scope, node.condition, True, depth - 1)
            yield from _facts_of(scope, node.consequence, False, depth - 1)
        case Compare():
            yield from _compared(node, truth)
        case IsNone():
            yield Fact("none" if truth else "some", node.operand, NOTHING)
        case Call() if node.function in ("all", "any") and isinstance(node.arguments[0], Comprehension):
            yield from _quantified(scope, node.function, node.arguments[0], truth, depth)
        case _:
            meaning = scope.meaning_of(node)
            if meaning is not None:
                yield from _facts_of(scope, meaning, truth, depth - 1)


def _compared(node: Compare, truth: bool) -> Iterator[Fact]:
    left, right = node.left, node.right
    if isinstance(base_of(left.type), SetType | MapType) and node.operator in ("<", "<=", ">", ">="):
        if truth:
            yield from _contained(node.operator, left, right)
        return
    operator = node.operator if truth else _OPPOSITE[node.operator]
    match operator:
        case "==":
            yield from _equal(left, right)
        case "!=":
            yield Fact("unequal", left, right)
            yield from _not_empty(left, right)
            yield from _not_empty(right, left)
        case "in":
            yield Fact("in", left, right)
            yield Fact("less", ZERO, Call("len", (right,), type=IntType(0, None)))
        case "not in":
            yield Fact("not in", left, right)
        case "<" | ">":
            yield Fact("less", *((left, right) if operator == "<" else (right, left)))
        case "<=" | ">=":
            yield Fact("at most", *((left, right) if operator == "<=" else (right, left)))


def _contained(operator: str, left: Expression, right: Expression) -> Iterator[Fact]:
    smaller, larger = (left, right) if operator in ("<", "<=") else (right, left)
    yield Fact("within", smaller, larger)
    if operator in ("<", ">"):
        yield Fact("unequal", left, right)
        yield Fact("less", ZERO, Call("len", (larger,), type=IntType(0, None)))


def _equal(left: Expression, right: Expression) -> Iterator[Fact]:
    yield Fact("equal", left, right)
    if isinstance(base_of(left.type), SetType | MapType):
        yield Fact("within", left, right)
        yield Fact("within", right, left)


def _not_empty(one: Expression, other: Expression) -> Iterator[Fact]:
    """Yield that one is not empty where the other is an empty display."""
    empty = (isinstance(other, SetDisplay | ListDisplay) and not other.items) or (isinstance(other, MapDisplay) and not other.pairs)
    if empty:
        yield Fact("less", ZERO, Call("len", (one,), type=IntType(0, None)))


def _quantified(scope: Scope, function: str, generator: Comprehension, truth: bool, depth: int) -> Iterator[Known]:
    """Yield what `all(…)` says of each element, or `any(…)` of there being one."""
    clause = generator.clauses[0]
    if (function == "all") == truth:
        if len(generator.clauses) == 1:
            inner = _facts_of(scope, generator.element, truth, depth - 1)
            yield from (Every(clause, fact) for fact in inner if isinstance(fact, Fact))
    elif not (isinstance(clause.iterable, View) and clause.iterable.method == "items"):
        yield Fact("less", ZERO, Call("len", (clause.iterable,), type=IntType(0, None)))


def local_of(clause: Clause) -> Local:
    """Return the variable that a generator's facts are about."""
    return clause.targets[0]
