"""A system: machines together, and what a step of one does to others. A value, in the author's order."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from statemachines.model.data import NO_DATA, Assignment, Data
from statemachines.model.expressions import Expression
from statemachines.model.machines import Machine, Spec
from statemachines.model.places import Span
from statemachines.model.releases import Family, Releases
from statemachines.model.snapshots import Answer, Snapshot, Value
from statemachines.model.types import RecordType, Type


@frozen
class Part:
    """One machine of a system, or one for each value of a type."""

    name: str
    machine: str
    """Its catalogue name."""
    looks: RecordType
    """What expressions see of one: its state, parameters, variables and predicates."""
    each: Type | None = None
    """There is one for each value of it."""
    optional: bool = False
    """It may be absent, for the whole life of an instance."""
    given: tuple[tuple[str, Expression], ...] = ()
    """Its parameters; they see those of the system, and `key`."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Send:
    """An event for another part."""

    part: str
    event: str
    key: Expression | None = None
    """Which one; None: every one, or the only one."""
    arguments: tuple[tuple[str, Expression], ...] = ()


@frozen
class Link:
    """What one part's step does to others, or what it needs of them."""

    number: int
    """Its place in the author's list, from 0: the same in every release."""
    on: str
    """The part whose step fires it."""
    enters: tuple[str, ...] | None = None
    leaves: tuple[str, ...] | None = None
    event: str | None = None
    guard: Expression | None = None
    send: Send | None = None
    effect: tuple[Assignment, ...] = ()
    only_if: Expression | None = None
    """The step is forbidden unless this holds before it."""
    later: bool = False
    """What is sent waits, and is delivered in any order."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Wiring:
    """What a system is in a class of releases in which it is the same."""

    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    data: Data = NO_DATA


@frozen
class SystemSpec:
    """A system in all its releases, as one file says it."""

    name: str
    family: Family
    releases: Releases
    machines: tuple[tuple[str, Spec], ...]
    """Catalogue name to the machine, each once."""
    versions: tuple[tuple[Releases, Wiring], ...]
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""


@frozen
class System:
    """A system in one release."""

    name: str
    release: str
    """Empty for a system without a family."""
    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    machines: tuple[tuple[str, Machine], ...]
    """Name of a part to its machine."""
    data: Data = NO_DATA
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""


Held = Snapshot | Mapping[Value, Snapshot] | None
"""What a system holds of a part: one snapshot, one for each key, or None where it is absent."""


@frozen(order=False)
class Waiting:
    """The place of one event that is to be delivered later: at most one waits at a place."""

    link: int
    """The number of the link that sent it."""
    sender: Value = None
    """The key of the part that fired the link."""
    receiver: Value = None
    """The key of the part that will get it."""


@frozen
class SystemSnapshot:
    """A system at one moment."""

    parts: Mapping[str, Held]
    variables: Mapping[str, Value] = field(factory=dict)
    """What is shared: links alone change it."""
    parameters: Mapping[str, Value] = field(factory=dict)
    waiting: Mapping[Waiting, Mapping[str, Value]] = field(factory=dict)
    """What is to be delivered, with its arguments."""


@frozen
class PartStep:
    """What became of one event at one part."""

    part: str
    key: Value
    """Which one; None where there is one only."""
    event: str
    arguments: Mapping[str, Value]
    answer: Answer
    link: int | None = None
    """The number of the link that sent it; None for the event that came from outside."""


@frozen
class SystemAnswer:
    """What became of an event of a system."""

    after: SystemSnapshot
    steps: tuple[PartStep, ...]
    """The event's own step, then those of all that was sent, in the order in which they happened."""
    wrong: tuple[str, ...] = ()
    """Errors of the spec: a shared variable would leave its type, or what a link sends does not fit its receiver."""
