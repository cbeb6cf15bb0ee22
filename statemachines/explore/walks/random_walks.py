"""A random walk: a machine or a system tried out within its scope, its properties looked at on the
way.

A walk shows what is wrong; what it does not meet, it says nothing of.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from random import Random
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.taken_steps import delivery, part_step
from statemachines.explore.properties.bound_values import bindings
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.scopes import DEFAULT_SCOPE, ExplorationScope
from statemachines.explore.walks.walk_verdicts import (
    WalkedRun,
    WalkVerdict,
    condition_evaluator,
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
    SystemAnswer,
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
from statemachines.semantics.system.channels import possible_fates
from statemachines.semantics.system.random_beginnings import random_initial_snapshot
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
    tables = (
        system_tables(definition)
        if isinstance(definition, SystemDefinition)
        else machine_tables(definition)
    )
    walked = _Walked(tables, scope, frozenset(without))
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
            attempts = self.walked.attempts(self.now, self.random)
            step = next(filter(self._comes_to_something, attempts), None)
            if step is None:
                self.stuck = True
            else:
                self.steps.append(step)
                self.now = step.answer.after

    def _comes_to_something(self, step: Any) -> bool:
        """Tell whether something changed or was forced, or a machine alone has raised; keep what is
        wrong with the spec, and what nothing came of.
        """
        is_of_system = isinstance(step.answer, SystemAnswer)
        if is_of_system:
            self.wrong |= dict.fromkeys(step.answer.spec_errors)
        elif isinstance(step.answer, Refused) and step.answer.reason:
            given = ", ".join(f"{name}={value!r}" for name, value in step.arguments.items())
            self.wrong[f"{step.event}({given}): {step.answer.reason}"] = None
        visible = Forced if is_of_system else Forced | Raised  # most that a system tries may raise
        if step.answer.after != self.now or any(isinstance(a, visible) for a in _answers(step)):
            return True
        self.refused[step.event] = self.refused.get(step.event, 0) + 1
        return False


def _walked_run(walked: _Walked, begin: Any, walk: _Walker) -> WalkedRun[Any]:
    """Return what properties look at of a walk."""
    answers = enumerate(map(_answers, walk.steps))
    raised = (at for at, some in answers if any(isinstance(answer, Raised) for answer in some))
    return WalkedRun(
        (begin, *(step.answer.after for step in walk.steps)),
        next(raised, len(walk.steps)),
        ends_badly=walk.stuck and not walked.may_stop(walk.now),
        holds=condition_evaluator(walked.tables),
        bindings=lambda each: bindings(each, walked.tables.behaviour, walked.extent),
    )


def _extent_within(
    behaviour: Behaviour, scope: ExplorationScope, sizes: Mapping[str, int]
) -> DomainSizes:
    base = default_domain_sizes(behaviour)
    return widened_extent(base, sizes, scope.integers, scope.longest)


def _answers(step: TraceStep) -> tuple[Answer, ...]:
    """Return what each part that was asked made of a step."""
    if isinstance(step.answer, SystemAnswer):
        return tuple(part_step.answer for part_step in step.answer.steps)
    return (step.answer,)


@frozen(eq=False)
class _PartEvent:
    """An event of one part; a machine alone is one."""

    name: str
    """Of the part; empty: a machine alone."""
    key: Value
    tables: MachineTables
    held: Snapshot
    event: str


@define(slots=False)
class _Walked:
    """A machine or a system that is walked through."""

    tables: MachineTables | SystemTables
    scope: ExplorationScope
    excluded_events: frozenset[str] = frozenset()
    """Those that do not come from outside, as `part.event`."""

    @cached_property
    def extent(self) -> DomainSizes:
        """How many values types have, those of keys included."""
        return _extent_within(self.tables.behaviour, self.scope, self.scope.sizes)

    def initial_snapshot(self, random: Random, given: NamedValues) -> Any:
        """Draw a beginning with some parameters given."""
        if isinstance(self.tables, SystemTables):
            return random_initial_snapshot(self.tables, self.extent, random, given)
        sampled = sample_parameters(self.tables.behaviour, self.extent, random, given)
        return random.choice(initial_snapshots(self.tables, **sampled))

    def attempts(self, now: Any, random: Random) -> Iterator[TraceStep]:
        """Yield each event and each delivery once, in a random order, then events with other
        arguments; then, where luck found none that does something, all arguments of all events.
        """
        events, tables = list(self._part_events(now)), self.tables
        choices: list[_PartEvent | PendingEvent] = [*events]
        if isinstance(tables, SystemTables):
            choices += possible_fates(tables, now.waiting)
        for _ in range(_TRIES_PER_EVENT):
            random.shuffle(choices)
            for chosen in choices:
                if isinstance(chosen, PendingEvent):
                    assert isinstance(tables, SystemTables)
                    yield delivery(tables, now, chosen)
                    continue
                behaviour, extent = chosen.tables.behaviour, self._part_extent(chosen)
                sampled = sample_arguments(behaviour, extent, chosen.held, chosen.event, random)
                if sampled is not None:
                    yield self._attempt(now, chosen, sampled)
        for each in events:
            behaviour, extent = each.tables.behaviour, self._part_extent(each)
            for arguments in fitting_arguments(behaviour, extent, each.held, each.event):
                yield self._attempt(now, each, arguments)

    def _part_extent(self, chosen: _PartEvent) -> DomainSizes:
        return _extent_within(chosen.tables.behaviour, self.scope, self.extent.sizes)

    def _part_events(self, now: Any) -> Iterator[_PartEvent]:
        """Yield each event of each part that is there."""
        if isinstance(self.tables, MachineTables):
            for event in self.tables.events:
                yield _PartEvent("", None, self.tables, now, event)
            return
        for name, tables in self.tables.tables.items():
            held = now.parts[name]
            there = held if isinstance(held, Mapping) else {} if held is None else {None: held}
            for (key, snapshot), event in itertools.product(there.items(), tables.events):
                if f"{name}.{event}" not in self.excluded_events:
                    yield _PartEvent(name, key, tables, snapshot, event)

    def _attempt(self, now: Any, chosen: _PartEvent, arguments: NamedValues) -> TraceStep:
        if isinstance(self.tables, SystemTables):
            part = chosen.name, chosen.key
            return part_step(self.tables, now, part, chosen.event, arguments)
        answer = unchecked_step(chosen.tables, now, chosen.event, arguments)
        return TraceStep(chosen.event, arguments, answer)

    def may_stop(self, now: Any) -> bool:
        """Tell whether it is legal that nothing changes any more."""
        if isinstance(self.tables, SystemTables):
            return self.tables.may_stop(now)
        final = self.tables.machine.data.final
        return (final is not None and condition_evaluator(self.tables)(final, now)) or bool(
            self.tables.final >> self.tables.state_index[now.state] & 1
        )
