"""What exploring a machine found."""

from __future__ import annotations

from attrs import field, frozen

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.results.property_results import PropertyResult
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.evidence.verdicts import Verdict, worst_verdict


@frozen
class TraceStep:
    """One step of a trace."""

    event: str
    arguments: NamedValues
    answer: Answer
    copy: int = 0
    """Which of several copies stepped, from 0."""


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


@frozen
class Exploration:
    """All that was seen of a machine within a scope."""

    machine: MachineDefinition
    scope: str
    """What was explored, such as `RM=3`."""
    copies: int
    symmetry: bool
    states: int
    """Those beyond the state constraint left out."""
    transitions: int
    """As (state, event, arguments)."""
    disabled: int
    """(state, event, arguments) that no transition took."""
    depth: int
    """Steps to the farthest state."""
    examined: tuple[PropertyResult[Trace], ...]
    bounds: tuple[str, ...]
    """What kept it from seeing everything; none: it saw all there is within the scope."""
    unreached_states: tuple[str, ...] = ()
    """States that no run within the scope comes to."""
    untaken_transitions: tuple[Transition, ...] = ()
    """Transitions that no run within the scope takes."""
    interrupted: bool = False
    constraint: str = ""
    """The state constraint of the scope, where it left out some state; else empty."""
    beyond_constraint: int = 0
    """States that were looked at and not gone on from, as the state constraint does not hold."""
    on_disk: int = field(default=0, eq=False)
    """Bytes of states that were written to disk, as they would have taken too much memory."""
    seconds: float = field(default=0.0, eq=False)

    @property
    def verdict(self) -> Verdict:
        """The worst of what was found; INCONCLUSIVE where a bound was hit."""
        return worst_verdict(
            [
                *(result.verdict for result in self.examined),
                Verdict.INCONCLUSIVE if self.bounds else Verdict.HOLDS,
            ]
        )
