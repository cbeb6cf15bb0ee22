"""Which sets, lists and maps are known to have an element, or not to have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Call,
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
_Membership = tuple[str, Expression]
"""`in` or `not in`, and a container."""


def membership_facts(facts: Facts, element: Expression) -> Iterator[Fact]:
    """Yield the containers that have an element, and those that do not, following what each
    container says of its elements.

    Args:
        facts: what is known where it stands.
        element: a typed expression.

    Yields:
        Facts, the nearest first; a bounded number of them.
    """
    kind = type(element)
    pending: list[_Membership] = [
        (fact.relation, fact.right)
        for fact in facts.direct_facts("in", "not in")
        if type(fact.left) is kind and is_same_term(fact.left, element)
    ]
    if facts.direct_facts("equal"):
        pending += [
            ("in", fact.right)
            for fact in facts.direct_facts("in")
            if is_fact_equal(facts, fact.left, element)
        ]
    if (declared := declared_element_type(facts, element)) is not None:
        pending.append(("in", declared.set_expression))
    membership_facts: list[Fact] = []
    within, elements = facts.direct_facts("within"), facts.element_facts()
    while pending and len(membership_facts) < _MOST_CONTAINERS:
        relation, container = pending.pop(0)
        if isinstance(container, Call | MapView):
            container = membership_core(container)
        if _is_among(relation, container, membership_facts):
            continue
        fact = Fact(relation, element, container)
        membership_facts.append(fact)
        yield fact
        if relation == "in":
            pending += _memberships_by_type(container)
            if within or elements:
                pending += _memberships_by_facts(within, elements, container)
            pending += _memberships_by_structure(facts, element, container)


def declared_element_type(facts: Facts, node: Expression) -> ElementType | None:
    """Return the set that a value is one of by its type; of a number, whose type is narrowed where
    it is read, by what was declared.

    Args:
        facts: what is known where it stands.
        node: a typed expression.

    Returns:
        None where no type says so.
    """
    if isinstance(node.type, ElementType):
        return node.type
    declared = facts.scope.names.get(node.name) if isinstance(node, Name) else None
    return declared.type if declared and isinstance(declared.type, ElementType) else None


def _is_among(relation: str, container: Expression, others: list[Fact]) -> bool:
    """Tell whether another fact says the same of a container."""
    kind = type(container)
    for other in others:  # a loop, as it is asked some ten thousand times for a large spec
        is_alike = relation == other.relation and type(other.right) is kind
        if is_alike and (container is other.right or is_same_term(container, other.right)):
            return True
    return False


def _memberships_by_facts(
    within: list[Fact], elements: list[ElementFact], container: Expression
) -> Iterator[_Membership]:
    """Yield what is known of a container's elements: that another one has them all, or a fact about
    each.
    """
    kind = type(container)
    for fact in within:
        inner = membership_core(fact.left)
        if type(inner) is kind and is_same_term(inner, container):
            yield "in", fact.right
    for every in elements:
        if (
            every.fact.relation in ("in", "not in")
            and every.fact.left == element_variable(every.clause)
            and not every.clause.conditions
            and is_same_term(iterated_container(every.clause), container)
        ):
            yield every.fact.relation, every.fact.right


def _memberships_by_structure(
    facts: Facts, element: Expression, container: Expression
) -> Iterable[_Membership]:
    """Return what follows from how a container is made, or from what it stands for."""
    match container:
        case BinaryOperation(operator="&"):
            return (("in", container.left), ("in", container.right))
        case BinaryOperation(operator="-"):
            return (("in", container.left), ("not in", container.right))
        case BinaryOperation(operator="|"):
            return _memberships_by_union(facts, element, container)
        case Comprehension() if container.element == element_variable(container.clauses[0]):
            return _memberships_by_comprehension(facts, element, container)
        case Name() | DefinitionCall():
            meaning = facts.scope.meaning_of(container)
            return (("in", meaning),) if meaning is not None else ()
    return ()


def _memberships_by_union(
    facts: Facts, element: Expression, union: BinaryOperation
) -> Iterator[_Membership]:
    """Yield the side of a union that has an element which the other one has not."""
    absent = facts.direct_facts("not in")
    for side, other in ((union.left, union.right), (union.right, union.left)) if absent else ():
        if any(
            is_same_term(fact.right, other) and is_same_term(fact.left, element) for fact in absent
        ):
            yield "in", side


def _memberships_by_type(container: Expression) -> Iterable[_Membership]:
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
    return (("in", item.set_expression),) if isinstance(item, ElementType) else ()


def _memberships_by_comprehension(
    facts: Facts, element: Expression, made: Comprehension
) -> Iterator[_Membership]:
    """Yield where a comprehension took its elements from, and what its conditions say of them."""
    clause = made.clauses[0]
    yield "in", iterated_container(clause)
    by: dict[Expression, Expression] = {element_variable(clause): element}
    for condition in clause.conditions:
        for known in Facts(facts.scope).assuming(substitute(condition, by)).direct_facts():
            if known.relation in ("in", "not in") and is_same_term(known.left, element):
                yield known.relation, known.right


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
