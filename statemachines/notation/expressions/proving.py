"""Proofs of membership: is this key in that map, is this set within that one, is this value not None.

A proof that is not found within a few steps is none: the expression is then refused, with the fact that would make it safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.expressions import (
    Binary,
    Boolean,
    Clause,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Get,
    IsNone,
    ListDisplay,
    Literal,
    MapDisplay,
    Not,
    SetDisplay,
    View,
)
from statemachines.model.types import (
    BagType,
    ElementType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    Type,
    base_of,
    is_finite,
)
from statemachines.notation.expressions.agreement import element_of, fits
from statemachines.notation.expressions.facts import Every, Fact, Facts, local_of
from statemachines.notation.expressions.terms import fresh, matched, plain, same, substitute

DEPTH = 7
_MOST_SETS = 40


def is_in(facts: Facts, element: Expression, container: Expression, depth: int = DEPTH) -> bool:
    """Tell whether an element is surely in a set, a list, or the keys of a map."""
    if not depth:
        return False
    container = plain(container)
    if _is_in_structure(facts, element, container, depth):
        return True
    return any(
        fact.relation == "in" and (same(fact.right, container) or _reaches(facts, element, fact.right, container, depth))
        for fact in about(facts, element)
    )


def _reaches(facts: Facts, element: Expression, known: Expression, container: Expression, depth: int) -> bool:
    """Tell whether a known container's elements are in another by cases: `t in a | b` where both are within it."""
    if isinstance(known, Binary) and known.operator == "|":
        return all(is_in(facts.with_fact("in", element, side), element, container, depth - 1) for side in (known.left, known.right))
    if isinstance(known, Conditional):
        return all(is_in(facts.with_fact("in", element, side), element, container, depth - 1) for side in (known.yes, known.no))
    items = known.items if isinstance(known, SetDisplay | ListDisplay) else _numbers(known)
    return items is not None and all(is_in(facts, item, container, depth - 2 if depth > 1 else 0) for item in items)


def _numbers(known: Expression) -> tuple[Expression, ...] | None:
    """Return the elements of a range's name."""
    if not isinstance(known, Literal) or not isinstance(known.value, frozenset) or not isinstance(element_of(known.type), IntType):
        return None
    return tuple(Literal(number, type=IntType(number, number)) for number in known.value)


def _is_in_structure(facts: Facts, element: Expression, container: Expression, depth: int) -> bool:
    """Take the container apart."""
    match container:
        case Binary(operator="|") | Binary(operator="+"):
            return is_in(facts, element, container.left, depth - 1) or is_in(facts, element, container.right, depth - 1)
        case Binary(operator="&"):
            return is_in(facts, element, container.left, depth - 1) and is_in(facts, element, container.right, depth - 1)
        case Binary(operator="-"):
            return is_in(facts, element, container.left, depth - 1) and is_not_in(facts, element, container.right, depth - 1)
        case SetDisplay() | ListDisplay():
            return any(_equal(facts, element, item) for item in container.items)
        case MapDisplay():
            return any(_equal(facts, element, key) for key, _ in container.pairs) or _names_all(container, base_of(element.type))
        case Literal():
            return isinstance(container.value, frozenset) and has_bounds(element, element_of(container.type) or container.type)
        case Conditional():
            return all(is_in(inner, element, side, depth - 1) for inner, side in _branches(facts, container))
        case Comprehension():
            return _is_in_comprehension(facts, element, container, depth)
    return _is_in_declared(facts, element, container, depth)


def _names_all(made: MapDisplay, type_: Type) -> bool:
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
    type_ = base_of(container.type)
    if isinstance(type_, MapType) and type_.total:
        if isinstance(type_.key, ElementType):
            return is_in(facts, element, type_.key.of, depth - 1)
        if is_finite(type_.key) and has_bounds(element, type_.key):
            return True
    meaning = facts.scope.meaning_of(container)
    return meaning is not None and is_in(facts, element, meaning, depth - 1)


def has_bounds(element: Expression, type_: Type) -> bool:
    """Tell whether a value is surely one of a finite type."""
    if isinstance(type_, IntType) and isinstance(element.type, IntType):
        low, high = element.type.low, element.type.high
        return low is not None and high is not None and _at_least(low, type_.low) and _at_least(type_.high, high)
    return not isinstance(type_, IntType) and fits(element.type, type_)


def _at_least(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one >= other


def _is_in_comprehension(facts: Facts, element: Expression, made: Comprehension, depth: int) -> bool:
    """Show that the element is one of those that a comprehension with a single generator makes."""
    clause = made.clauses[0]
    if len(made.clauses) > 1 or made.element != local_of(clause):
        return False
    by: dict[Expression, Expression] = {local_of(clause): element}
    known = is_in(facts, element, walked(clause), depth - 1)
    return known and all(holds(facts, substitute(condition, by), depth - 1) for condition in clause.conditions)


def is_not_in(facts: Facts, element: Expression, container: Expression, depth: int = DEPTH) -> bool:
    """Tell whether an element is surely not in a container."""
    if not depth:
        return False
    container = plain(container)
    match container:
        case Binary(operator="|"):
            return is_not_in(facts, element, container.left, depth - 1) and is_not_in(facts, element, container.right, depth - 1)
        case Binary(operator="&"):
            return is_not_in(facts, element, container.left, depth - 1) or is_not_in(facts, element, container.right, depth - 1)
        case Binary(operator="-"):
            return is_not_in(facts, element, container.left, depth - 1) or is_in(facts, element, container.right, depth - 1)
        case SetDisplay() | ListDisplay():
            if all(_unequal(facts, element, item) for item in container.items):
                return True
        case Comprehension() if len(container.clauses) == 1 and container.element == local_of(container.clauses[0]):
            by: dict[Expression, Expression] = {container.element: element}
            if any(holds(facts, Not(substitute(c, by), type=c.type), depth - 1) for c in container.clauses[0].conditions):
                return True
    if any(fact.relation == "not in" and same(fact.right, container) for fact in about(facts, element)):
        return True
    meaning = facts.scope.meaning_of(container)
    return meaning is not None and is_not_in(facts, element, meaning, depth - 1)


def about(facts: Facts, element: Expression) -> Iterator[Fact]:
    """Yield the containers that have an element, and those that do not, following what each container says of its elements."""
    pending = [
        Fact(fact.relation, element, plain(fact.right))
        for fact in facts.simple()
        if fact.relation in ("in", "not in") and same(fact.left, element)
    ]
    pending += [
        Fact("in", element, plain(fact.right))
        for fact in facts.simple()
        if fact.relation == "in" and _known_equal(facts, fact.left, element)
    ]
    if isinstance(element.type, ElementType):
        pending.append(Fact("in", element, plain(element.type.of)))
    seen: list[Fact] = []
    while pending and len(seen) < _MOST_SETS:
        fact = pending.pop(0)
        if any(fact.relation == old.relation and same(fact.right, old.right) for old in seen):
            continue
        seen.append(fact)
        yield fact
        if fact.relation == "in":
            pending += [Fact(more.relation, element, plain(more.right)) for more in _following(facts, element, fact.right)]


def _following(facts: Facts, element: Expression, container: Expression) -> Iterator[Fact]:
    """Yield what follows from being in a container."""
    yield from _by_type(element, container)
    for fact in facts.simple():
        if fact.relation == "within" and same(plain(fact.left), container):
            yield Fact("in", element, fact.right)
    for every in facts.every():
        of_variable = every.fact.relation in ("in", "not in") and every.fact.left == local_of(every.clause)
        if of_variable and not every.clause.conditions and same(walked(every.clause), container):
            yield Fact(every.fact.relation, element, every.fact.right)
    match container:
        case Binary(operator="&"):
            yield from (Fact("in", element, side) for side in (container.left, container.right))
        case Binary(operator="-"):
            yield Fact("in", element, container.left)
            yield Fact("not in", element, container.right)
        case Comprehension() if container.element == local_of(container.clauses[0]):
            yield from _by_comprehension(facts, element, container)
        case Binary(operator="|"):
            for side, other in ((container.left, container.right), (container.right, container.left)):
                if any(fact.relation == "not in" and same(fact.right, other) and same(fact.left, element) for fact in facts.simple()):
                    yield Fact("in", element, side)
    meaning = facts.scope.meaning_of(container)
    if meaning is not None:
        yield Fact("in", element, meaning)


def _by_type(element: Expression, container: Expression) -> Iterator[Fact]:
    """Yield the set that stands for the type of a container's elements."""
    type_ = base_of(container.type)
    item = type_.key if isinstance(type_, MapType) else type_.item if isinstance(type_, SetType | ListType | BagType) else None
    if isinstance(item, ElementType):
        yield Fact("in", element, item.of)


def _by_comprehension(facts: Facts, element: Expression, made: Comprehension) -> Iterator[Fact]:
    """Yield where a comprehension took its elements from, and what its conditions say of them."""
    clause = made.clauses[0]
    yield Fact("in", element, walked(clause))
    by: dict[Expression, Expression] = {local_of(clause): element}
    for condition in clause.conditions:
        for known in Facts(facts.scope).knowing(substitute(condition, by)).simple():
            if known.relation in ("in", "not in") and same(known.left, element):
                yield known


def walked(clause: Clause) -> Expression:
    """Return the set, list or map of which a generator's first variable is an element or a key."""
    iterable = clause.iterable
    return iterable.map if isinstance(iterable, View) and iterable.method == "items" else plain(iterable)


def is_within(facts: Facts, smaller: Expression, larger: Expression, depth: int = DEPTH) -> bool:
    """Tell whether a set (or a map's keys) is surely within another."""
    smaller, larger = plain(smaller), plain(larger)
    if same(smaller, larger):
        return True
    if not depth:
        return False
    match smaller:
        case Binary(operator="|") | Binary(operator="+") | Binary(operator="^"):
            return all(is_within(facts, side, larger, depth - 1) for side in (smaller.left, smaller.right))
        case SetDisplay() | ListDisplay():
            return all(is_in(facts, item, larger, depth - 1) for item in smaller.items)
        case MapDisplay():
            return all(is_in(facts, key, larger, depth - 1) for key, _ in smaller.pairs)
        case Conditional():
            return all(is_within(inner, side, larger, depth - 1) for inner, side in _branches(facts, smaller))
        case Comprehension() if smaller.element != local_of(smaller.clauses[0]) or len(smaller.clauses) > 1:
            inner = facts
            for clause in smaller.clauses:
                inner = inner.inside(clause)
            return is_in(inner, smaller.element, larger, depth - 1)
    item = element_of(smaller.type)
    some = fresh("some", item if item is not None else smaller.type)
    if is_in(facts.with_fact("in", some, smaller), some, larger, depth - 1):
        return True
    meaning = facts.scope.meaning_of(smaller)
    return meaning is not None and is_within(facts, meaning, larger, depth - 1)


def is_some(facts: Facts, node: Expression, depth: int = DEPTH) -> bool:
    """Tell whether a value is surely not None."""
    if not isinstance(node.type, OptionalType):
        return True
    if not depth:
        return False
    if any(_says_some(fact, node) for fact in facts.simple()):
        return True
    if any(_says_some_of_each(facts, every, node, depth) for every in facts.every()):
        return True
    match node:
        case Conditional():
            return all(is_some(inner, side, depth - 1) for inner, side in _branches(facts, node))
        case Get() if node.otherwise is None:
            map_type = base_of(node.map.type)
            return (
                isinstance(map_type, MapType)
                and not isinstance(map_type.value, OptionalType)
                and is_in(facts, node.key, node.map, depth - 1)
            )
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_some(facts, meaning, depth - 1)


def _says_some(fact: Fact, node: Expression) -> bool:
    if fact.relation == "some":
        return same(fact.left, node)
    if fact.relation == "equal":
        one, other = (fact.left, fact.right) if same(fact.left, node) else (fact.right, fact.left)
        return same(one, node) and not isinstance(other.type, OptionalType)
    if fact.relation == "in":
        return same(fact.left, node) and not isinstance(element_of(fact.right.type), OptionalType)
    return False


def _says_some_of_each(facts: Facts, every: Every, node: Expression, depth: int) -> bool:
    if every.fact.relation != "some":
        return False
    found = matched(every.fact.left, node, local_of(every.clause))
    return found is not None and covers(facts, every, found, depth - 1)


def covers(facts: Facts, every: Every, element: Expression, depth: int) -> bool:
    """Tell whether a fact about each element is one about this element."""
    by: dict[Expression, Expression] = {local_of(every.clause): element}
    inside = is_in(facts, element, walked(every.clause), depth)
    return inside and all(holds(facts, substitute(condition, by), depth - 1) for condition in every.clause.conditions)


def holds(facts: Facts, node: Expression, depth: int = DEPTH) -> bool:
    """Tell whether a condition surely holds."""
    if depth <= 0:
        return False
    match node:
        case Boolean(operator="and"):
            return all(holds(facts, operand, depth - 1) for operand in node.operands)
        case Boolean(operator="or"):
            return any(holds(facts, operand, depth - 1) for operand in node.operands)
        case Compare(operator="in"):
            return is_in(facts, node.left, node.right, depth - 1)
        case Compare(operator="not in"):
            return is_not_in(facts, node.left, node.right, depth - 1)
        case Compare(operator="=="):
            return _equal(facts, node.left, node.right)
        case Compare(operator="!="):
            return _unequal(facts, node.left, node.right)
        case Not():
            return _fails(facts, node.operand, depth - 1)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and holds(facts, meaning, depth - 1)


def _fails(facts: Facts, node: Expression, depth: int) -> bool:
    """Tell whether a condition surely does not hold."""
    match node:
        case Not():
            return holds(facts, node.operand, depth)
        case Compare(operator="in"):
            return is_not_in(facts, node.left, node.right, depth)
        case Compare(operator="not in"):
            return is_in(facts, node.left, node.right, depth)
        case Compare(operator="=="):
            return _unequal(facts, node.left, node.right)
        case IsNone():
            return is_some(facts, node.operand, depth)
    return False


def _equal(facts: Facts, left: Expression, right: Expression) -> bool:
    return same(left, right) or _known_equal(facts, left, right)


def _known_equal(facts: Facts, left: Expression, right: Expression) -> bool:
    return any(
        fact.relation == "equal"
        and ((same(fact.left, left) and same(fact.right, right)) or (same(fact.left, right) and same(fact.right, left)))
        for fact in facts.simple()
    )


def _unequal(facts: Facts, left: Expression, right: Expression) -> bool:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left != right
    return any(
        fact.relation == "unequal"
        and ((same(fact.left, left) and same(fact.right, right)) or (same(fact.left, right) and same(fact.right, left)))
        for fact in facts.simple()
    )


def _branches(facts: Facts, node: Conditional) -> Iterator[tuple[Facts, Expression]]:
    yield facts.knowing(node.test), node.yes
    yield facts.knowing(node.test, truth=False), node.no
