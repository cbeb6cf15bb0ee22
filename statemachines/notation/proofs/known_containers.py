"""Which sets, lists and maps are known to have an element, or not to have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Clause,
    Comprehension,
    DefinitionCall,
    Expression,
    MapView,
    Name,
)
from statemachines.model.language.value_types import (
    BagType,
    ElementType,
    ListType,
    MapType,
    SetType,
)
from statemachines.notation.proofs.facts import (
    ElementFact,
    Fact,
    Facts,
    element_variable,
    is_fact_equal,
)
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
    membership_facts: list[Fact] = []
    within, elements = facts.direct_facts("within"), facts.element_facts()
    while pending and len(membership_facts) < _MOST_CONTAINERS:
        fact = pending.pop(0)
        if _is_among(fact, membership_facts):
            continue
        membership_facts.append(fact)
        yield fact
        if fact.relation == "in":
            for more in (
                *_memberships_by_type(element, fact.right),
                *_memberships_by_facts(within, elements, element, fact.right),
                *_memberships_by_structure(facts, element, fact.right),
            ):
                pending.append(Fact(more.relation, element, membership_core(more.right)))


def _is_among(fact: Fact, others: list[Fact]) -> bool:
    """Tell whether another fact says the same of a container."""
    kind = type(fact.right)
    for other in others:  # a loop, as it is asked some ten thousand times for a large spec
        is_alike = fact.relation == other.relation and type(other.right) is kind
        if is_alike and is_same_term(fact.right, other.right):
            return True
    return False


def _memberships_by_facts(
    within: list[Fact], elements: list[ElementFact], element: Expression, container: Expression
) -> Iterator[Fact]:
    """Yield what is known of a container's elements: that another one has them all, or a fact about
    each.
    """
    for fact in within:
        if is_same_term(membership_core(fact.left), container):
            yield Fact("in", element, fact.right)
    for every in elements:
        if (
            every.fact.relation in ("in", "not in")
            and every.fact.left == element_variable(every.clause)
            and not every.clause.conditions
            and is_same_term(iterated_container(every.clause), container)
        ):
            yield Fact(every.fact.relation, element, every.fact.right)


def _memberships_by_structure(
    facts: Facts, element: Expression, container: Expression
) -> Iterable[Fact]:
    """Return what follows from how a container is made, or from what it stands for."""
    match container:
        case BinaryOperation(operator="&"):
            return [Fact("in", element, side) for side in (container.left, container.right)]
        case BinaryOperation(operator="-"):
            return [Fact("in", element, container.left), Fact("not in", element, container.right)]
        case BinaryOperation(operator="|"):
            return _memberships_by_union(facts, element, container)
        case Comprehension() if container.element == element_variable(container.clauses[0]):
            return _memberships_by_comprehension(facts, element, container)
        case Name() | DefinitionCall():
            meaning = facts.scope.meaning_of(container)
            return [Fact("in", element, meaning)] if meaning is not None else ()
    return ()


def _memberships_by_union(
    facts: Facts, element: Expression, union: BinaryOperation
) -> Iterator[Fact]:
    """Yield the side of a union that has an element which the other one has not."""
    for side, other in ((union.left, union.right), (union.right, union.left)):
        if any(
            is_same_term(fact.right, other) and is_same_term(fact.left, element)
            for fact in facts.direct_facts("not in")
        ):
            yield Fact("in", element, side)


def _memberships_by_type(element: Expression, container: Expression) -> Iterable[Fact]:
    """Return the set that stands for the type of a container's elements."""
    type_ = container.type
    while isinstance(type_, ElementType):
        type_ = type_.base
    item = (
        type_.key
        if isinstance(type_, MapType)
        else type_.item
        if isinstance(type_, SetType | ListType | BagType)
        else None
    )
    return (Fact("in", element, item.set_expression),) if isinstance(item, ElementType) else ()


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
