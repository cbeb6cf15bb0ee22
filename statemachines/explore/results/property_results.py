"""What exploring says of one property."""

from __future__ import annotations

from typing import Generic, TypeVar

from attrs import field, frozen

from statemachines.explore.results.abstract_runs import AbstractRun
from statemachines.model.definitions.data_definitions import Property
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict, worst_verdict

AnyTrace = TypeVar("AnyTrace")
"""A run of a machine or of a system."""


@frozen
class PropertyResult(Generic[AnyTrace]):
    """What exploring says of one property of a machine or a system."""

    name: str
    verdict: Verdict
    said: str = ""
    trace: AnyTrace | None = None
    """The shortest counterexample, or the shortest way to a witness."""
    property: Property | None = field(default=None, eq=False, repr=False)
    """None for what is asked of every machine or system."""
    abstract: AbstractRun | None = None
    """Of a refinement: the other side of the trace."""


@frozen(kw_only=True)
class Exploration(Generic[AnyTrace]):
    """All that was seen of a machine or a system within a scope."""

    definition: MachineDefinition | SystemDefinition
    """What was explored, in one release."""
    copies: int = 1
    """How many of a machine stepped side by side."""
    scope: str
    """What was explored, such as `RM=3`."""
    symmetry: bool
    states: int
    """Those beyond the state constraint left out."""
    transitions: int
    """As (state, event, arguments); of a system with the part, its key, and deliveries too."""
    disabled: int
    """(state, event, arguments) that no transition took, or that a link forbade."""
    depth: int
    """Steps to the farthest state."""
    examined: tuple[PropertyResult[AnyTrace], ...]
    bounds: tuple[str, ...]
    """What kept it from seeing everything; none: it saw all there is within the scope."""
    unreached_states: tuple[str, ...] = ()
    """States that no run within the scope comes to; of a part, as `part.STATE`."""
    untaken_transitions: tuple[Transition, ...] = ()
    """Transitions of a machine that no run within the scope takes."""
    interrupted: bool = False
    constraint: str = ""
    """The state constraint of the scope, where it left out some state; else empty."""
    beyond_constraint: int = 0
    """States that were looked at and not gone on from, as the state constraint does not hold."""
    time_unit_ms: int = 0
    """Of discrete time, where clocks were counted; 0: time may take its steps at any moment."""
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
