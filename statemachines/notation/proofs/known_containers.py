"""Which sets, lists and maps are known to have an element, or not to have it."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Clause,
    Comprehension,
    Expression,
    MapView,
)
from statemachines.model.language.value_types import (
    BagType,
    ElementType,
    ListType,
    MapType,
    SetType,
    base_type,
)
from statemachines.notation.proofs.facts import Fact, Facts, element_variable, is_fact_equal
from statemachines.notation.typing.substitution import is_same_term, membership_core, substitute

_MOST_CONTAINERS = 40


def membership_facts(facts: Facts, element: Expression) -> Iterator[Fact]:
    """Yield the containers that have an element, and those that do not, following what each
    container says of its elements.

    Args:
        facts: what is known where it stands.
        element: a typed expression.

    Yields:
        Facts, the nearest first; a bounded number of them.
    """
    pending = [
        Fact(fact.relation, element, membership_core(fact.right))
        for fact in facts.direct_facts("in", "not in")
        if is_same_term(fact.left, element)
    ]
    pending += [
        Fact("in", element, membership_core(fact.right))
        for fact in facts.direct_facts("in")
        if is_fact_equal(facts, fact.left, element)
    ]
    if isinstance(element.type, ElementType):
        pending.append(Fact("in", element, membership_core(element.type.set_expression)))
    seen: list[Fact] = []
    while pending and len(seen) < _MOST_CONTAINERS:
        fact = pending.pop(0)
        if _is_among(fact, seen):
            continue
        seen.append(fact)
        yield fact
        if fact.relation == "in":
            pending += [
                Fact(more.relation, element, membership_core(more.right))
                for more in _implied_memberships(facts, element, fact.right)
            ]


def _is_among(fact: Fact, others: list[Fact]) -> bool:
    """Tell whether another fact says the same of a container."""
    kind = type(fact.right)
    for other in others:  # a loop, as it is asked some ten thousand times for a large spec
        is_alike = fact.relation == other.relation and type(other.right) is kind
        if is_alike and is_same_term(fact.right, other.right):
            return True
    return False


def _implied_memberships(
    facts: Facts, element: Expression, container: Expression
) -> Iterator[Fact]:
    """Yield what follows from being in a container."""
    yield from _memberships_by_type(element, container)
    for fact in facts.direct_facts("within"):
        if is_same_term(membership_core(fact.left), container):
            yield Fact("in", element, fact.right)
    for every in facts.element_facts():
        of_variable = every.fact.relation in (
            "in",
            "not in",
        ) and every.fact.left == element_variable(every.clause)
        if (
            of_variable
            and not every.clause.conditions
            and is_same_term(iterated_container(every.clause), container)
        ):
            yield Fact(every.fact.relation, element, every.fact.right)
    match container:
        case BinaryOperation(operator="&"):
            yield from (Fact("in", element, side) for side in (container.left, container.right))
        case BinaryOperation(operator="-"):
            yield Fact("in", element, container.left)
            yield Fact("not in", element, container.right)
        case Comprehension() if container.element == element_variable(container.clauses[0]):
            yield from _memberships_by_comprehension(facts, element, container)
        case BinaryOperation(operator="|"):
            for side, other in (
                (container.left, container.right),
                (container.right, container.left),
            ):
                if any(
                    is_same_term(fact.right, other) and is_same_term(fact.left, element)
                    for fact in facts.direct_facts("not in")
                ):
                    yield Fact("in", element, side)
    meaning = facts.scope.meaning_of(container)
    if meaning is not None:
        yield Fact("in", element, meaning)


def _memberships_by_type(element: Expression, container: Expression) -> Iterator[Fact]:
    """Yield the set that stands for the type of a container's elements."""
    type_ = base_type(container.type)
    item = (
        type_.key
        if isinstance(type_, MapType)
        else type_.item
        if isinstance(type_, SetType | ListType | BagType)
        else None
    )
    if isinstance(item, ElementType):
        yield Fact("in", element, item.set_expression)


def _memberships_by_comprehension(
    facts: Facts, element: Expression, made: Comprehension
) -> Iterator[Fact]:
    """Yield where a comprehension took its elements from, and what its conditions say of them."""
    clause = made.clauses[0]
    yield Fact("in", element, iterated_container(clause))
    by: dict[Expression, Expression] = {element_variable(clause): element}
    for condition in clause.conditions:
        for known in Facts(facts.scope).assuming(substitute(condition, by)).direct_facts():
            if known.relation in ("in", "not in") and is_same_term(known.left, element):
                yield known


def iterated_container(clause: Clause) -> Expression:
    """Return the set, list or map of which a generator's first variable is an element or a key.

    Args:
        clause: one `for … in … if …`.

    Returns:
        A typed expression.
    """
    iterable = clause.iterable
    return (
        iterable.map
        if isinstance(iterable, MapView) and iterable.method == "items"
        else membership_core(iterable)
    )
