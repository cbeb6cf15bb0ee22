"""A random walk: a machine or a system tried out within its scope, its properties looked at on the
way.

A walk shows what is wrong; what it does not meet, it says nothing of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from random import Random
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.properties.bound_values import bindings
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.scopes import DEFAULT_SCOPE, ExplorationScope
from statemachines.explore.walks.walk_verdicts import (
    WalkedRun,
    WalkVerdict,
    condition_holds,
    walk_verdicts,
)
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import (
    Answer,
    Forced,
    NamedValues,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.arguments.value_sampling import (
    fitting_arguments,
    sample_arguments,
    sample_parameters,
    widened_extent,
)
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes, default_domain_sizes
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.random_beginnings import random_initial_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import SystemTables, system_tables

_TRIES_PER_EVENT = 4
"""How often each event is tried with random arguments before all arguments are gone through."""


@frozen
class RandomWalk:
    """A run of a machine or of a system, the same for the same seed."""

    seed: int
    begin: Any
    steps: tuple[TraceStep, ...]
    noticed: tuple[WalkVerdict, ...]
    """What it says of each property."""
    wrong: tuple[str, ...] = ()
    """Errors of the spec itself: a variable would leave its type."""
    stuck: bool = False
    """Whether it ended early because nothing was found that changes anything."""
    refused: Mapping[str, int] = field(factory=dict)
    """Event to how often nothing came of it on the way."""

    @property
    def snapshots(self) -> tuple[Any, ...]:
        """The snapshots of the run, the first one included."""
        return (self.begin, *(step.answer.after for step in self.steps))

    @property
    def verdict(self) -> Verdict:
        """VIOLATED where a property is broken that is not expected to be, or the spec is wrong; a
        walk alone never HOLDS.
        """
        broken = any(verdict.verdict is Verdict.VIOLATED for verdict in self.noticed)
        return Verdict.VIOLATED if broken or self.wrong else Verdict.INCONCLUSIVE


def simulate(
    definition: MachineDefinition | SystemDefinition,
    scope: ExplorationScope = DEFAULT_SCOPE,
    *,
    seed: int = 0,
    steps: int = 100,
    begin: Snapshot | SystemSnapshot | None = None,
    without: Iterable[str] = (),
) -> RandomWalk:
    """Walk through a machine or a system at random.

    Args:
        definition: in one release.
        scope: what is said beside the spec's own; parameters that neither names are drawn.
        seed: the same seed, definition and options give the same walk.
        steps: how many events that change something, or that a machine answers with an error, at
            most.
        begin: where the walk begins, with its parameters, in place of a beginning that is drawn.
        without: events (`part.event`) that do not come from outside; links may send them.

    Returns:
        The walk, with what it says of each property.

    Raises:
        ArgumentsError: no parameters fit, or nothing may begin with them.
    """
    walked: _Walked = (
        _WalkedSystem(definition, scope, frozenset(without))
        if isinstance(definition, SystemDefinition)
        else _WalkedMachine(definition, scope)
    )
    random = Random(seed)
    first = begin or walked.initial_snapshot(random, scope.parameters)
    walk = _Walker(walked, random, first)
    walk.walk(steps)
    return RandomWalk(
        seed,
        first,
        tuple(walk.steps),
        walk_verdicts(definition.data.properties, _walked_run(walked, first, walk)),
        tuple(walk.wrong),
        walk.stuck,
        walk.refused,
    )


@define
class _Walker:
    """A walk as it is made."""

    walked: _Walked
    random: Random
    now: Any
    steps: list[TraceStep] = field(factory=list)
    wrong: dict[str, None] = field(factory=dict)
    refused: dict[str, int] = field(factory=dict)
    stuck: bool = False

    def walk(self, steps: int) -> None:
        while len(self.steps) < steps and not self.stuck:
            step = next(filter(self._comes_to_something, self._attempts()), None)
            if step is None:
                self.stuck = True
            else:
                self.steps.append(step)
                self.now = step.answer.after

    def _attempts(self) -> Iterator[Any]:
        return self.walked.attempts(self.now, self.random)

    def _comes_to_something(self, step: Any) -> bool:
        """Keep what is wrong with the spec, and what nothing came of."""
        self.wrong |= dict.fromkeys(self.walked.spec_errors(step))
        if self.walked.is_visible(self.now, step):
            return True
        self.refused[step.event] = self.refused.get(step.event, 0) + 1
        return False


def _walked_run(walked: _Walked, begin: Any, walk: _Walker) -> WalkedRun[Any]:
    """Return what properties look at of a walk."""
    raised = (
        index
        for index, step in enumerate(walk.steps)
        if any(isinstance(answer, Raised) for answer in walked.answers(step))
    )
    return WalkedRun(
        (begin, *(step.answer.after for step in walk.steps)),
        next(raised, len(walk.steps)),
        ends_badly=walk.stuck and not walked.may_stop(walk.now),
        holds=walked.holds,
        bindings=lambda each: bindings(each, walked.tables.behaviour, walked.extent),
    )


def _extent_within(
    behaviour: Behaviour, scope: ExplorationScope, sizes: Mapping[str, int]
) -> DomainSizes:
    base = default_domain_sizes(behaviour)
    return widened_extent(base, sizes, scope.integers, scope.longest)


@define(slots=False)
class _WalkedMachine:
    """A machine that is walked through."""

    machine: MachineDefinition
    scope: ExplorationScope

    @cached_property
    def tables(self) -> MachineTables:
        """Of the machine."""
        return machine_tables(self.machine)

    @cached_property
    def extent(self) -> DomainSizes:
        """How many values types have."""
        return _extent_within(self.tables.behaviour, self.scope, self.scope.sizes)

    def initial_snapshot(self, random: Random, given: NamedValues) -> Snapshot:
        """Draw a beginning with some parameters given."""
        sampled = sample_parameters(self.tables.behaviour, self.extent, random, given)
        return random.choice(initial_snapshots(self.machine, **sampled))

    def attempts(self, now: Snapshot, random: Random) -> Iterator[TraceStep]:
        """Yield each event with random arguments; then, where luck found none that does something,
        all arguments of all events.
        """
        events = list(self.tables.events) * _TRIES_PER_EVENT
        random.shuffle(events)
        for event in events:
            arguments = sample_arguments(self.tables.behaviour, self.extent, now, event, random)
            if arguments is not None:
                yield self._attempt(now, event, arguments)
        for event in self.tables.events:
            for arguments in fitting_arguments(self.tables.behaviour, self.extent, now, event):
                yield self._attempt(now, event, arguments)

    def _attempt(self, now: Snapshot, event: str, arguments: NamedValues) -> TraceStep:
        return TraceStep(event, arguments, unchecked_step(self.tables, now, event, arguments))

    def answers(self, step: TraceStep) -> tuple[Answer, ...]:
        """Return what the machine made of a step."""
        return (step.answer,)

    def spec_errors(self, step: TraceStep) -> Iterator[str]:
        """Yield what a step shows to be wrong with the spec."""
        if isinstance(step.answer, Refused) and step.answer.reason:
            given = ", ".join(f"{name}={value!r}" for name, value in step.arguments.items())
            yield f"{step.event}({given}): {step.answer.reason}"

    def is_visible(self, now: Snapshot, step: TraceStep) -> bool:
        """Tell whether something changed, was forced or raised."""
        return step.answer.after != now or isinstance(step.answer, Forced | Raised)

    def may_stop(self, now: Snapshot) -> bool:
        """Tell whether it is legal to stop: in a final state, or where `final` holds."""
        final = self.machine.data.final
        return (final is not None and self.holds(final, now)) or bool(
            self.tables.final >> self.tables.state_index[now.state] & 1
        )

    @property
    def holds(self) -> Callable[..., bool]:
        """What evaluates a condition in a snapshot, or of the step that led there."""
        return partial(condition_holds, self.tables.behaviour)


@define(slots=False)
class _WalkedSystem:
    """A system that is walked through."""

    system: SystemDefinition
    scope: ExplorationScope
    excluded_events: frozenset[str] = frozenset()
    """Those that do not come from outside, as `part.event`."""

    @cached_property
    def tables(self) -> SystemTables:
        """Of the system."""
        return system_tables(self.system)

    @cached_property
    def extent(self) -> DomainSizes:
        """How many values types have, those of keys included."""
        return _extent_within(self.tables.behaviour, self.scope, self.scope.sizes)

    def initial_snapshot(self, random: Random, given: NamedValues) -> SystemSnapshot:
        """Draw a beginning with some parameters given."""
        return random_initial_snapshot(self.tables, self.extent, random, given)

    def attempts(self, now: SystemSnapshot, random: Random) -> Iterator[TraceStep]:
        """Yield each event and each delivery once, in a random order, then events with other
        arguments.
        """
        choices: list[tuple[str, Value, str] | PendingEvent] = [
            *self._part_events(now),
            *possible_fates(self.tables, now.waiting),
        ]
        for _ in range(4):
            random.shuffle(choices)
            for chosen in choices:
                if isinstance(chosen, PendingEvent):
                    yield self._delivery(now, chosen)
                elif (step := self._part_event(now, *chosen, random)) is not None:
                    yield step

    def _part_events(self, now: SystemSnapshot) -> Iterator[tuple[str, Value, str]]:
        """Yield each event of each part, with the part's name and key."""
        for name, tables in self.tables.tables.items():
            held = now.parts[name]
            keys: tuple[Value, ...] = (
                tuple(held) if isinstance(held, Mapping) else () if held is None else (None,)
            )
            for key, event in itertools.product(keys, tables.events):
                if f"{name}.{event}" not in self.excluded_events:
                    yield name, key, event

    def _part_event(
        self, now: SystemSnapshot, name: str, key: Value, event: str, random: Random
    ) -> TraceStep | None:
        whole = now.parts[name]
        held = whole[key] if isinstance(whole, Mapping) else whole
        assert held is not None
        behaviour = self.tables.tables[name].behaviour
        extent = _extent_within(behaviour, self.scope, self.extent.sizes)
        arguments = sample_arguments(behaviour, extent, held, event, random)
        if arguments is None:
            return None
        answer = step_system(self.system, now, f"{name}.{event}", key=key, **arguments)
        return TraceStep(f"{name}.{event}", arguments, answer, key=key)

    def _delivery(self, now: SystemSnapshot, pending: PendingEvent) -> TraceStep:
        answer = deliver_event(self.system, now, pending)
        event, given = self.tables.delivered_event(pending), now.waiting[place_of(pending)]
        return TraceStep(event, given, answer, key=pending.receiver, delivered_from=pending)

    def answers(self, step: TraceStep) -> list[Answer]:
        """Return what each part that was asked made of a step."""
        return [part_step.answer for part_step in step.answer.steps]

    def spec_errors(self, step: TraceStep) -> tuple[str, ...]:
        """Return what a step shows to be wrong with the spec."""
        spec_errors: tuple[str, ...] = step.answer.spec_errors
        return spec_errors

    def is_visible(self, now: SystemSnapshot, step: TraceStep) -> bool:
        """Tell whether something changed or was forced."""
        forced = any(isinstance(answer, Forced) for answer in self.answers(step))
        return forced or step.answer.after != now

    def may_stop(self, now: SystemSnapshot) -> bool:
        """Tell whether it is legal that nothing changes any more."""
        return self.tables.may_stop(now)

    @property
    def holds(self) -> Callable[..., bool]:
        """What evaluates a condition in a snapshot, or of the step that led there."""
        return self.tables.holds


_Walked = _WalkedMachine | _WalkedSystem
"""What is walked through."""
