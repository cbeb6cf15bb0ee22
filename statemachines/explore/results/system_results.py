"""What exploring a system found."""

from __future__ import annotations

from attrs import field, frozen

from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.walks.system_walks import SystemTraceStep
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.evidence.verdicts import Verdict, worst_verdict


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


@frozen
class SystemExploration:
    """All that was seen of a system within a scope."""

    system: SystemDefinition
    scope: str
    symmetry: bool
    states: int
    """Those beyond the state constraint left out."""
    transitions: int
    """As (state, event of a part, key, arguments), and deliveries."""
    disabled: int
    """Events with arguments that no transition took, or that a link forbade."""
    depth: int
    """Steps to the farthest state."""
    examined: tuple[PropertyResult[SystemTrace], ...]
    bounds: tuple[str, ...]
    """What kept it from seeing everything."""
    unreached_states: tuple[str, ...] = ()
    """States that no part comes to, as `part.STATE`."""
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
