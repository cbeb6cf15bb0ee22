"""What exploring a system found."""

from __future__ import annotations

from attrs import field, frozen

from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.data import Property
from statemachines.model.systems import System, SystemSnapshot
from statemachines.model.verdicts import Verdict, worst


@frozen
class SystemTrace:
    """A run of a system that replays through its step."""

    begin: SystemSnapshot
    steps: tuple[SystemOccurrence, ...]
    back_to: int | None = None
    """Where a run that never ends goes on from after its last step: how many steps lead there."""

    @property
    def snapshots(self) -> tuple[SystemSnapshot, ...]:
        """The snapshots of the run, the first one included."""
        return (self.begin, *(step.answer.after for step in self.steps))


@frozen
class SystemExamined:
    """What exploring says of one property of a system."""

    name: str
    verdict: Verdict
    said: str = ""
    trace: SystemTrace | None = None
    """The shortest counterexample, or the shortest way to a witness."""
    property: Property | None = field(default=None, eq=False, repr=False)
    """None for what is asked of every system."""


@frozen
class SystemExploration:
    """All that was seen of a system within a scope."""

    system: System
    scope: str
    symmetry: bool
    states: int
    transitions: int
    """As (state, event of a part, key, arguments), and deliveries."""
    turned_down: int
    """Events with arguments that no transition took, or that a link forbade."""
    deepest: int
    """Steps to the farthest state."""
    examined: tuple[SystemExamined, ...]
    bounds: tuple[str, ...]
    """What kept it from seeing everything."""
    unreached: tuple[str, ...] = ()
    """States that no part comes to, as `part.STATE`."""
    interrupted: bool = False
    seconds: float = field(default=0.0, eq=False)

    @property
    def verdict(self) -> Verdict:
        """The worst of what was found; INCONCLUSIVE where a bound was hit."""
        return worst([*(one.verdict for one in self.examined), Verdict.INCONCLUSIVE if self.bounds else Verdict.HOLDS])
