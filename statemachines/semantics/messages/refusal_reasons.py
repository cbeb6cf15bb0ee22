"""Why no transition took an event: which conditions were false, down to the clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.definitions.data_definitions import Let
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.language.expression_nodes import BooleanOperation, Expression
from statemachines.semantics.messages.expression_text import format_expression

Lets = tuple[Let, ...]
ConditionTest = Callable[[Expression, Lets], bool]
"""Tells whether a condition holds where somebody asks; second: the `let` names that it may use."""


def false_conditions_message(
    candidates: tuple[Transition, ...], lets: Lets, holds: ConditionTest
) -> str:
    """Say which conditions kept transitions from taking an event; empty where there is none.

    Args:
        candidates: the transitions that did not take it.
        lets: of the event.
        holds: tells what holds there.

    Returns:
        Each clause in backquotes, joined by `and`, with `is false` or `are false`.
    """
    clauses = dict.fromkeys(
        f"`{false_clause}`" for false_clause in _false_clauses(candidates, lets, holds)
    )
    return (
        f"{' and '.join(clauses)} {'is' if len(clauses) == 1 else 'are'} false" if clauses else ""
    )


def _false_clauses(
    candidates: tuple[Transition, ...], lets: Lets, holds: ConditionTest
) -> Iterator[str]:
    """Yield a clause of each guard that is false; where a guard holds, one of the case's `when`."""
    for case in (candidate.case for candidate in candidates if candidate.case is not None):
        known = (*lets, *case.lets)
        for condition in (case.guard, case.when):
            if condition is not None and not holds(condition, known):
                yield format_expression(first_false_clause(condition, known, holds))
                break


def condition_clauses(condition: Expression) -> tuple[Expression, ...]:
    """Return the parts of a condition that are joined by `and`, in the order in which they are
    looked at.

    Args:
        condition: of type Bool.

    Returns:
        The parts; the condition itself where nothing joins any.
    """
    if not isinstance(condition, BooleanOperation) or condition.operator != "and":
        return (condition,)
    return tuple(part for operand in condition.operands for part in condition_clauses(operand))


def first_false_clause(condition: Expression, lets: Lets, holds: ConditionTest) -> Expression:
    """Return the first part of a condition, joined by `and`, that is false: later ones may rest on
    it.

    Args:
        condition: it is false.
        lets: what it may use.
        holds: tells what holds there.

    Returns:
        One of the condition's clauses.
    """
    if not isinstance(condition, BooleanOperation) or condition.operator != "and":
        return condition
    first = next((part for part in condition.operands if not holds(part, lets)), None)
    return condition if first is None else first_false_clause(first, lets, holds)
