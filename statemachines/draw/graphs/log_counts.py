"""From a report's timeline to what a picture shows of it."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from statemachines.draw.graphs.log_overlay import Counts, StatePair
from statemachines.model.evidence.reports import CurrentState, InstanceKey, TimelineStep

_InstanceLife = tuple[InstanceKey, int]
"""An instance and which of its lives."""


@define
class _StepTally:
    taken: dict[StatePair, int] = field(factory=dict)
    held_ms: dict[str, int] = field(factory=dict)
    entered: dict[_InstanceLife, tuple[str, int | None]] = field(factory=dict)
    """The state that each life is in, and since when."""

    def add(self, step: TimelineStep) -> None:
        """Count a step, and the time that the state before it was held, where both moments are
        known.
        """
        incarnation, moment = (step.instance, step.life), step.at.ms if step.at else None
        if step.source is not None and step.target is not None:
            self.taken[step.source, step.target] = self.taken.get((step.source, step.target), 0) + 1
        state, since = self.entered.pop(incarnation, ("", None))
        if moment is not None and since is not None and moment >= since:
            self.held_ms[state] = self.held_ms.get(state, 0) + moment - since
        if step.target is not None:
            self.entered[incarnation] = (step.target, moment)


def step_counts(
    steps: Iterable[TimelineStep], now: Iterable[CurrentState] = ()
) -> dict[str, Counts]:
    """Count, for each machine, how often each step was taken and how long each state was held.

    Args:
        steps: rows of a report's timeline; concluded steps count like told ones, an instance that
            several processes tell of is one.
        now: states at the end of the log, which a line may have named although no step led there.

    Returns:
        By machine, in order of first mention. A state that was never left is not counted: how long
            it went on is not known.

    Complexity: linear in the steps; memory in the instances.
    """
    tallies: dict[str, _StepTally] = {}
    for step in steps:
        tallies.setdefault(step.machine, _StepTally()).add(step)
    named: dict[str, set[str]] = {machine: set() for machine in tallies}
    for row in now:
        named.setdefault(row.machine, set()).update(row.state)
    empty = _StepTally()
    counted = (
        (machine, tallies.get(machine, empty), frozenset(states))
        for machine, states in named.items()
    )
    return {
        machine: Counts(tally.taken, tally.held_ms, states) for machine, tally, states in counted
    }
