"""What is known where an expression stands: from types, `where`, guards, earlier operands,
conditions and generators.

A fact relates two expressions: `in`, `not in`, `within` (a set in a set), `equal`, `unequal`,
`less`, `at most`; `some` and `none` say of one whether it is None. `Every` is a fact about each
element.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from attrs import field, frozen

from statemachines.model.language.expression_nodes import (
    BooleanOperation,
    Call,
    Clause,
    Comparison,
    Comprehension,
    Expression,
    Implies,
    IsNone,
    ListDisplay,
    Literal,
    Local,
    MapDisplay,
    MapView,
    Not,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    INT,
    IntType,
    MapType,
    OptionalType,
    SetType,
    base_type,
)
from statemachines.notation.typing.name_scope import NameScope
from statemachines.notation.typing.substitution import is_same_term

_NEGATED_OPERATORS = {
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
_DEEPEST = 12


@frozen
class Fact:
    """A relation that holds."""

    relation: str
    left: Expression
    right: Expression


@frozen
class ElementFact:
    """A fact about each element of what is walked."""

    clause: Clause
    fact: Fact


KnownFact = Fact | ElementFact
ZERO = Literal(0, type=IntType(0, 0))
NONE_LITERAL = Literal(None, type=OptionalType(INT))


@frozen
class Facts:
    """Everything that is known at one place of an expression."""

    scope: NameScope
    known: tuple[KnownFact, ...] = ()
    unread: bool = False
    """Whether more would be known, were it not for a mistake in a condition that holds here."""
    _direct: dict[tuple[str, ...], list[Fact]] = field(
        init=False, factory=dict, eq=False, repr=False
    )
    """What `direct_facts` gave before."""

    def assuming(self, node: Expression, *, truth: bool = True) -> Facts:
        """Return what is known where an expression is true (or false).

        Args:
            node: of type bool.
            truth: what it is.

        Returns:
            More facts, or the same where it tells none.
        """
        return attrs.evolve(
            self, known=(*self.known, *_implied_facts(self.scope, node, truth, _DEEPEST))
        )

    def with_fact(self, relation: str, left: Expression, right: Expression) -> Facts:
        """Return what is known with one fact more.

        Args:
            relation: its name.
            left: a typed expression.
            right: a typed expression.

        Returns:
            More facts.
        """
        return attrs.evolve(self, known=(*self.known, Fact(relation, left, right)))

    def inside_clause(self, clause: Clause) -> Facts:
        """Return what is known of the variables of a generator, its conditions included.

        Args:
            clause: one `for … in … if …`.

        Returns:
            More facts.
        """
        facts = attrs.evolve(self, known=(*self.known, *_clause_facts(clause)))
        for condition in clause.conditions:
            facts = facts.assuming(condition)
        return facts

    def direct_facts(self, *relations: str) -> list[Fact]:
        """Return the facts that are not about each element.

        Args:
            relations: those that are wanted; all where none is named.

        Returns:
            In the order in which they became known.
        """
        facts = self._direct.get(relations)
        if facts is None:
            facts = self._direct[relations] = []
            for known in self.known:  # a loop: it is asked of each new fact in a proof
                if isinstance(known, Fact) and (not relations or known.relation in relations):
                    facts.append(known)
        return facts

    def element_facts(self) -> list[ElementFact]:
        """Return the facts about each element."""
        return [known for known in self.known if isinstance(known, ElementFact)]


def _clause_facts(clause: Clause) -> Iterator[Fact]:
    """Yield what a generator says of its variables."""
    first, iterable = clause.targets[0], clause.iterable
    if isinstance(iterable, MapView) and len(clause.targets) == 2:
        yield Fact("in", first, iterable.map)
    elif isinstance(iterable, Call) and iterable.function == "range":
        yield Fact(
            "at most", iterable.arguments[0] if len(iterable.arguments) == 2 else ZERO, first
        )
        yield Fact("less", first, iterable.arguments[-1])
    else:
        yield Fact("in", first, iterable)


def _implied_facts(
    scope: NameScope, node: Expression, truth: bool, depth: int
) -> Iterator[KnownFact]:
    """Yield what follows from an expression's being true (or false)."""
    if not depth:
        return
    match node:
        case Not():
            yield from _implied_facts(scope, node.operand, not truth, depth - 1)
        case BooleanOperation() if (node.operator == "and") == truth:
            for operand in node.operands:
                yield from _implied_facts(scope, operand, truth, depth - 1)
        case Implies() if not truth:
            yield from _implied_facts(scope, node.condition, True, depth - 1)
            yield from _implied_facts(scope, node.consequence, False, depth - 1)
        case Comparison():
            yield from _comparison_facts(node, truth)
        case IsNone():
            yield Fact("none" if truth else "some", node.operand, NONE_LITERAL)
        case Call() if node.function in ("all", "any") and isinstance(
            node.arguments[0], Comprehension
        ):
            yield from _quantifier_facts(scope, node.function, node.arguments[0], truth, depth)
        case _:
            meaning = scope.meaning_of(node)
            if meaning is not None:
                yield from _implied_facts(scope, meaning, truth, depth - 1)


def _comparison_facts(node: Comparison, truth: bool) -> Iterator[Fact]:
    left, right = node.left, node.right
    if isinstance(base_type(left.type), SetType | MapType) and node.operator in (
        "<",
        "<=",
        ">",
        ">=",
    ):
        if truth:
            yield from _inclusion_facts(node.operator, left, right)
        return
    operator = node.operator if truth else _NEGATED_OPERATORS[node.operator]
    match operator:
        case "==":
            yield from _equality_facts(left, right)
        case "!=":
            yield Fact("unequal", left, right)
            yield from _non_empty_facts(left, right)
            yield from _non_empty_facts(right, left)
        case "in":
            yield Fact("in", left, right)
            yield Fact("less", ZERO, Call("len", (right,), type=IntType(0, None)))
        case "not in":
            yield Fact("not in", left, right)
        case "<" | ">":
            yield Fact("less", *((left, right) if operator == "<" else (right, left)))
        case "<=" | ">=":
            yield Fact("at most", *((left, right) if operator == "<=" else (right, left)))


def _inclusion_facts(operator: str, left: Expression, right: Expression) -> Iterator[Fact]:
    smaller, larger = (left, right) if operator in ("<", "<=") else (right, left)
    yield Fact("within", smaller, larger)
    if operator in ("<", ">"):
        yield Fact("unequal", left, right)
        yield Fact("less", ZERO, Call("len", (larger,), type=IntType(0, None)))


def _equality_facts(left: Expression, right: Expression) -> Iterator[Fact]:
    yield Fact("equal", left, right)
    if isinstance(base_type(left.type), SetType | MapType):
        yield Fact("within", left, right)
        yield Fact("within", right, left)


def _non_empty_facts(one: Expression, other: Expression) -> Iterator[Fact]:
    """Yield that one is not empty where the other is an empty display."""
    empty = (isinstance(other, SetDisplay | ListDisplay) and not other.items) or (
        isinstance(other, MapDisplay) and not other.pairs
    )
    if empty:
        yield Fact("less", ZERO, Call("len", (one,), type=IntType(0, None)))


def _quantifier_facts(
    scope: NameScope, function: str, generator: Comprehension, truth: bool, depth: int
) -> Iterator[KnownFact]:
    """Yield what `all(…)` says of each element, or `any(…)` of there being one."""
    clause = generator.clauses[0]
    if (function == "all") == truth:
        if len(generator.clauses) == 1:
            inner = _implied_facts(scope, generator.element, truth, depth - 1)
            yield from (ElementFact(clause, fact) for fact in inner if isinstance(fact, Fact))
    elif not (isinstance(clause.iterable, MapView) and clause.iterable.method == "items"):
        yield Fact("less", ZERO, Call("len", (clause.iterable,), type=IntType(0, None)))
        if function == "any" and len(generator.clauses) == 1:
            yield Fact(
                "less", ZERO, Call("len", (_those_of(clause, generator),), type=IntType(0, None))
            )


def _those_of(clause: Clause, generator: Comprehension) -> Comprehension:
    """Return the set of what fulfils the condition of `any`."""
    of_it = attrs.evolve(clause, conditions=(*clause.conditions, generator.element))
    variable = clause.targets[0]
    return Comprehension("set", variable, None, (of_it,), type=SetType(variable.type))


def element_variable(clause: Clause) -> Local:
    """Return the variable that a generator's facts are about.

    Args:
        clause: one `for … in … if …`.

    Returns:
        Its first variable.
    """
    return clause.targets[0]


def is_proved_equal(facts: Facts, left: Expression, right: Expression) -> bool:
    """Tell whether two values are surely the same.

    Args:
        facts: what is known where it stands.
        left: a typed expression.
        right: a typed expression.

    Returns:
        False where it is not known.
    """
    return is_same_term(left, right) or is_fact_equal(facts, left, right)


def is_fact_equal(facts: Facts, left: Expression, right: Expression) -> bool:
    """Tell whether a fact says that two values are the same.

    Args:
        facts: what is known where it stands.
        left: a typed expression.
        right: a typed expression.

    Returns:
        False where no fact says so.
    """
    return _is_stated(facts, "equal", left, right)


def is_proved_unequal(facts: Facts, left: Expression, right: Expression) -> bool:
    """Tell whether two values are surely not the same.

    Args:
        facts: what is known where it stands.
        left: a typed expression.
        right: a typed expression.

    Returns:
        False where it is not known.
    """
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left != right
    return _is_stated(facts, "unequal", left, right)


def _is_stated(facts: Facts, relation: str, left: Expression, right: Expression) -> bool:
    """Tell whether a fact relates two values, whichever of them it names first."""
    return any(
        (is_same_term(fact.left, left) and is_same_term(fact.right, right))
        or (is_same_term(fact.left, right) and is_same_term(fact.right, left))
        for fact in facts.direct_facts(relation)
    )
