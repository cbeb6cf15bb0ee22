"""Proofs of membership: is this key in that map, is this set within that one, is this value not
None.

A proof that is not found within a few steps is none: the expression is then refused, with the fact
that would make it safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    BooleanOperation,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    IsNone,
    ListDisplay,
    Literal,
    MapDisplay,
    MapGet,
    MapView,
    Not,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    BagType,
    ElementType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    Type,
    base_type,
    is_finite,
)
from statemachines.notation.proofs.facts import ElementFact, Fact, Facts, element_variable
from statemachines.notation.typing.substitution import (
    fresh_local,
    is_same_term,
    matching_substitute,
    membership_core,
    substitute,
)
from statemachines.notation.typing.type_agreement import element_type, is_same_kind

DEEPEST_PROOF = 7
_MOST_CONTAINERS = 40


def is_proved_in(
    facts: Facts, element: Expression, container: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether an element is surely in a set, a list, or the keys of a map."""
    if not depth:
        return False
    container = membership_core(container)
    if _is_in_structure(facts, element, container, depth):
        return True
    return any(
        fact.relation == "in"
        and (
            is_same_term(fact.right, container)
            or _is_in_by_cases(facts, element, fact.right, container, depth)
        )
        for fact in membership_facts(facts, element)
    )


def _is_in_by_cases(
    facts: Facts, element: Expression, known: Expression, container: Expression, depth: int
) -> bool:
    """Tell whether a known container's elements are in another by cases: `t in a | b` where both
    are within it.
    """
    if isinstance(known, BinaryOperation) and known.operator == "|":
        return all(
            is_proved_in(facts.with_fact("in", element, side), element, container, depth - 1)
            for side in (known.left, known.right)
        )
    if isinstance(known, Conditional):
        return all(
            is_proved_in(facts.with_fact("in", element, side), element, container, depth - 1)
            for side in (known.yes, known.no)
        )
    items = known.items if isinstance(known, SetDisplay | ListDisplay) else _range_literals(known)
    return items is not None and all(
        is_proved_in(facts, item, container, depth - 2 if depth > 1 else 0) for item in items
    )


def _range_literals(known: Expression) -> tuple[Expression, ...] | None:
    """Return the elements of a range's name."""
    if (
        not isinstance(known, Literal)
        or not isinstance(known.value, frozenset)
        or not isinstance(element_type(known.type), IntType)
    ):
        return None
    return tuple(Literal(number, type=IntType(number, number)) for number in known.value)


def _is_in_structure(facts: Facts, element: Expression, container: Expression, depth: int) -> bool:
    """Take the container apart."""
    match container:
        case BinaryOperation(operator="|") | BinaryOperation(operator="+"):
            return is_proved_in(facts, element, container.left, depth - 1) or is_proved_in(
                facts, element, container.right, depth - 1
            )
        case BinaryOperation(operator="&"):
            return is_proved_in(facts, element, container.left, depth - 1) and is_proved_in(
                facts, element, container.right, depth - 1
            )
        case BinaryOperation(operator="-"):
            return is_proved_in(facts, element, container.left, depth - 1) and is_proved_not_in(
                facts, element, container.right, depth - 1
            )
        case SetDisplay() | ListDisplay():
            return any(_is_proved_equal(facts, element, item) for item in container.items)
        case MapDisplay():
            return any(
                _is_proved_equal(facts, element, key) for key, _ in container.pairs
            ) or _has_all_keys(container, base_type(element.type))
        case Literal():
            return isinstance(container.value, frozenset) and is_finite_member(
                element, element_type(container.type) or container.type
            )
        case Conditional():
            return all(
                is_proved_in(inner, element, side, depth - 1)
                for inner, side in _conditional_branches(facts, container)
            )
        case Comprehension():
            return _is_in_comprehension(facts, element, container, depth)
    return _is_in_declared(facts, element, container, depth)


def _has_all_keys(made: MapDisplay, type_: Type) -> bool:
    """Tell whether the keys of a display are all values of a type."""
    keys = {key.value for key, _ in made.pairs if isinstance(key, Literal)}
    match type_:
        case EnumType():
            return keys >= set(type_.members)
        case IntType(int(low), int(high)):
            return high - low < len(keys) and keys >= set(range(low, high + 1))
    return False


def _is_in_declared(facts: Facts, element: Expression, container: Expression, depth: int) -> bool:
    """Use what a `let` stands for, and a map that has every key."""
    type_ = base_type(container.type)
    if isinstance(type_, MapType) and type_.total:
        if isinstance(type_.key, ElementType):
            return is_proved_in(facts, element, type_.key.set_expression, depth - 1)
        if is_finite(type_.key) and is_finite_member(element, type_.key):
            return True
    meaning = facts.scope.meaning_of(container)
    return meaning is not None and is_proved_in(facts, element, meaning, depth - 1)


def is_finite_member(element: Expression, type_: Type) -> bool:
    """Tell whether a value is surely one of a finite type."""
    if isinstance(type_, IntType) and isinstance(element.type, IntType):
        low, high = element.type.low, element.type.high
        return (
            low is not None
            and high is not None
            and _at_least(low, type_.low)
            and _at_least(type_.high, high)
        )
    return not isinstance(type_, IntType) and is_same_kind(element.type, type_)


def _at_least(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one >= other


def _is_in_comprehension(
    facts: Facts, element: Expression, made: Comprehension, depth: int
) -> bool:
    """Show that the element is one of those that a comprehension with a single generator makes."""
    clause = made.clauses[0]
    if len(made.clauses) > 1 or made.element != element_variable(clause):
        return False
    by: dict[Expression, Expression] = {element_variable(clause): element}
    known = is_proved_in(facts, element, iterated_container(clause), depth - 1)
    return known and all(
        is_proved_true(facts, substitute(condition, by), depth - 1)
        for condition in clause.conditions
    )


def is_proved_not_in(
    facts: Facts, element: Expression, container: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether an element is surely not in a container."""
    if not depth:
        return False
    container = membership_core(container)
    match container:
        case BinaryOperation(operator="|"):
            return is_proved_not_in(facts, element, container.left, depth - 1) and is_proved_not_in(
                facts, element, container.right, depth - 1
            )
        case BinaryOperation(operator="&"):
            return is_proved_not_in(facts, element, container.left, depth - 1) or is_proved_not_in(
                facts, element, container.right, depth - 1
            )
        case BinaryOperation(operator="-"):
            return is_proved_not_in(facts, element, container.left, depth - 1) or is_proved_in(
                facts, element, container.right, depth - 1
            )
        case SetDisplay() | ListDisplay():
            if all(_is_proved_unequal(facts, element, item) for item in container.items):
                return True
        case Comprehension() if len(
            container.clauses
        ) == 1 and container.element == element_variable(container.clauses[0]):
            by: dict[Expression, Expression] = {container.element: element}
            if any(
                is_proved_true(facts, Not(substitute(c, by), type=c.type), depth - 1)
                for c in container.clauses[0].conditions
            ):
                return True
    if any(
        fact.relation == "not in" and is_same_term(fact.right, container)
        for fact in membership_facts(facts, element)
    ):
        return True
    meaning = facts.scope.meaning_of(container)
    return meaning is not None and is_proved_not_in(facts, element, meaning, depth - 1)


def membership_facts(facts: Facts, element: Expression) -> Iterator[Fact]:
    """Yield the containers that have an element, and those that do not, following what each
    container says of its elements.
    """
    pending = [
        Fact(fact.relation, element, membership_core(fact.right))
        for fact in facts.direct_facts()
        if fact.relation in ("in", "not in") and is_same_term(fact.left, element)
    ]
    pending += [
        Fact("in", element, membership_core(fact.right))
        for fact in facts.direct_facts()
        if fact.relation == "in" and _is_fact_equal(facts, fact.left, element)
    ]
    if isinstance(element.type, ElementType):
        pending.append(Fact("in", element, membership_core(element.type.set_expression)))
    seen: list[Fact] = []
    while pending and len(seen) < _MOST_CONTAINERS:
        fact = pending.pop(0)
        if any(
            fact.relation == old.relation and is_same_term(fact.right, old.right) for old in seen
        ):
            continue
        seen.append(fact)
        yield fact
        if fact.relation == "in":
            pending += [
                Fact(more.relation, element, membership_core(more.right))
                for more in _implied_memberships(facts, element, fact.right)
            ]


def _implied_memberships(
    facts: Facts, element: Expression, container: Expression
) -> Iterator[Fact]:
    """Yield what follows from being in a container."""
    yield from _memberships_by_type(element, container)
    for fact in facts.direct_facts():
        if fact.relation == "within" and is_same_term(membership_core(fact.left), container):
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
                    fact.relation == "not in"
                    and is_same_term(fact.right, other)
                    and is_same_term(fact.left, element)
                    for fact in facts.direct_facts()
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
    """Return the set, list or map of which a generator's first variable is an element or a key."""
    iterable = clause.iterable
    return (
        iterable.map
        if isinstance(iterable, MapView) and iterable.method == "items"
        else membership_core(iterable)
    )


def is_proved_within(
    facts: Facts, smaller: Expression, larger: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether a set (or a map's keys) is surely within another."""
    smaller, larger = membership_core(smaller), membership_core(larger)
    if is_same_term(smaller, larger):
        return True
    if not depth:
        return False
    match smaller:
        case (
            BinaryOperation(operator="|")
            | BinaryOperation(operator="+")
            | BinaryOperation(operator="^")
        ):
            return all(
                is_proved_within(facts, side, larger, depth - 1)
                for side in (smaller.left, smaller.right)
            )
        case SetDisplay() | ListDisplay():
            return all(is_proved_in(facts, item, larger, depth - 1) for item in smaller.items)
        case MapDisplay():
            return all(is_proved_in(facts, key, larger, depth - 1) for key, _ in smaller.pairs)
        case Conditional():
            return all(
                is_proved_within(inner, side, larger, depth - 1)
                for inner, side in _conditional_branches(facts, smaller)
            )
        case Comprehension() if (
            smaller.element != element_variable(smaller.clauses[0]) or len(smaller.clauses) > 1
        ):
            inner = facts
            for clause in smaller.clauses:
                inner = inner.inside_clause(clause)
            return is_proved_in(inner, smaller.element, larger, depth - 1)
    item = element_type(smaller.type)
    some = fresh_local("some", item if item is not None else smaller.type)
    if is_proved_in(facts.with_fact("in", some, smaller), some, larger, depth - 1):
        return True
    meaning = facts.scope.meaning_of(smaller)
    return meaning is not None and is_proved_within(facts, meaning, larger, depth - 1)


def is_proved_not_none(facts: Facts, node: Expression, depth: int = DEEPEST_PROOF) -> bool:
    """Tell whether a value is surely not None."""
    if not isinstance(node.type, OptionalType):
        return True
    if not depth:
        return False
    if any(_implies_not_none(fact, node) for fact in facts.direct_facts()):
        return True
    if any(
        _element_fact_implies_not_none(facts, every, node, depth) for every in facts.element_facts()
    ):
        return True
    match node:
        case Conditional():
            return all(
                is_proved_not_none(inner, side, depth - 1)
                for inner, side in _conditional_branches(facts, node)
            )
        case MapGet() if node.default is None:
            map_type = base_type(node.map.type)
            return (
                isinstance(map_type, MapType)
                and not isinstance(map_type.value, OptionalType)
                and is_proved_in(facts, node.key, node.map, depth - 1)
            )
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_proved_not_none(facts, meaning, depth - 1)


def _implies_not_none(fact: Fact, node: Expression) -> bool:
    if fact.relation == "some":
        return is_same_term(fact.left, node)
    if fact.relation == "equal":
        one, other = (
            (fact.left, fact.right) if is_same_term(fact.left, node) else (fact.right, fact.left)
        )
        return is_same_term(one, node) and not isinstance(other.type, OptionalType)
    if fact.relation == "in":
        return is_same_term(fact.left, node) and not isinstance(
            element_type(fact.right.type), OptionalType
        )
    return False


def _element_fact_implies_not_none(
    facts: Facts, every: ElementFact, node: Expression, depth: int
) -> bool:
    if every.fact.relation != "some":
        return False
    found = matching_substitute(every.fact.left, node, element_variable(every.clause))
    return found is not None and applies_to(facts, every, found, depth - 1)


def applies_to(facts: Facts, every: ElementFact, element: Expression, depth: int) -> bool:
    """Tell whether a fact about each element is one about this element."""
    by: dict[Expression, Expression] = {element_variable(every.clause): element}
    inside = is_proved_in(facts, element, iterated_container(every.clause), depth)
    return inside and all(
        is_proved_true(facts, substitute(condition, by), depth - 1)
        for condition in every.clause.conditions
    )


def is_proved_true(facts: Facts, node: Expression, depth: int = DEEPEST_PROOF) -> bool:
    """Tell whether a condition surely holds."""
    if depth <= 0:
        return False
    match node:
        case BooleanOperation(operator="and"):
            return all(is_proved_true(facts, operand, depth - 1) for operand in node.operands)
        case BooleanOperation(operator="or"):
            return any(is_proved_true(facts, operand, depth - 1) for operand in node.operands)
        case Comparison(operator="in"):
            return is_proved_in(facts, node.left, node.right, depth - 1)
        case Comparison(operator="not in"):
            return is_proved_not_in(facts, node.left, node.right, depth - 1)
        case Comparison(operator="=="):
            return _is_proved_equal(facts, node.left, node.right)
        case Comparison(operator="!="):
            return _is_proved_unequal(facts, node.left, node.right)
        case Not():
            return _is_proved_false(facts, node.operand, depth - 1)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_proved_true(facts, meaning, depth - 1)


def _is_proved_false(facts: Facts, node: Expression, depth: int) -> bool:
    """Tell whether a condition surely does not hold."""
    match node:
        case Not():
            return is_proved_true(facts, node.operand, depth)
        case Comparison(operator="in"):
            return is_proved_not_in(facts, node.left, node.right, depth)
        case Comparison(operator="not in"):
            return is_proved_in(facts, node.left, node.right, depth)
        case Comparison(operator="=="):
            return _is_proved_unequal(facts, node.left, node.right)
        case IsNone():
            return is_proved_not_none(facts, node.operand, depth)
    return False


def _is_proved_equal(facts: Facts, left: Expression, right: Expression) -> bool:
    return is_same_term(left, right) or _is_fact_equal(facts, left, right)


def _is_fact_equal(facts: Facts, left: Expression, right: Expression) -> bool:
    return any(
        fact.relation == "equal"
        and (
            (is_same_term(fact.left, left) and is_same_term(fact.right, right))
            or (is_same_term(fact.left, right) and is_same_term(fact.right, left))
        )
        for fact in facts.direct_facts()
    )


def _is_proved_unequal(facts: Facts, left: Expression, right: Expression) -> bool:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left != right
    return any(
        fact.relation == "unequal"
        and (
            (is_same_term(fact.left, left) and is_same_term(fact.right, right))
            or (is_same_term(fact.left, right) and is_same_term(fact.right, left))
        )
        for fact in facts.direct_facts()
    )


def _conditional_branches(facts: Facts, node: Conditional) -> Iterator[tuple[Facts, Expression]]:
    yield facts.assuming(node.test), node.yes
    yield facts.assuming(node.test, truth=False), node.no
