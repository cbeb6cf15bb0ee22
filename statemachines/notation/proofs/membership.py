"""Proofs of membership: is this key in that map, does this condition hold, is this value not None.

They stand together as each asks the others. A proof that is not found within a few steps is none:
the expression is then refused, with the fact that would make it safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    BooleanOperation,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    IsNone,
    ListDisplay,
    Literal,
    MapDisplay,
    MapGet,
    Not,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    ElementType,
    MapType,
    OptionalType,
    base_type,
    is_finite,
)
from statemachines.notation.proofs.facts import (
    ElementFact,
    Fact,
    Facts,
    element_variable,
    is_proved_equal,
    is_proved_unequal,
)
from statemachines.notation.proofs.finite_types import (
    has_all_keys,
    is_finite_member,
    range_literals,
)
from statemachines.notation.proofs.known_containers import iterated_container, membership_facts
from statemachines.notation.typing.substitution import (
    is_same_term,
    matching_substitute,
    membership_core,
    substitute,
)
from statemachines.notation.typing.type_agreement import element_type

DEEPEST_PROOF = 7
_WITH_CASES = (BinaryOperation, Conditional, SetDisplay, ListDisplay, Literal)


def is_proved_in(
    facts: Facts, element: Expression, container: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether an element is surely in a set, a list, or the keys of a map.

    Args:
        facts: what is known where it stands.
        element: a typed expression.
        container: a set, a list or a map.
        depth: how many more facts may be followed.

    Returns:
        False where it is not known.
    """
    if not depth:
        return False
    container = membership_core(container)
    if _is_in_structure(facts, element, container, depth):
        return True
    kind = type(container)
    for fact in membership_facts(facts, element):  # a loop: nothing is asked as often in a proof
        if fact.relation == "in" and (
            (type(fact.right) is kind and is_same_term(fact.right, container))
            or (
                isinstance(fact.right, _WITH_CASES)
                and _is_in_by_cases(facts, element, fact.right, container, depth)
            )
        ):
            return True
    return False


def _is_in_by_cases(
    facts: Facts, element: Expression, known: Expression, container: Expression, depth: int
) -> bool:
    """Tell whether a known container's elements are in another by cases: `t in a | b` where both
    are within it.
    """
    sides: tuple[Expression, ...] = ()
    if isinstance(known, BinaryOperation) and known.operator == "|":
        sides = (known.left, known.right)
    elif isinstance(known, Conditional):
        sides = (known.yes, known.no)
    if sides:
        for side in sides:
            inner = facts.with_fact("in", element, side)
            if not is_proved_in(inner, element, container, depth - 1):
                return False
        return True
    items = known.items if isinstance(known, SetDisplay | ListDisplay) else range_literals(known)
    return items is not None and all(
        is_proved_in(facts, item, container, depth - 2 if depth > 1 else 0) for item in items
    )


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
            return is_proved_in(facts, element, container.left, depth - 1) and _is_proved_not_in(
                facts, element, container.right, depth - 1
            )
        case SetDisplay() | ListDisplay():
            return any(is_proved_equal(facts, element, item) for item in container.items)
        case MapDisplay():
            return any(
                is_proved_equal(facts, element, key) for key, _ in container.pairs
            ) or has_all_keys(container, base_type(element.type))
        case Literal():
            return isinstance(container.value, frozenset) and is_finite_member(
                element, element_type(container.type) or container.type
            )
        case Conditional():
            return all(
                is_proved_in(inner, element, side, depth - 1)
                for inner, side in conditional_branches(facts, container)
            )
        case Comprehension():
            return _is_in_comprehension(facts, element, container, depth)
    return _is_in_declared(facts, element, container, depth)


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
        _is_proved_true(facts, substitute(condition, by), depth - 1)
        for condition in clause.conditions
    )


def _is_proved_not_in(
    facts: Facts, element: Expression, container: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether an element is surely not in a container."""
    if not depth:
        return False
    container = membership_core(container)
    match container:
        case BinaryOperation(operator="|"):
            return _is_proved_not_in(
                facts, element, container.left, depth - 1
            ) and _is_proved_not_in(facts, element, container.right, depth - 1)
        case BinaryOperation(operator="&"):
            return _is_proved_not_in(
                facts, element, container.left, depth - 1
            ) or _is_proved_not_in(facts, element, container.right, depth - 1)
        case BinaryOperation(operator="-"):
            return _is_proved_not_in(facts, element, container.left, depth - 1) or is_proved_in(
                facts, element, container.right, depth - 1
            )
        case SetDisplay() | ListDisplay():
            if all(is_proved_unequal(facts, element, item) for item in container.items):
                return True
        case Comprehension() if len(
            container.clauses
        ) == 1 and container.element == element_variable(container.clauses[0]):
            by: dict[Expression, Expression] = {container.element: element}
            if any(
                _is_proved_true(facts, Not(substitute(c, by), type=c.type), depth - 1)
                for c in container.clauses[0].conditions
            ):
                return True
    if any(
        fact.relation == "not in" and is_same_term(fact.right, container)
        for fact in membership_facts(facts, element)
    ):
        return True
    meaning = facts.scope.meaning_of(container)
    return meaning is not None and _is_proved_not_in(facts, element, meaning, depth - 1)


def is_proved_not_none(facts: Facts, node: Expression, depth: int = DEEPEST_PROOF) -> bool:
    """Tell whether a value is surely not None.

    Args:
        facts: what is known where it stands.
        node: of an optional type.
        depth: how many more facts may be followed.

    Returns:
        False where it is not known.
    """
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
                for inner, side in conditional_branches(facts, node)
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
    expression = matching_substitute(every.fact.left, node, element_variable(every.clause))
    return expression is not None and applies_to(facts, every, expression, depth - 1)


def applies_to(facts: Facts, every: ElementFact, element: Expression, depth: int) -> bool:
    """Tell whether a fact about each element is one about this element.

    Args:
        facts: what is known where it stands.
        every: the fact.
        element: a typed expression.
        depth: how many more facts may be followed.

    Returns:
        False where it is not known that the conditions of the fact hold.
    """
    by: dict[Expression, Expression] = {element_variable(every.clause): element}
    inside = is_proved_in(facts, element, iterated_container(every.clause), depth)
    return inside and all(
        _is_proved_true(facts, substitute(condition, by), depth - 1)
        for condition in every.clause.conditions
    )


def _is_proved_true(facts: Facts, node: Expression, depth: int = DEEPEST_PROOF) -> bool:
    """Tell whether a condition surely holds."""
    if depth <= 0:
        return False
    match node:
        case BooleanOperation(operator="and"):
            return all(_is_proved_true(facts, operand, depth - 1) for operand in node.operands)
        case BooleanOperation(operator="or"):
            return any(_is_proved_true(facts, operand, depth - 1) for operand in node.operands)
        case Comparison(operator="in"):
            return is_proved_in(facts, node.left, node.right, depth - 1)
        case Comparison(operator="not in"):
            return _is_proved_not_in(facts, node.left, node.right, depth - 1)
        case Comparison(operator="=="):
            return is_proved_equal(facts, node.left, node.right)
        case Comparison(operator="!="):
            return is_proved_unequal(facts, node.left, node.right)
        case Not():
            return _is_proved_false(facts, node.operand, depth - 1)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and _is_proved_true(facts, meaning, depth - 1)


def _is_proved_false(facts: Facts, node: Expression, depth: int) -> bool:
    """Tell whether a condition surely does not hold."""
    match node:
        case Not():
            return _is_proved_true(facts, node.operand, depth)
        case Comparison(operator="in"):
            return _is_proved_not_in(facts, node.left, node.right, depth)
        case Comparison(operator="not in"):
            return is_proved_in(facts, node.left, node.right, depth)
        case Comparison(operator="=="):
            return is_proved_unequal(facts, node.left, node.right)
        case IsNone():
            return is_proved_not_none(facts, node.operand, depth)
    return False


def conditional_branches(facts: Facts, node: Conditional) -> Iterator[tuple[Facts, Expression]]:
    """Yield both sides of a condition, with what is known there.

    Args:
        facts: what is known where it stands.
        node: `a if c else b`.

    Yields:
        What is known there, and the value; the side of True first.
    """
    yield facts.assuming(node.test), node.yes
    yield facts.assuming(node.test, truth=False), node.no
