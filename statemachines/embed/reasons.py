"""Why no transition took an event."""

from __future__ import annotations

from statemachines.model.machines import Transition
from statemachines.semantics.wording import wording


def false_conditions(candidates: tuple[Transition, ...]) -> str:
    """Say which conditions kept transitions from taking an event; empty where there is none.

    >>> from statemachines.model.data import Case
    >>> from statemachines.model.expressions import Compare, Kind, Literal, Name
    >>> from statemachines.model.types import BOOL, INT
    >>> fewer = Compare("<", Name(Kind.VARIABLE, "count", type=INT), Literal(3, type=INT), type=BOOL)
    >>> false_conditions((Transition("", "", "up", case=Case(guard=fewer)),))
    '`count < 3` is false'
    """
    conditions = (arrow.case.guard or arrow.case.when for arrow in candidates if arrow.case is not None)
    said = dict.fromkeys(f"`{wording(condition)}`" for condition in conditions if condition is not None)
    return f"{' and '.join(said)} {'is' if len(said) == 1 else 'are'} false" if said else ""
