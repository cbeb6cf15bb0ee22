"""What the passes work on: a document on its way to a spec."""

from __future__ import annotations

from pathlib import Path

from attrs import Factory, define, frozen

from statemachines.model.data import Data
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
    versions: tuple[tuple[Releases, Data], ...] = ()
    """The data of each class of releases in which it is the same."""
    base_lines: int = 0
    """How many lines the extended machine has, for an extension."""

    _known: tuple[tuple[State, ...], dict[str, Releases]] = ((), {})
    """Releases of each state's name, and the states that they were taken from."""

    def state_names(self) -> tuple[str, ...]:
        """Return each state's name once, in the author's order."""
        return tuple(self._names())

    def releases_of(self, state: str) -> Releases:
        """Return the releases that have a state."""
        return self._names().get(state, 0)

    def _names(self) -> dict[str, Releases]:
        if self._known[0] is not self.states:
            masks: dict[str, Releases] = {}
            for found in self.states:
                masks[found.name] = masks.get(found.name, 0) | found.releases
            self._known = (self.states, masks)
        return self._known[1]
