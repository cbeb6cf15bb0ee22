"""Why no transition took an event: which conditions were false, down to the clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.data import Let
from statemachines.model.expressions import Boolean, Expression
from statemachines.model.machines import Transition
from statemachines.semantics.wording import wording

Lets = tuple[Let, ...]
Holds = Callable[[Expression, Lets], bool]
"""Tells whether a condition holds where somebody asks; second: the `let` names that it may use."""


def false_conditions(candidates: tuple[Transition, ...], lets: Lets, holds: Holds) -> str:
    """Say which conditions kept transitions from taking an event; empty where there is none.

    Args:
        candidates: the transitions that did not take it.
        lets: of the event.
        holds: tells what holds there.
    """
    said = dict.fromkeys(f"`{each}`" for each in _false(candidates, lets, holds))
    return f"{' and '.join(said)} {'is' if len(said) == 1 else 'are'} false" if said else ""


def _false(candidates: tuple[Transition, ...], lets: Lets, holds: Holds) -> Iterator[str]:
    """Yield a clause of each guard that is false; where a guard holds, one of the case's `when`."""
    for case in (each.case for each in candidates if each.case is not None):
        known = (*lets, *case.lets)
        for condition in (case.guard, case.when):
            if condition is not None and not holds(condition, known):
                yield wording(false_clause(condition, known, holds))
                break


def false_clause(condition: Expression, lets: Lets, holds: Holds) -> Expression:
    """Return the first part of a condition, joined by `and`, that is false: later ones may rest on it.

    Args:
        condition: it is false.
        lets: what it may use.
        holds: tells what holds there.
    """
    if not isinstance(condition, Boolean) or condition.operator != "and":
        return condition
    first = next((part for part in condition.operands if not holds(part, lets)), None)
    return condition if first is None else false_clause(first, lets, holds)
