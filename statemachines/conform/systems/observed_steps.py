"""The steps that a log tells of one instance, and which of them are alike: what a rule says of one
it says of all of its kind.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from attrs import define, field, frozen

from statemachines.conform.systems.partial_conditions import NOTHING_KNOWN, KnownValues
from statemachines.model.evidence.reports import InstanceKey, TimelineStep
from statemachines.model.language.frozen_values import FrozenMap

StepsByInstance = Mapping[tuple[str, InstanceKey], list[TimelineStep]]
"""The rows of one process: machine and instance to its steps."""
InstanceName = tuple[str, InstanceKey]
"""A machine, and an instance of it."""


class PossibleState(NamedTuple):
    """A state in which a part may be, with what is then known of its variables."""

    state: str
    values: KnownValues = NOTHING_KNOWN


class StepKind(NamedTuple):
    """What a step says, whoever takes it and whenever."""

    source: PossibleState
    target: PossibleState
    has_source: bool
    """Whether its line, or an earlier one, says where it comes from."""


@define(eq=False)
class StepKinds:
    """The kinds of steps of some instances, numbered as they are met."""

    kinds: list[StepKind] = field(factory=list)
    _numbers: dict[object, int] = field(factory=dict)

    def number_of(self, step: TimelineStep) -> int:
        """Return the number of a step's kind."""
        values = step.values
        key: tuple[object, ...] = step.source, step.target
        if values is not None:
            key = *key, FrozenMap(values.before), FrozenMap(values.after)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kinds)
            self.kinds.append(
                StepKind(state_before(step), state_after(step), step.source is not None)
            )
        return number


@frozen(eq=False)
class ObservedSteps:
    """What a log tells of one instance.

    Complexity: linear in the steps, once for all releases.
    """

    steps: tuple[TimelineStep, ...]
    """Told ones, with places, in order."""
    uncertain: frozenset[int]
    """The numbers of the steps before which something passed that no line tells."""
    has_hidden_steps: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    kinds: Sequence[int]
    """Of each step the number of its kind."""
    gaps: Sequence[int]
    """A number for what lies before each step, and after the last one: the same where the steps
    around it are alike.
    """
    gap_examples: tuple[int, ...]
    """By that number, the first step before which it lies."""

    @cached_property
    def is_timed(self) -> bool:
        """Whether there are steps, and each has a time."""
        return bool(self.steps) and all(
            step.at is not None and step.at.ms is not None for step in self.steps
        )

    @cached_property
    def has_whole_seconds(self) -> bool:
        """Whether no step has milliseconds."""
        return all(step_ms(step) % 1_000 == 0 for step in self.steps)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files whose lines tell of it."""
        return frozenset(step.place.file for step in self.steps if step.place is not None)


@define(eq=False)
class ObservedInstances(Mapping[InstanceName, ObservedSteps]):
    """The instances of one process, or of several: what is told of each is worked out once."""

    rows: StepsByInstance
    kinds: StepKinds = field(factory=StepKinds)
    _observed: dict[InstanceName, ObservedSteps] = field(factory=dict)

    def __getitem__(self, name: InstanceName) -> ObservedSteps:
        observed = self._observed.get(name)
        if observed is None:
            observed = self._observed[name] = read_steps(self.rows[name], self.kinds)
        return observed

    def __iter__(self) -> Iterator[InstanceName]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def process_of(self, name: InstanceName) -> str:
        """Return the process that told of an instance first."""
        return self.rows[name][0].process


def read_steps(rows: Sequence[TimelineStep], kinds: StepKinds) -> ObservedSteps:
    """Read the rows of one instance: told steps, and where others passed between them; the machine
    says later where it may be meanwhile.

    Args:
        rows: of the instance, in order.
        kinds: of the steps of all instances that are looked at together; new ones are added.

    Returns:
        The steps, and which of them are alike.
    """
    observed, unsure, passed = list[TimelineStep](), set[int](), False
    for row in rows:
        if row.how == "told" and row.target is not None and row.place is not None:
            if passed:
                unsure.add(len(observed))
            observed.append(row)
            passed = False
        else:
            passed = True
    if passed:
        unsure.add(len(observed))
    numbers = array("i", map(kinds.number_of, observed))
    gaps, examples = _number_gaps(observed, unsure, numbers)
    has_hidden = any(row.how == "hidden" for row in rows)
    return ObservedSteps(tuple(observed), frozenset(unsure), has_hidden, numbers, gaps, examples)


def _number_gaps(
    steps: Sequence[TimelineStep], unsure: set[int], kinds: Sequence[int]
) -> tuple[Sequence[int], tuple[int, ...]]:
    """Number what lies around steps; return that, and where each number is first."""
    known, examples, gaps = dict[tuple[object, ...], int](), [0], array("i", [0])
    for number, (before, after) in enumerate(pairwise(steps), 1):
        key = kinds[number - 1], kinds[number], before.life == after.life, number in unsure
        gap = known.get(key)
        if gap is None:
            gap = known[key] = len(examples)
            examples.append(number)
        gaps.append(gap)
    if steps:
        gaps.append(len(examples))
        examples.append(len(steps))
    return gaps, tuple(examples)


def state_before(step: TimelineStep) -> PossibleState:
    """Return where a step comes from."""
    values = NOTHING_KNOWN if step.values is None else FrozenMap(step.values.before)
    return PossibleState(step.source or "", values)


def state_after(step: TimelineStep) -> PossibleState:
    """Return where a step leads."""
    values = NOTHING_KNOWN if step.values is None else FrozenMap(step.values.after)
    return PossibleState(step.target or "", values)


def step_ms(step: TimelineStep) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0
