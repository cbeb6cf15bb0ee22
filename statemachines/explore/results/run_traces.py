"""A run of a machine, of copies of one, or of a system."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)


@frozen
class TraceStep:
    """One event of a run and what became of it."""

    event: str
    """Of a system as `part.event`; of a delivery too."""
    arguments: NamedValues
    answer: Any
    """An `Answer`; of a system a `SystemAnswer`."""
    copy: int = 0
    """Which of several copies of a machine stepped, from 0."""
    key: Value = None
    """Which of a system's part that there is several times."""
    delivered_from: PendingEvent | None = None
    """Where it waited; None for an event from outside."""
    at_ms: int | None = None
    """When, since the run began; None where time is not counted."""

    def snapshot_after(self, now: Any) -> Any:
        """Return the snapshot after it.

        Args:
            now: the one before: of a system, or one a copy.

        Returns:
            The same, changed.
        """
        if isinstance(self.answer, SystemAnswer):
            return self.answer.after
        return (*now[: self.copy], self.answer.after, *now[self.copy + 1 :])


@frozen
class Trace:
    """A run that replays through `step`."""

    begin: Any
    """The snapshot of a system; of a machine a tuple, with one a copy."""
    steps: tuple[TraceStep, ...]
    loop_start: int | None = None
    """Where a run that never ends goes on from after its last step: how many steps lead there."""

    @property
    def is_of_system(self) -> bool:
        """Whether its snapshots are those of a system."""
        return isinstance(self.begin, SystemSnapshot)

    @property
    def snapshots(self) -> tuple[Any, ...]:
        """The snapshots of the run, the first one included."""
        snapshots = [self.begin]
        for step in self.steps:
            snapshots.append(step.snapshot_after(snapshots[-1]))
        return tuple(snapshots)
