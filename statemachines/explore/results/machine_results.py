"""A run of a machine."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.definitions.snapshots import Answer, NamedValues, Snapshot


@frozen
class TraceStep:
    """One step of a trace."""

    event: str
    arguments: NamedValues
    answer: Answer
    copy: int = 0
    """Which of several copies stepped, from 0."""
    at_ms: int | None = None
    """When, since the run began; None where time is not counted."""


@frozen
class Trace:
    """A run that replays through `step`."""

    begin: tuple[Snapshot, ...]
    """One; of several copies one each."""
    steps: tuple[TraceStep, ...]
    loop_start: int | None = None
    """Where a run that never ends goes on from after its last step: how many steps lead there."""

    @property
    def snapshots(self) -> tuple[tuple[Snapshot, ...], ...]:
        """The snapshots of the run, the first one included."""
        snapshots = [self.begin]
        for step in self.steps:
            now = list(snapshots[-1])
            now[step.copy] = step.answer.after
            snapshots.append(tuple(now))
        return tuple(snapshots)
