"""What is asked of a system in its rows, and what it decides."""

from __future__ import annotations

from attrs import frozen

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.models.successors import Successor
from statemachines.model.definitions.snapshots import Answer
from statemachines.model.definitions.system_definitions import PendingEvent
from statemachines.semantics.system.system_states import PartKey


@frozen(eq=False)
class SystemMove:
    """What a part takes by itself, or what is delivered: one question about rows."""

    column: int
    """The column that says that it may happen."""
    part: PartKey
    event: str
    arguments: NamedValues
    answer: Answer | None = None
    """What the part answers; None for a delivery."""
    pending: PendingEvent | None = None
    """Where what is delivered waits."""
    weight: int = 1


@frozen(eq=False)
class SystemDecision:
    """What a system makes of a move, in every row that holds what was looked at."""

    successor: Successor | None
    """None where a link forbids it."""
    weight: int = 1
    """How many arguments come to the same."""
    fired_links: frozenset[int] = frozenset()
    faults: tuple[str, ...] = ()
    """What is wrong with the spec there."""
