"""A random walk through a system: events of its parts, and what waits to be delivered, in any
order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from random import Random

import attrs
from attrs import field, frozen

from statemachines.explore.arguments.value_sampling import (
    NamedValues,
    sample_arguments,
    sample_parameters,
    widened_extent,
)
from statemachines.explore.properties.bound_values import bindings
from statemachines.explore.walks.walk_verdicts import WalkedRun, WalkVerdict, walk_verdicts
from statemachines.model.definitions.snapshots import Forced, Raised, Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.value_types import IdType
from statemachines.semantics.machine.value_enumeration import DomainSizes, default_domain_sizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import SystemTables, system_tables

_MOST_TRIES = 200
"""How many beginnings are drawn where `initially` says which ones are right, and how many events
before a walk is given up.
"""


@frozen
class SystemTraceStep:
    """One event of a walk and what became of it."""

    event: str
    """`part.event`; of a delivery too."""
    key: Value
    arguments: NamedValues
    answer: SystemAnswer
    delivered_from: PendingEvent | None = None
    """Where it waited; None for an event from outside."""
    at_ms: int | None = None
    """When, since the run began; None where time is not counted."""


@frozen
class SystemWalk:
    """A run of a system, the same for the same seed."""

    system: SystemDefinition
    seed: int
    begin: SystemSnapshot
    steps: tuple[SystemTraceStep, ...]
    noticed: tuple[WalkVerdict, ...]
    wrong: tuple[str, ...] = ()
    """Errors of the spec itself."""
    stuck: bool = False
    """Whether it ended early because nothing was found that changes anything."""

    @property
    def snapshots(self) -> tuple[SystemSnapshot, ...]:
        """The snapshots of the run, the first one included."""
        return (self.begin, *(step.answer.after for step in self.steps))

    @property
    def verdict(self) -> Verdict:
        """VIOLATED where a rule is broken that is not expected to be, or the spec is wrong; a walk
        alone never HOLDS.
        """
        broken = any(verdict.verdict is Verdict.VIOLATED for verdict in self.noticed)
        return Verdict.VIOLATED if broken or self.wrong else Verdict.INCONCLUSIVE


def simulate_system(
    system: SystemDefinition,
    *,
    seed: int = 0,
    steps: int = 100,
    parameters: NamedValues | None = None,
    sizes: Mapping[str, int] | None = None,
    begin: SystemSnapshot | None = None,
    without: Iterable[str] = (),
    integers: tuple[int, int] | None = None,
    longest: int | None = None,
) -> SystemWalk:
    """Walk through a system at random and look at its rules on the way.

    Args:
        system: in one release.
        seed: the same seed, system and options give the same walk.
        steps: how many events that change something at most.
        parameters: of the system; those of its `scope` where they are not given, else random ones.
        sizes: `id` type to how many values it has, keys of parts included; those of `scope` where
            they are not given, else two.
        begin: where to begin; None: anywhere that the parts and `initially` allow.
        without: events (`part.event`) that do not come from outside on this walk; links may send
            them.
        integers: the range of integers without bounds, in parts too; see `simulate`.
        longest: the longest list that is drawn, in parts too.

    Returns:
        The walk, with what it says of each property.

    Raises:
        ArgumentsError: no beginning was found.
    """
    random, tables = Random(seed), system_tables(system)
    extent = widened_extent(default_domain_sizes(tables.behaviour), sizes or {}, integers, longest)
    first = begin or random_initial_snapshot(tables, extent, random, parameters or {})
    walk = _SystemWalker(tables, extent, random, first, frozenset(without), integers, longest)
    walk.walk(steps)
    noticed = walk_verdicts(system.data.properties, _walked_run(tables, first, walk))
    return SystemWalk(
        system, seed, first, tuple(walk.steps), noticed, tuple(walk.wrong), walk.stuck
    )


def random_initial_snapshot(
    tables: SystemTables, extent: DomainSizes, random: Random, given: NamedValues
) -> SystemSnapshot:
    """Draw a beginning: parameters, beginnings of the parts, which optional ones are there.

    Args:
        tables: of the system.
        extent: how many values types have.
        random: what draws.
        given: parameters by name; the others are drawn.

    Returns:
        A snapshot in which nothing waits.

    Raises:
        ArgumentsError: none fits what is given.
    """
    keys = {
        part.name: extent.id_values(part.each)
        for part in tables.parts.values()
        if isinstance(part.each, IdType)
    }
    optional = [part.name for part in tables.parts.values() if part.optional]
    last = ArgumentsError(f"no beginning of {tables.title} was found")

    def choose(part: SystemPart, key: Value, snapshots: tuple[Snapshot, ...]) -> Snapshot:
        return random.choice(snapshots)

    for _ in range(_MOST_TRIES):
        sampled = sample_parameters(tables.behaviour, extent, random, given)
        absent = [name for name in optional if random.random() < 0.5]
        try:
            return initial_system_snapshot(
                tables.system, keys=keys, absent=absent, choose=choose, parameters=sampled
            )
        except ArgumentsError as wrong:
            last = wrong
    raise last


@attrs.define
class _SystemWalker:
    """A walk as it is made."""

    tables: SystemTables
    extent: DomainSizes
    random: Random
    current: SystemSnapshot
    excluded_events: frozenset[str] = frozenset()
    integers: tuple[int, int] | None = None
    longest: int | None = None
    steps: list[SystemTraceStep] = field(factory=list)
    wrong: list[str] = field(factory=list)
    stuck: bool = False

    def walk(self, steps: int) -> None:
        while len(self.steps) < steps:
            taken = next(self._visible_steps(), None)
            if taken is None:
                self.stuck = True
                return
            self.steps.append(taken)
            self.current = taken.answer.after

    def _visible_steps(self) -> Iterator[SystemTraceStep]:
        """Yield what does something: in a random order, each event and each delivery once, then
        events with other arguments.
        """
        choices: list[tuple[str, Value, str] | PendingEvent] = [
            *self._part_events(),
            *possible_fates(self.tables, self.current.waiting),
        ]
        for _ in range(4):
            self.random.shuffle(choices)
            for chosen in choices:
                taken = (
                    self._try_delivery(chosen)
                    if isinstance(chosen, PendingEvent)
                    else self._try_event(*chosen)
                )
                if taken is not None:
                    yield taken

    def _part_events(self) -> Iterator[tuple[str, Value, str]]:
        """Yield each event of each part, with the part's name and key."""
        for name, tables in self.tables.tables.items():
            held = self.current.parts[name]
            keys: tuple[Value, ...] = (
                tuple(held) if isinstance(held, Mapping) else () if held is None else (None,)
            )
            for key, event in itertools.product(keys, tables.events):
                if f"{name}.{event}" not in self.excluded_events:
                    yield name, key, event

    def _try_event(self, name: str, key: Value, event: str) -> SystemTraceStep | None:
        whole = self.current.parts[name]
        held = whole[key] if isinstance(whole, Mapping) else whole
        assert held is not None
        tables = self.tables.tables[name]
        extent = widened_extent(
            default_domain_sizes(tables.behaviour), self.extent.sizes, self.integers, self.longest
        )
        arguments = sample_arguments(tables.behaviour, extent, held, event, self.random)
        if arguments is None:
            return None
        answer = step_system(
            self.tables.system, self.current, f"{name}.{event}", key=key, **arguments
        )
        return self._visible_step(SystemTraceStep(f"{name}.{event}", key, arguments, answer))

    def _try_delivery(self, pending: PendingEvent) -> SystemTraceStep | None:
        if pending not in set(possible_fates(self.tables, self.current.waiting)):
            return None
        given = self.current.waiting[place_of(pending)]
        answer = deliver_event(self.tables.system, self.current, pending)
        event = delivered_event(self.tables, pending)
        return self._visible_step(SystemTraceStep(event, pending.receiver, given, answer, pending))

    def _visible_step(self, taken: SystemTraceStep) -> SystemTraceStep | None:
        """Keep what is wrong with the spec; None where nothing came of an event."""
        self.wrong += [
            spec_error for spec_error in taken.answer.spec_errors if spec_error not in self.wrong
        ]
        forced = any(isinstance(step.answer, Forced) for step in taken.answer.steps)
        return taken if forced or taken.answer.after != self.current else None


def _walked_run(
    tables: SystemTables, begin: SystemSnapshot, walk: _SystemWalker
) -> WalkedRun[SystemSnapshot]:
    """Return what properties look at of a walk."""
    snapshots = (begin, *(trace_step.answer.after for trace_step in walk.steps))
    raised = (
        index
        for index, trace_step in enumerate(walk.steps)
        if any(isinstance(step.answer, Raised) for step in trace_step.answer.steps)
    )
    return WalkedRun(
        snapshots,
        next(raised, len(walk.steps)),
        ends_badly=walk.stuck and not may_stop(tables, snapshots[-1]),
        holds=tables.holds,
        bindings=lambda each: bindings(each, tables.behaviour, walk.extent),
    )


def delivered_event(tables: SystemTables, pending: PendingEvent) -> str:
    """Return what waits, as `part.event`.

    Args:
        tables: of the system.
        pending: link, sender and receiver.

    Returns:
        A name.
    """
    send = tables.link_of[pending.link].send
    assert send is not None
    return f"{send.part}.{send.event}"


def may_stop(tables: SystemTables, snapshot: SystemSnapshot) -> bool:
    """Tell whether it is legal to stop: where `final` holds, or where every part is in a final
    state and nothing waits.

    Args:
        tables: of the system.
        snapshot: where it is.

    Returns:
        False where it must go on.
    """
    final = tables.system.data.final
    if final is not None and tables.holds(final, snapshot):
        return True
    return not snapshot.waiting and all(
        bool(tables.tables[name].final >> tables.tables[name].state_index[part_snapshot.state] & 1)
        for name, held in snapshot.parts.items()
        for part_snapshot in (
            held.values() if isinstance(held, Mapping) else () if held is None else (held,)
        )
    )
