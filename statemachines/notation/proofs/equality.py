"""Proofs that two values are the same, or are not: by what they are written as, and by facts."""

from __future__ import annotations

from statemachines.model.language.expression_nodes import Expression, Literal
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.typing.substitution import is_same_term


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
