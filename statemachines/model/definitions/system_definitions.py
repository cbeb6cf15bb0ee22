"""A system: machines together, and what a step of one does to others.

A value, in the author's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from attrs import field

from statemachines.model.definitions.data_definitions import EMPTY_DATA, Assignment, MachineData
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.definitions.snapshots import Answer, Snapshot, Value
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import RecordType, SetType, Type, base_type
from statemachines.model.values import frozen


@frozen
class SystemPart:
    """One machine of a system, or one for each value of a type."""

    name: str
    machine: str
    """Its catalogue name."""
    record_type: RecordType
    """What expressions see of one: its state, parameters, variables and predicates."""
    each: Type | None = None
    """There is one for each value of it."""
    optional: bool = False
    """It may be absent, for the whole life of an instance."""
    parameters: tuple[tuple[str, Expression], ...] = ()
    """Its parameters; they see those of the system, and `key`."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)
    is_created: bool = False
    """None is there at the beginning: links create them, each under a key."""
    ends: tuple[str, ...] = ()
    """States in which one that was created is there no longer."""


@frozen
class CreatedPart:
    """One more of a part."""

    part: str
    key: Expression


@frozen
class SentEvent:
    """An event for another part."""

    part: str
    event: str
    key: Expression | None = None
    """Which one, or a set of them; None: every one, or the only one."""
    arguments: tuple[tuple[str, Expression], ...] = ()

    @property
    def is_for_a_set(self) -> bool:
        """Whether the key is a set of those that get it."""
        return self.key is not None and isinstance(base_type(self.key.type), SetType)


class WhenFull(StrEnum):
    """What becomes of an event that is sent to a queue that holds no more."""

    REFUSE = "refuse"
    """What would send it is refused as a whole."""
    DROP_NEW = "drop new"
    """It is lost; all else that comes of the step happens."""
    DROP_OLD = "drop old"
    """The one that has waited longest is lost, and this one waits."""


@frozen
class Channel:
    """Queues between parts, one from each sender to each receiver: what is sent through it waits
    there and arrives in its order, as far as the channel is to be trusted.
    """

    name: str
    holds: int
    """How much waits in one queue at most; 0: nothing does, it is taken as it is sent."""
    loses: bool = False
    repeats: bool = False
    """What arrives may arrive again."""
    reorders: bool = False
    """What was sent later may arrive first."""
    full: WhenFull = WhenFull.REFUSE
    shared: bool = False
    """Whether a receiver has one queue for all senders; then nobody remembers who has sent what."""
    keeps_refused: bool = False
    """Whether what its receiver refuses goes on waiting, as if it had not been delivered."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Link:
    """What one part's step does to others, or what it needs of them."""

    index: int
    """Its place in the author's list, from 0: the same in every release."""
    on: str
    """The part whose step fires it."""
    enters: tuple[str, ...] | None = None
    leaves: tuple[str, ...] | None = None
    event: str | None = None
    guard: Expression | None = None
    send: SentEvent | None = None
    effect: tuple[Assignment, ...] = ()
    only_if: Expression | None = None
    """The step is forbidden unless this holds before it."""
    deferred: bool = False
    """What is sent waits: in any order, or in a channel."""
    channel: str | None = None
    """Where it waits; None: at most one waits, the newest."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)
    create: CreatedPart | None = None
    """What is there from now on; where it is there already, the event is refused as a whole."""
    begins: bool = False
    """No step fires it: what it sends waits when the system begins, once for each `on`."""
    hands_over: bool = False
    """Its channel holds nothing: the receiver takes what is sent, or the step is refused."""


@frozen
class SameVariable:
    """One variable that several parts have: what a step of one writes, all others read."""

    name: str
    members: tuple[tuple[str, str], ...]
    """Parts and what each calls it; the first one says how it begins."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class SystemVersion:
    """What a system is in a class of releases in which it is the same."""

    parts: tuple[SystemPart, ...]
    links: tuple[Link, ...]
    data: MachineData = EMPTY_DATA
    same: tuple[SameVariable, ...] = ()
    channels: tuple[Channel, ...] = ()


@frozen
class SystemSpecDefinition:
    """A system in all its releases, as one file says it."""

    name: str
    family: ReleaseFamily
    releases: ReleaseSet
    machines: tuple[tuple[str, SpecDefinition], ...]
    """Catalogue name to the machine, each once."""
    versions: tuple[tuple[ReleaseSet, SystemVersion], ...]
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""
    abstracts: tuple[tuple[str, SpecDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""


@frozen
class SystemDefinition:
    """A system in one release."""

    name: str
    release: str
    """Empty for a system without a family."""
    parts: tuple[SystemPart, ...]
    links: tuple[Link, ...]
    machines: tuple[tuple[str, MachineDefinition], ...]
    """Name of a part to its machine."""
    data: MachineData = EMPTY_DATA
    doc: str = ""
    source: str = ""
    file: str = ""
    sha256: str = ""
    same: tuple[SameVariable, ...] = ()
    abstracts: tuple[tuple[str, MachineDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""
    channels: tuple[Channel, ...] = ()


PartSnapshots = Snapshot | Mapping[Value, Snapshot] | None
"""What a system holds of a part: one snapshot, one for each key, or None where it is absent."""


class DeliveryOutcome(StrEnum):
    """What becomes of an event that waits."""

    DELIVERED = "delivered"
    REPEATED = "repeated"
    """Delivered, and it goes on waiting."""
    LOST = "lost"


@frozen(order=False)
class PendingEvent:
    """The place of one event that is to be delivered later: at most one waits at a place."""

    link: int
    """The number of the link that sent it."""
    sender: Value = None
    """The key of the part that fired the link."""
    receiver: Value = None
    """The key of the part that will get it."""
    position: int = 0
    """In its queue, where it waits in a channel: the first one is 0."""
    fate: DeliveryOutcome = field(default=DeliveryOutcome.DELIVERED, converter=DeliveryOutcome)
    """What is to become of it, where somebody asks for that; where it waits, nothing is said."""


@frozen
class SystemSnapshot:
    """A system at one moment."""

    parts: Mapping[str, PartSnapshots]
    variables: Mapping[str, Value] = field(factory=dict)
    """What is shared: links alone change it."""
    parameters: Mapping[str, Value] = field(factory=dict)
    waiting: Mapping[PendingEvent, Mapping[str, Value]] = field(factory=dict)
    """What is to be delivered, with its arguments."""


@frozen
class PartStep:
    """What became of one event at one part."""

    part: str
    key: Value
    """Which one; None where there is one only."""
    event: str
    arguments: Mapping[str, Value]
    before: Snapshot
    """The part before it."""
    answer: Answer
    link: int | None = None
    """The number of the link that sent it; None for the event that came from outside."""


@frozen
class SystemAnswer:
    """What became of an event of a system."""

    after: SystemSnapshot
    steps: tuple[PartStep, ...]
    """The event's own step, then those of all that was sent, in the order in which they happened.
    """
    spec_errors: tuple[str, ...] = ()
    """Errors of the spec: a shared variable would leave its type, or what a link sends does not fit
    its receiver.
    """
    created: tuple[tuple[str, Value], ...] = ()
    """The parts that are there since, with their keys."""
    ended: tuple[tuple[str, Value], ...] = ()
    """The parts that are there no longer."""
