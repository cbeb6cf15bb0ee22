"""A random walk: a machine tried out within its scope, its properties looked at on the way.

A walk shows what is wrong; what it does not meet, it says nothing of.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from random import Random

import attrs
from attrs import field, frozen

from statemachines.explore.arguments.value_sampling import (
    MOST_ENUMERATED,
    MOST_FITTING,
    NamedValues,
    enumerate_arguments,
    sample_arguments,
    sample_parameters,
    widened_extent,
)
from statemachines.explore.properties.bound_values import bindings
from statemachines.explore.walks.walk_verdicts import WalkedRun, WalkVerdict, walk_verdicts
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Forced, Raised, Refused, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes, default_domain_sizes

TRIES_PER_EVENT = 4
"""How often each event is tried with random arguments before all arguments are gone through."""


@frozen
class WalkStep:
    """One event of a walk and what became of it."""

    event: str
    arguments: NamedValues
    answer: Answer


@frozen
class MachineWalk:
    """A run of a machine, the same for the same seed."""

    machine: MachineDefinition
    seed: int
    begin: Snapshot
    steps: tuple[WalkStep, ...]
    noticed: tuple[WalkVerdict, ...]
    wrong: tuple[str, ...] = ()
    """Errors of the spec itself: a variable would leave its type."""
    stuck: bool = False
    """Whether it ended early because no event changed anything."""
    refused: Mapping[str, int] = field(factory=dict)
    """Event to how often it was refused or ignored on the way."""

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
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
    machine: MachineDefinition,
    *,
    seed: int = 0,
    steps: int = 100,
    parameters: NamedValues | None = None,
    sizes: Mapping[str, int] | None = None,
    begin: Snapshot | None = None,
    integers: tuple[int, int] | None = None,
    longest: int | None = None,
) -> MachineWalk:
    """Walk through a machine at random.

    Args:
        machine: in one release.
        seed: the same seed, machine and options give the same walk.
        steps: how many events that change something, or raise, at most.
        parameters: of the instance; those of the spec's `scope` where they are not given, else
            random ones.
        sizes: `id` type to how many values it has; those of the spec's `scope` where they are not
            given, else two.
        begin: where the walk begins, with its parameters, in place of a beginning that is drawn.
        integers: the range of integers without bounds; that of the spec's `scope` where it is not
            given, else 0 to 3.
        longest: the longest list that is drawn; that of the spec's `scope` where it is not given,
            else two.

    Returns:
        The walk, with what it says of each property.

    Raises:
        ArgumentsError: no parameters fit, or nothing may begin with them.
    """
    random = Random(seed)
    tables = machine_tables(machine)
    extent = widened_extent(default_domain_sizes(tables.behaviour), sizes or {}, integers, longest)
    if begin is None:
        sampled = sample_parameters(tables.behaviour, extent, random, parameters or {})
        begin = random.choice(initial_snapshots(machine, **sampled))
    walk = _MachineWalker(tables, extent, random, begin, begin)
    walk.walk(steps)
    return MachineWalk(
        machine,
        seed,
        begin,
        tuple(walk.steps),
        walk_verdicts(machine.data.properties, _walked_run(walk)),
        tuple(walk.wrong),
        walk.stuck,
        walk.refused,
    )


@attrs.define
class _MachineWalker:
    """A walk as it is made."""

    tables: MachineTables
    extent: DomainSizes
    random: Random
    begin: Snapshot
    current: Snapshot
    steps: list[WalkStep] = field(factory=list)
    wrong: list[str] = field(factory=list)
    refused: dict[str, int] = field(factory=dict)
    stuck: bool = False

    def walk(self, steps: int) -> None:
        while len(self.steps) < steps:
            taken = self._random_step()
            if taken is None:
                self.stuck = True
                return
            self.steps.append(taken)
            self.current = taken.answer.after

    def _random_step(self) -> WalkStep | None:
        """Find an event that does something."""
        events = list(self.tables.events) * TRIES_PER_EVENT
        self.random.shuffle(events)
        for event in events:
            arguments = sample_arguments(
                self.tables.behaviour, self.extent, self.current, event, self.random
            )
            taken = None if arguments is None else self._attempt(event, arguments)
            if taken is not None:
                return taken
        return self._exhaustive_step()

    def _attempt(self, event: str, arguments: NamedValues) -> WalkStep | None:
        """Let an event happen; None where nothing comes of it."""
        answer = unchecked_step(self.tables, self.current, event, arguments)
        if isinstance(answer, Refused) and answer.reason:
            self.wrong.append(f"{event}({_arguments_text(arguments)}): {answer.reason}")
        if is_visible_step(self.current, answer):
            return WalkStep(event, arguments, answer)
        self.refused[event] = self.refused.get(event, 0) + 1
        return None

    def _exhaustive_step(self) -> WalkStep | None:
        """Go through all arguments of all events where luck found none that does something."""
        for event in self.tables.events:
            everything = enumerate_arguments(
                self.tables.behaviour, self.extent, self.current, event, most=MOST_ENUMERATED
            )
            for arguments in itertools.islice(everything, MOST_FITTING):
                taken = self._attempt(event, arguments)
                if taken is not None:
                    return taken
        return None


def is_visible_step(before: Snapshot, answer: Answer) -> bool:
    """Tell whether an answer is worth a step of a walk: something changed, was forced or raised.

    Args:
        before: the snapshot before.
        answer: of `step`.

    Returns:
        False of what changed nothing.
    """
    return answer.after != before or isinstance(answer, Forced | Raised)


def _arguments_text(arguments: NamedValues) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def _walked_run(walk: _MachineWalker) -> WalkedRun[Snapshot]:
    """Return what properties look at of a walk."""
    behaviour = walk.tables.behaviour
    snapshots = (walk.begin, *(step.answer.after for step in walk.steps))
    raised = (
        index for index, walk_step in enumerate(walk.steps) if isinstance(walk_step.answer, Raised)
    )
    return WalkedRun(
        snapshots,
        next(raised, len(walk.steps)),
        ends_badly=walk.stuck and not may_stop(walk.tables, snapshots[-1]),
        holds=partial(condition_holds, behaviour),
        bindings=lambda each: bindings(each, behaviour, walk.extent),
    )


def may_stop(tables: MachineTables, snapshot: Snapshot) -> bool:
    """Tell whether it is legal to stop: in a final state, or where `final` holds.

    Args:
        tables: of the machine.
        snapshot: where it is.

    Returns:
        False where it must go on.
    """
    final = tables.machine.data.final
    if final is not None and condition_holds(tables.behaviour, final, snapshot):
        return True
    return bool(tables.final >> tables.state_index[snapshot.state] & 1)


def condition_holds(
    behaviour: Behaviour,
    node: Expression | None,
    snapshot: Snapshot,
    before: Snapshot | None = None,
    bound: NamedValues | None = None,
) -> bool:
    """Evaluate a condition over a snapshot; what is claimed without a condition holds.

    Args:
        behaviour: of the machine.
        node: the condition; None: there is none.
        snapshot: where it is.
        before: the snapshot before, where the condition looks back.
        bound: what names stand for of which it is claimed.

    Returns:
        True or False.
    """
    if node is None:
        return True
    return bool(
        behaviour.evaluator(node)(
            snapshot.state, snapshot.variables, snapshot.parameters, bound, before
        )
    )
