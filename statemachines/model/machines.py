"""A machine: states, transitions and what becomes of every other request. A value, in the author's order."""

from __future__ import annotations

import enum
from collections.abc import Container

from attrs import field, frozen

from statemachines.model.data import NO_DATA, Case, Data, Signature
from statemachines.model.loglines import FamilyLog, Log
from statemachines.model.places import Span
from statemachines.model.releases import Family, Releases


class Does(enum.StrEnum):
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
    releases: Releases = 1
    """The releases that have it."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Transition:
    """One arrow: one source, one target, one event (a list in the spec is several arrows)."""

    source: str
    target: str
    """The same as `source` where the spec names none."""
    event: str
    """`to_<TARGET>` where the spec names none."""
    by: tuple[str, ...] = ()
    silent: bool = False
    taken: bool = True
    case: Case | None = None
    """Guard, effect, results of a machine with data; None for a plain arrow."""
    doc: str = ""
    source_of: str = ""
    """Where it was taken from (`source:` of the spec): class, file, paper, URL."""
    entry: int = 0
    """Which entry of the spec's list it comes from, from 0."""
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)


def asks_for(event: str, states: Container[str]) -> str | None:
    """Return the state that an event asks for by its name; None for one that only looks like it, and for any other name.

    >>> asks_for("to_OPEN", {"OPEN"}), asks_for("to_do", {"OPEN"}), asks_for("push", {"OPEN"})
    ('OPEN', None, None)
    """
    named = event.removeprefix("to_")
    return named if named != event and named in states else None


def moves_of(transitions: tuple[Transition, ...]) -> tuple[Transition, ...]:
    """Return the arrows that are moves between states: of a machine that has a table of moves, those of the table.

    The table are the arrows `to_<TARGET>`. Where there is one, the other events are what is called, or happens: they may take two moves of
    the table in one call, or none. A log, a picture and the question whether a move is legal ask the table. An event that carries no data
    and leads where the table does not is a move of its own.

    >>> table, call = Transition("LOCKED", "OPEN", "to_OPEN"), Transition("OPEN", "OPEN", "push", case=Case())
    >>> [arrow.event for arrow in moves_of((table, call))], [arrow.event for arrow in moves_of((call,))]
    (['to_OPEN'], ['push'])
    """
    table = {(arrow.source, arrow.target) for arrow in transitions if arrow.event == f"to_{arrow.target}"}
    return tuple(arrow for arrow in transitions if _is_move(arrow, table)) if table else transitions


def _is_move(arrow: Transition, table: set[tuple[str, str]]) -> bool:
    if arrow.event == f"to_{arrow.target}":
        return True
    return arrow.case is None and arrow.source != arrow.target and (arrow.source, arrow.target) not in table


@frozen
class Otherwise:
    """What becomes of an event that no transition takes; the first entry that matches counts."""

    does: Does
    error: str | None = None
    """The exception's name, for `raise`."""
    sources: tuple[str, ...] | None = None
    """States in which it counts; None: all."""
    targets: tuple[str, ...] | None = None
    """For events `to_<TARGET>` of these targets; None: all events."""
    event: str | None = None
    doc: str = ""
    entry: int = 0
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Predicate:
    """A named set of states."""

    name: str
    states: tuple[str, ...]
    doc: str = ""
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Event:
    """Something that may arrive; events of plain arrows are declared by their use."""

    name: str
    doc: str = ""
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)
    signature: Signature | None = None
    """Its arguments; None for an event without."""


@frozen
class Spec:
    """A machine in all its releases, as one file says it.

    States, transitions and the rest carry the releases that have them; `notation.resolve.machine_of(spec, release)` keeps those of one
    release. A thing that is said differently in two ranges stands here twice, with disjoint `releases`.
    """

    name: str
    """The catalogue name: the path below `specs/` without its ending."""
    family: Family
    releases: Releases
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    otherwise: tuple[Otherwise, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    events: tuple[Event, ...] = ()
    data: Data = NO_DATA
    log: Log | None = None
    doc: str = ""
    source: str = ""
    file: str = ""
    """The spec's path as reports name it (`shop/Order.yaml`, below the specs folder)."""
    sha256: str = ""
    """Of the file's bytes."""
    family_log: FamilyLog | None = None
    """What the family's lines tell of its processes; the same for all machines of a family."""
    versions: tuple[tuple[Releases, Data], ...] = ()
    """The data of each class of releases in which it is the same; none for a table of moves."""

    def state(self, name: str) -> State | None:
        """Return the first state of this name, in any release."""
        return next((state for state in self.states if state.name == name), None)


@frozen
class Machine:
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
    data: Data = NO_DATA
    log: Log | None = None
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""

    @property
    def moves(self) -> tuple[Transition, ...]:
        """The arrows that are moves between states: `transitions` without the operations of a machine that has a table of moves."""
        return moves_of(self.transitions)
