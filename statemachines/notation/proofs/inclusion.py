"""Proofs that one set is within another."""

from __future__ import annotations

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Comprehension,
    Conditional,
    Expression,
    ListDisplay,
    MapDisplay,
    SetDisplay,
)
from statemachines.notation.proofs.facts import Facts, element_variable
from statemachines.notation.proofs.membership import (
    DEEPEST_PROOF,
    conditional_branches,
    is_proved_in,
)
from statemachines.notation.typing.substitution import fresh_local, is_same_term, membership_core
from statemachines.notation.typing.type_agreement import element_type


def is_proved_within(
    facts: Facts, smaller: Expression, larger: Expression, depth: int = DEEPEST_PROOF
) -> bool:
    """Tell whether a set (or a map's keys) is surely within another.

    Args:
        facts: what is known where it stands.
        smaller: a set or a map.
        larger: a set or a map.
        depth: how many more facts may be followed.

    Returns:
        False where it is not known.
    """
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
                for inner, side in conditional_branches(facts, smaller)
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
