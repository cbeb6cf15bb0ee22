"""A run of a system."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)


@frozen
class SystemTraceStep:
    """One event of a run and what became of it."""

    event: str
    """`part.event`; of a delivery too."""
    key: Value
    arguments: NamedValues
    answer: SystemAnswer
    delivered_from: PendingEvent | None = None
    """Where it waited; None for an event from outside."""
    at_ms: int | None = None
    """When, since the run began; None where time is not counted."""


@frozen
class SystemTrace:
    """A run of a system that replays through its step."""

    begin: SystemSnapshot
    steps: tuple[SystemTraceStep, ...]
    loop_start: int | None = None
    """Where a run that never ends goes on from after its last step: how many steps lead there."""

    @property
    def snapshots(self) -> tuple[SystemSnapshot, ...]:
        """The snapshots of the run, the first one included."""
        return (self.begin, *(step.answer.after for step in self.steps))
