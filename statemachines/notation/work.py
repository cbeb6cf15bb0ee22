"""What the passes work on: a document on its way to a spec."""

from __future__ import annotations

from pathlib import Path

from attrs import Factory, define, frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import FamilyLog, Line, Log
from statemachines.model.machines import Event, Otherwise, Predicate, State, Transition
from statemachines.model.releases import NAMELESS, Family, Releases
from statemachines.notation.nodes import Mapping


@frozen
class Arrow:
    """A transition and the nodes that it was read from; the data part finds guard, effect and results there."""

    transition: Transition
    entry: Mapping
    """The entry of `transitions:`, or the value of `events:` that carries an operation."""
    case: Mapping | None = None
    """The entry of its `cases:`, for one outcome of several."""


@frozen
class Known:
    """A family with what its lines tell."""

    family: Family
    log: FamilyLog | None


@define
class Work:
    """A document and what the passes have made of it so far; each pass fills in its own fields."""

    root: Mapping
    kind: str
    file: str
    name: str
    path: Path | None = None
    """Where the file lies; None for a text that was handed over."""
    specs: Path | None = None
    """The folder of catalogue names."""
    families: dict[Path, tuple[Known | None, tuple[Diagnostic, ...]]] = Factory(dict)
    """Families that were read already."""
    family: Family = NAMELESS
    family_log: FamilyLog | None = None
    releases: Releases = 1
    states: tuple[State, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    events: tuple[Event, ...] = ()
    event_nodes: tuple[Mapping, ...] = ()
    """Parallel to `events`; an empty mapping for an event without value."""
    arrows: tuple[Arrow, ...] = ()
    otherwise: tuple[Otherwise, ...] = ()
    lines: tuple[Line, ...] = ()
    log: Log | None = None
    base_lines: int = 0
    """How many lines the extended machine has, for an extension."""

    def state_names(self) -> tuple[str, ...]:
        """Return each state's name once, in the author's order."""
        return tuple(dict.fromkeys(state.name for state in self.states))

    def releases_of(self, state: str) -> Releases:
        """Return the releases that have a state."""
        mask = 0
        for found in self.states:
            if found.name == state:
                mask |= found.releases
        return mask
