"""All steps from many rows at once: what is alike of a machine with its copies, and of a system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import AnyPacking, RowCodes
from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.refinements.refined_steps import RefinedSteps
from statemachines.explore.refinements.step_arrays import ALL_BITS, RefinedStepTables
from statemachines.explore.rows.row_search import SearchGoal
from statemachines.explore.visited.known_rows import StepLabel
from statemachines.explore.visited.visited_rows import GatheredLevel


@define(eq=False)
class ChunkFindings:
    """What was found in some rows of a level."""

    transitions: int = 0
    disabled: int = 0
    hits: dict[int, list[RowCodes]] = field(factory=dict)
    """Goal to rows that meet it, or that a step leaves that does."""

    def add_hits(self, goal: int, codes: RowCodes) -> None:
        """Remember rows that meet a goal."""
        if len(codes):
            self.hits.setdefault(goal, []).append(codes)


@frozen(eq=False)
class PendingGoals:
    """The goals that no earlier level has met, by what they look at."""

    rows: tuple[tuple[int, SearchGoal], ...]
    steps: tuple[tuple[int, SearchGoal], ...]
    deadlocks: tuple[tuple[int, SearchGoal], ...]
    faults: tuple[int, ...]


def pending_goals(goals: Sequence[SearchGoal], is_found: dict[int, Any]) -> PendingGoals:
    """Return the goals that are still looked for."""
    left = [(number, goal) for number, goal in enumerate(goals) if number not in is_found]
    return PendingGoals(
        tuple((number, goal) for number, goal in left if goal.row_test is not None),
        tuple((number, goal) for number, goal in left if goal.step_test is not None),
        tuple((number, goal) for number, goal in left if goal.deadlock_test is not None),
        tuple(number for number, goal in left if goal.seeks_fault),
    )


def add_deadlock_hits(
    codes: RowCodes,
    rows: Sequence[Row],
    goals: PendingGoals,
    chunk: ChunkFindings,
) -> None:
    """Look at rows that nothing changes: those where it is not legal to stop meet a goal."""
    for number, goal in goals.deadlocks:
        test = goal.deadlock_test
        stuck = [index for index, row in enumerate(rows) if test is not None and test(row)]
        chunk.add_hits(number, codes[stuck])


LabelledSteps = Callable[[RowCodes], tuple[Array, RowCodes, Array]]
"""Returns the steps from rows that change something, row by row: the place of the row, the row
after it, and the label of the step.
"""


@frozen(eq=False)
class StepBatch:
    """Steps of some rows that stand side by side among those that were given."""

    rows: RowCodes
    sources: Array
    """Of each step, the place of its row; None: it is one step of each row."""
    after: RowCodes
    """Of each step, the row after it."""
    transitions: int
    """Steps, with those that come to the same."""
    disabled: int
    faulty: RowCodes
    """Rows in which the spec is wrong."""
    begin: int = 0
    """Where the rows begin among those that were given."""
    changed: Array | None = None
    """By row: whether a step changes it, where that is known; None: each step is looked at."""

    @property
    def before(self) -> RowCodes:
        """Of each step, the row that it leaves."""
        return self.rows if self.sources is None else self.rows.take(self.sources)

    def note_changes(self, changed: Array) -> None:
        """Note which of all rows a step changes."""
        if self.changed is not None:
            changed[self.begin : self.begin + len(self.rows)] |= self.changed
        elif self.sources is None:
            changed[self.begin : self.begin + len(self.rows)] |= self.after != self.rows
        else:
            changed[self.begin + self.sources[self.after != self.before]] = True


class ArrayExpansion(ABC):
    """The tables of a model under one packing."""

    __slots__ = ()

    numpy: Any
    model: Model
    packing: AnyPacking
    """Where each column lies within a number."""
    refined: RefinedStepTables

    @property
    @abstractmethod
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""

    @property
    @abstractmethod
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""

    @abstractmethod
    def column_ids(self, codes: RowCodes, column: int, copy: int) -> Array:
        """Return the numbers in a column of a copy."""

    @abstractmethod
    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""

    @abstractmethod
    def batches(self, codes: RowCodes) -> Iterator[StepBatch]:
        """Yield all steps from rows from which a search goes on, some after others."""

    def joined_batches(self, codes: RowCodes) -> Iterator[StepBatch]:
        """Yield the same where nobody asks which row a step leaves: rows may be left out there that
        others in the batch lead to as well, and those that no step changes.
        """
        return self.batches(codes)

    @abstractmethod
    def labelled_steps(self, label: StepLabel) -> LabelledSteps:
        """Return what takes the steps of rows, with a label of each."""

    def looked_at(self, claim: RefinedSteps) -> int:
        """Return the bits of a row at which the columns of an abstract machine look."""
        del claim
        return ALL_BITS

    def steps(self, codes: RowCodes) -> Iterator[tuple[RowCodes, RowCodes]]:
        """Yield rows that steps leave, and those that they lead to; these may be gone through
        several times.
        """
        for batch in self.batches(self.within_constraint(self.within_range(codes))):
            yield batch.before, batch.after

    def _take_steps(
        self,
        codes: RowCodes,
        goals: PendingGoals,
        level: GatheredLevel,
        chunk: ChunkFindings,
        spend: Callable[[ChunkFindings], None],
    ) -> Array:
        """Take all steps from rows from which a search goes on.

        Returns:
            The rows that some step changes, where they are asked for.
        """
        changed = self.numpy.zeros(len(codes), dtype=bool)
        for batch in self.batches(codes) if goals.steps else self.joined_batches(codes):
            chunk.transitions += batch.transitions
            chunk.disabled += batch.disabled
            for number in goals.faults:
                chunk.add_hits(number, batch.faulty)
            if goals.steps:
                self._check_step_goals(batch, goals, chunk)
            if goals.deadlocks:
                batch.note_changes(changed)
            level.add(batch.after)
            spend(chunk)
        return changed

    def within_range(self, codes: RowCodes) -> RowCodes:
        """Leave out rows in which an integer without bounds has left the range that is explored."""
        for column, model_column in enumerate(self.model.columns):
            if any(model_column.out_of_range):
                outside = self.numpy.array(model_column.out_of_range, dtype=bool)
                for copy in range(self.model.copies):
                    codes = codes[~outside[self.column_ids(codes, column, copy)]]
        return codes

    def within_constraint(self, codes: RowCodes) -> RowCodes:
        """Leave out rows beyond the state constraint."""
        for condition in self.model.state_constraints:
            codes = codes[self.values(condition, codes)]
        return codes

    def check_row_goals(self, codes: RowCodes, goals: PendingGoals, chunk: ChunkFindings) -> None:
        """Look at the goals in rows."""
        for number, goal in goals.rows:
            if goal.condition is not None:
                holds = self.values(goal.condition, codes)
                chunk.add_hits(number, codes[holds == goal.wanted_value])

    def _check_step_goals(
        self, batch: StepBatch, goals: PendingGoals, chunk: ChunkFindings
    ) -> None:
        """Add the rows that steps leave which meet goals."""
        before, after = batch.before, batch.after
        for number, goal in goals.steps:
            if isinstance(goal.condition, RefinedSteps):
                bits = self.looked_at(goal.condition)
                holds = self.refined.hold(goal.condition, before, after, self.values, bits)
            elif goal.condition is not None:
                holds = self.values(goal.condition, after, before)
            else:
                continue
            hits = before.compress(holds == goal.wanted_value)
            chunk.add_hits(number, sorted_distinct(self.numpy, hits))

    def expand(
        self,
        codes: RowCodes,
        goals: PendingGoals,
        level: GatheredLevel,
        chunk: ChunkFindings,
        spend: Callable[[ChunkFindings], None],
    ) -> None:
        """Take all steps from rows.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        codes = self.within_constraint(self.within_range(codes))
        changed = self._take_steps(codes, goals, level, chunk, spend)
        if goals.deadlocks and not changed.all():
            stuck = codes[~changed]
            rows = [self.packing.row(code, self.model.copies) for code in stuck.tolist()]
            add_deadlock_hits(stuck, rows, goals, chunk)


def row_by_row(
    numpy: Any, pieces: Sequence[tuple[Array, RowCodes, Array]]
) -> tuple[Array, RowCodes, Array]:
    """Return steps with their labels as one, those of a row in the order in which they come."""
    sources, after, labels = (numpy.concatenate(parts) for parts in zip(*pieces, strict=True))
    order = numpy.argsort(sources, kind="stable")
    return sources.take(order), after.take(order), labels.take(order)


ExpansionMaker = Callable[[AnyPacking], ArrayExpansion]
"""Returns the tables for a packing; it has what is known of the events, whatever the packing."""
