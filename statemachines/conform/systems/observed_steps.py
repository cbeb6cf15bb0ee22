"""The steps that a log tells of one instance, and which of them are alike: what a rule says of one
it says of all of its kind.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

from attrs import define, field, frozen

from statemachines.conform.interchange.instance_steps import InstanceSteps, StepRuns, joined_steps
from statemachines.conform.systems.partial_conditions import NOTHING_KNOWN, KnownValues
from statemachines.model.evidence.packed_steps import PackedSteps, StepModel
from statemachines.model.evidence.reports import InstanceKey, TimelineStep
from statemachines.model.language.frozen_values import FrozenMap

InstanceName = tuple[str, InstanceKey]
"""A machine, and an instance of it."""
StepsByInstance = Mapping[InstanceName, Sequence[InstanceSteps]]
"""What the log has of each instance of one process, or of several, part after part."""


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

    @property
    def source_state(self) -> str | None:
        """Where it comes from; None where nothing says so."""
        return self.source.state if self.has_source else None


@define(eq=False)
class StepKinds:
    """The kinds of steps of some instances, numbered as they are met."""

    kinds: list[StepKind] = field(factory=list)
    _numbers: dict[StepKind, int] = field(factory=dict)

    def number_of(self, model: StepModel) -> int:
        """Return the number of the kind of some steps."""
        before, after = NOTHING_KNOWN, NOTHING_KNOWN
        if model.values is not None:
            before, after = FrozenMap(model.values.before), FrozenMap(model.values.after)
        kind = StepKind(
            PossibleState(model.source or "", before),
            PossibleState(model.target or "", after),
            model.source is not None,
        )
        number = self._numbers.setdefault(kind, len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(kind)
        return number


class Origin(NamedTuple):
    """What steps have in common that belong together."""

    process: str
    life: int
    run: int | None
    """How often its process began before, or may have; None where no line says that it begins."""


@frozen(eq=False)
class ObservedSteps:
    """What a log tells of one instance: its told steps, with places, in order; as columns, with a
    value for each.

    Complexity: linear in the steps, once for all releases; some forty bytes a step, and what a step
    says beside is read again when it is asked for.
    """

    rows: InstanceSteps | None
    """All rows of the instance; None where there are none."""
    places: Sequence[int]
    """Which of the rows it is."""
    times: Sequence[int]
    """When, in milliseconds; 0 where it has no time."""
    is_timed: bool
    """Whether there are steps, and each has a time."""
    files: tuple[str, ...]
    """The files whose lines tell of it."""
    file_numbers: Sequence[int]
    """Which of the files its line stands in."""
    lines: Sequence[int]
    """Which line of its file."""
    origins: tuple[Origin, ...]
    origin_numbers: Sequence[int]
    uncertain: frozenset[int]
    """The numbers of the steps before which something passed that no line tells."""
    has_hidden_steps: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    step_kinds: StepKinds
    kinds: Sequence[int]
    """The number of its kind."""
    gaps: Sequence[int]
    """A number for what lies before each step, and after the last one: the same where the steps
    around it are alike.
    """
    gap_examples: tuple[int, ...]
    """By that number, the first step before which it lies."""

    def __len__(self) -> int:
        return len(self.places)

    def kind(self, number: int) -> StepKind:
        """Return what a step says."""
        return self.step_kinds.kinds[self.kinds[number]]

    def origin(self, number: int) -> Origin:
        """Return who logged a step, and in which life and run."""
        return self.origins[self.origin_numbers[number]]

    def file(self, number: int) -> str:
        """Return the file that a step's line stands in."""
        return self.files[self.file_numbers[number]]

    def step(self, number: int) -> TimelineStep:
        """Return a step, with all that its row says."""
        assert self.rows is not None
        return self.rows.step(self.places[number])

    def steps(self) -> Iterator[TimelineStep]:
        """Yield all steps."""
        return map(self.step, range(len(self.places)))

    @cached_property
    def has_whole_seconds(self) -> bool:
        """Whether no step has milliseconds."""
        return not any(time % 1_000 for time in self.times)


@define(eq=False)
class ObservedInstances(Mapping[InstanceName, ObservedSteps]):
    """The instances of one process, or of several: what is told of each is worked out once."""

    rows: StepsByInstance
    kinds: StepKinds = field(factory=StepKinds)
    _observed: dict[InstanceName, ObservedSteps] = field(factory=dict)

    def __getitem__(self, name: InstanceName) -> ObservedSteps:
        observed = self._observed.get(name)
        if observed is None:
            rows = joined_steps(self.rows[name])
            observed = self._observed[name] = read_steps(rows, self.kinds)
        return observed

    def __iter__(self) -> Iterator[InstanceName]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def process_of(self, name: InstanceName) -> str:
        """Return the process that told of an instance first."""
        return self.rows[name][0].processes[0]

    def steps(self) -> Iterator[TimelineStep]:
        """Yield all rows of all instances."""
        return (step for parts in self.rows.values() for part in parts for step in part)


def read_steps(rows: InstanceSteps | None, kinds: StepKinds) -> ObservedSteps:
    """Read the rows of one instance: told steps, and where others passed between them; the machine
    says later where it may be meanwhile.

    Args:
        rows: of the instance, in order; None where there are none.
        kinds: of the steps of all instances that are looked at together; new ones are added.

    Returns:
        The steps, and which of them are alike.
    """
    reading = _Reading(kinds)
    for packed, runs in rows.columns() if rows is not None else ():
        reading.add(packed, runs)
    return reading.observed(rows)


class _CommonColumns(NamedTuple):
    """What is kept of told steps that say the same."""

    kind: int
    file: int
    process: str
    life: int


@define(eq=False)
class _Reading:
    """The told steps of one instance, as their rows are gone through."""

    step_kinds: StepKinds
    places: array[int] = field(factory=lambda: array("l"))
    times: array[int] = field(factory=lambda: array("q"))
    lines: array[int] = field(factory=lambda: array("q"))
    kinds: array[int] = field(factory=lambda: array("i"))
    file_numbers: array[int] = field(factory=lambda: array("i"))
    origin_numbers: array[int] = field(factory=lambda: array("i"))
    files: dict[str, int] = field(factory=dict)
    origins: dict[Origin, int] = field(factory=dict)
    unsure: set[int] = field(factory=set)
    count: int = 0
    """Rows that were gone through."""
    passed: bool = False
    """Whether something passed since the last told step that no line tells."""
    has_hidden: bool = False
    is_timed: bool = True

    def add(self, packed: PackedSteps, runs: StepRuns | None) -> None:
        """Take rows in."""
        known = {
            code: self._common_columns(packed.models[code]) for code in dict.fromkeys(packed.codes)
        }
        all_told = None not in known.values() and 0 not in packed.lines
        if runs is None and all_told and not self.passed:
            self._add_told(packed, known)
        else:
            self._add_one_by_one(packed, known, runs or repeat(None, len(packed.codes)))
        self.count += len(packed.codes)

    def _add_told(self, packed: PackedSteps, known: Mapping[int, _CommonColumns | None]) -> None:
        """Take rows in that are all told, of a process that never says that it begins."""
        codes, common = packed.codes, {code: c for code, c in known.items() if c is not None}
        self.places.extend(range(self.count, self.count + len(codes)))
        self.times.extend(packed.times)
        self.lines.extend(packed.lines)
        kinds = {code: columns.kind for code, columns in common.items()}
        files = {code: columns.file for code, columns in common.items()}
        origins = {code: self._origin_number(columns, None) for code, columns in common.items()}
        self.kinds.extend(map(kinds.__getitem__, codes))
        self.file_numbers.extend(map(files.__getitem__, codes))
        self.origin_numbers.extend(map(origins.__getitem__, codes))

    def _add_one_by_one(
        self, packed: PackedSteps, known: Mapping[int, _CommonColumns | None], runs: StepRuns
    ) -> None:
        rows = zip(packed.codes, packed.times, packed.lines, runs, strict=True)
        for place, (code, ms, line, run) in enumerate(rows, self.count):
            common = known[code]
            if common is None or not line:
                self.passed = True
                continue
            if self.passed:
                self.unsure.add(len(self.places))
                self.passed = False
            self.places.append(place)
            self.times.append(ms)
            self.lines.append(line)
            self.kinds.append(common.kind)
            self.file_numbers.append(common.file)
            self.origin_numbers.append(self._origin_number(common, run))

    def _origin_number(self, common: _CommonColumns, run: int | None) -> int:
        origin = Origin(common.process, common.life, run)
        return self.origins.setdefault(origin, len(self.origins))

    def _common_columns(self, model: StepModel) -> _CommonColumns | None:
        """Return what is kept of such steps; None where no line tells them."""
        if model.how != "told" or model.target is None:
            self.has_hidden |= model.how == "hidden"
            return None
        self.is_timed &= model.is_timed
        file = self.files.setdefault(model.file, len(self.files))
        return _CommonColumns(self.step_kinds.number_of(model), file, model.process, model.life)

    def observed(self, rows: InstanceSteps | None) -> ObservedSteps:
        """Return what was read of all rows."""
        if self.passed:
            self.unsure.add(len(self.places))
        origins = tuple(self.origins)
        lives = [origins[number].life for number in self.origin_numbers]
        gaps, examples = _number_gaps(self.kinds, lives, self.unsure)
        return ObservedSteps(
            rows, self.places, self.times, self.is_timed and bool(self.places), tuple(self.files),
            self.file_numbers, self.lines, origins, self.origin_numbers, frozenset(self.unsure),
            self.has_hidden, self.step_kinds, self.kinds, gaps, examples,
        )  # fmt: skip


def _number_gaps(
    kinds: Sequence[int], lives: Sequence[int], unsure: set[int]
) -> tuple[Sequence[int], tuple[int, ...]]:
    """Number what lies around steps; return that, and where each number is first."""
    known, examples, gaps = dict[tuple[object, ...], int](), [0], array("i", [0])
    for number in range(1, len(kinds)):
        same_life = lives[number - 1] == lives[number]
        key = kinds[number - 1], kinds[number], same_life, number in unsure
        gap = known.get(key)
        if gap is None:
            gap = known[key] = len(examples)
            examples.append(number)
        gaps.append(gap)
    if kinds:
        gaps.append(len(examples))
        examples.append(len(kinds))
    return gaps, tuple(examples)
