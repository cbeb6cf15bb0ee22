"""A machine: states, transitions and what becomes of every other request.

A value, in the author's order.
"""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping

from attrs import field

from statemachines.model.definitions.data_definitions import (
    EMPTY_DATA,
    Case,
    MachineData,
    Signature,
)
from statemachines.model.definitions.log_definitions import FamilyLog, LogDefinition, TimeLimit
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.values import frozen


class FallbackKind(enum.StrEnum):
    """What a system does with an event that no transition takes."""

    IGNORE = "ignore"
    REFUSE = "refuse"
    RAISE = "raise"
    FORCE = "force"


@frozen
class State:
    """A control point of a machine."""

    name: str
    initial: bool = False
    final: bool = False
    spellings: tuple[str, ...] = ()
    """Other spellings in logs (`as:`)."""
    group: str | None = None
    doc: str = ""
    releases: ReleaseSet = 1
    """The releases that have it."""
    within: TimeLimit | None = None
    """How long an instance may be in it."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Transition:
    """One source, one target, one event; a list in the spec is several transitions."""

    source: str
    target: str
    """The same as `source` where the spec names none."""
    event: str
    """`to_<TARGET>` where the spec names none."""
    by: tuple[str, ...] = ()
    silent: bool = False
    taken: bool = True
    after_ms: int = 0
    """Time takes it, when the instance has been in `source` so long; 0: only who asks for it."""
    restarts: bool = False
    """It leads back to a state in which time takes steps, and the spec names that state: it enters
    it anew, and the time there begins again. False where it only stays, and wherever nothing is
    timed.
    """
    case: Case | None = None
    """Guard, effect, results of a machine with data; None for a plain transition."""
    doc: str = ""
    citation: str = ""
    """Where it was taken from (`source:` of the spec): class, file, paper, URL."""
    entry: int = 0
    """Which entry of the spec's list it comes from, from 0; below 0: the event itself, which is an
    operation of all states.
    """
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)


def requested_state(event: str, states: Container[str]) -> str | None:
    """Return the state that an event asks for by its name; None for one that only looks like it,
    and for any other name.

    Args:
        event: its name.
        states: names of the machine's states.

    Returns:
        The name of a state, or None.

    >>> [requested_state(event, {"OPEN"}) for event in ("to_OPEN", "to_do", "push")]
    ['OPEN', None, None]
    """
    named = event.removeprefix("to_")
    return named if named != event and named in states else None


def state_moves(transitions: tuple[Transition, ...]) -> tuple[Transition, ...]:
    """Return the transitions that are moves between states: of a machine that has a table of moves,
    those of the table.

    The table is the transitions `to_<TARGET>`. Where there is one, the other events are what is
    called, or happens: they may take two moves of the table in one call, or none. A log, a picture
    and the question whether a move is legal ask the table. An event that carries no data and leads
    where the table does not is a move of its own; so is one with data that leads where no moves of
    the table do, one after another.

    Args:
        transitions: all of a machine.

    Returns:
        Transitions in the same order.

    >>> table = Transition("LOCKED", "OPEN", "to_OPEN")
    >>> call = Transition("OPEN", "OPEN", "push", case=Case())
    >>> [move.event for move in state_moves((table, call))]
    ['to_OPEN']
    >>> [move.event for move in state_moves((call,))]
    ['push']
    """
    table = {
        (transition.source, transition.target)
        for transition in transitions
        if transition.event == f"to_{transition.target}"
    }
    if not table:
        return transitions
    reached = {source: _reached_by_moves(table, source) for source, _ in table}
    return tuple(transition for transition in transitions if _is_move(transition, table, reached))


def _is_move(
    transition: Transition, table: set[tuple[str, str]], reached: Mapping[str, set[str]]
) -> bool:
    source, target = transition.source, transition.target
    if transition.event == f"to_{target}":
        return True
    if source == target or (source, target) in table:
        return False
    return transition.case is None or target not in reached.get(source, ())


def _reached_by_moves(table: set[tuple[str, str]], first: str) -> set[str]:
    """Return where the moves of a table lead from a state, one after another."""
    reached, ahead = {first}, {first}
    while ahead:
        ahead = {target for source, target in table if source in ahead} - reached
        reached |= ahead
    return reached


@frozen
class Otherwise:
    """What becomes of an event that no transition takes; the first entry that matches counts."""

    does: FallbackKind
    error: str | None = None
    """The exception's name, for `raise`."""
    sources: tuple[str, ...] | None = None
    """States in which it counts; None: all."""
    targets: tuple[str, ...] | None = None
    """For events `to_<TARGET>` of these targets; None: all events."""
    event: str | None = None
    doc: str = ""
    entry: int = 0
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)
    quiet: bool = False
    """Whether it happens all the time: a report of logs has no word of it."""


@frozen
class Predicate:
    """A named set of states."""

    name: str
    states: tuple[str, ...]
    doc: str = ""
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Event:
    """Something that may arrive; events of plain transitions are declared by their use."""

    name: str
    doc: str = ""
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)
    signature: Signature | None = None
    """Its arguments; None for an event without."""
    target: str | None = None
    """The state that it asks for, as its declaration says; None where its name or its transitions
    tell.
    """


@frozen
class SpecDefinition:
    """A machine in all its releases, as one file says it.

    States, transitions and the rest carry the releases that have them;
    `notation.resolve.machine_of(spec, release)` keeps those of one release. A thing that is said
    differently in two ranges stands here twice, with disjoint `releases`.
    """

    name: str
    """The catalogue name: the path below `specs/` without its ending."""
    family: ReleaseFamily
    releases: ReleaseSet
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    otherwise: tuple[Otherwise, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    events: tuple[Event, ...] = ()
    data: MachineData = EMPTY_DATA
    log: LogDefinition | None = None
    doc: str = ""
    source: str = ""
    file: str = ""
    """The spec's path as reports name it (`shop/Order.yaml`, below the specs folder)."""
    sha256: str = ""
    """Of the file's bytes."""
    family_log: FamilyLog | None = None
    """What the family's lines tell of its processes; the same for all machines of a family."""
    versions: tuple[tuple[ReleaseSet, MachineData], ...] = ()
    """The data of each class of releases in which it is the same; none for a table of moves."""
    abstracts: tuple[tuple[str, SpecDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""

    def state(self, name: str) -> State | None:
        """Return the first state of this name, in any release.

        Args:
            name: as the spec has it.

        Returns:
            The state, or None.
        """
        return next((state for state in self.states if state.name == name), None)


@frozen
class MachineDefinition:
    """A spec in one release, with nothing of other releases left in it."""

    name: str
    release: str
    """Empty for a machine without a family."""
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    otherwise: tuple[Otherwise, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    events: tuple[Event, ...] = ()
    """Declared or used, each once, in the order of first mention."""
    data: MachineData = EMPTY_DATA
    log: LogDefinition | None = None
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""
    abstracts: tuple[tuple[str, MachineDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""

    @property
    def moves(self) -> tuple[Transition, ...]:
        """The transitions that are moves between states: `transitions` without the operations of a
        machine that has a table of moves.
        """
        return state_moves(self.transitions)
