"""All steps of a system from some rows at once, under one packing.

Rows are paired with what may happen there: what a part does by itself, and what waits. Each pair
goes down the tree of its question (`forest_tables`), and the leaf says which bits of the row are
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.arrays.distinct_numbers import GrowingArray, sorted_distinct
from statemachines.explore.arrays.expansions import (
    ArrayExpansion,
    LabelledSteps,
    StepBatch,
    row_by_row,
)
from statemachines.explore.arrays.forest_tables import ForestTable
from statemachines.explore.arrays.lookup_tables import Array, PackingOverflow
from statemachines.explore.arrays.packing import AnyPacking, RowCodes
from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.models.part_moves import SystemDecision
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.properties.system_conditions import SystemCondition
from statemachines.explore.refinements.step_arrays import RefinedStepTables
from statemachines.explore.visited.known_rows import StepLabel

CHUNK_PAIRS = 1 << 16
"""Pairs of a row and a question that are worked on at once: few enough to stay in the cache."""


@define(eq=False)
class QuestionTable:
    """What may happen where a column holds a value."""

    numpy: Any
    model: SystemModel
    column: int
    begins: GrowingArray = field(init=False)
    """By number of a value: the first question to be asked."""
    counts: GrowingArray = field(init=False)
    """By number of a value: how many there are; -1 where that is not known yet."""
    disabled: GrowingArray = field(init=False)
    """By number of a value: events with arguments that nothing takes."""

    def __attrs_post_init__(self) -> None:
        self.begins, self.disabled = (GrowingArray(self.numpy, self.numpy.int64) for _ in range(2))
        self.counts = GrowingArray(self.numpy, self.numpy.int64, fill=-1)

    def look_up(self, numbers: Array) -> tuple[Array, Array, Array]:
        """Return where the questions begin, how many there are, and what nothing takes."""
        self._make_room(int(numbers.max(initial=-1)) + 1)
        many = self.counts.room.take(numbers)
        if len(many) and many.min() < 0:
            for number in sorted_distinct(self.numpy, numbers[many < 0]).tolist():
                questions, disabled = self.model.questions(self.column, number)
                self.begins.room[number] = questions.start
                self.counts.room[number] = len(questions)
                self.disabled.room[number] = disabled
            many = self.counts.room.take(numbers)
        return self.begins.room.take(numbers), many, self.disabled.room.take(numbers)

    def _make_room(self, size: int) -> None:
        for array in (self.begins, self.counts, self.disabled):
            array.extend(max(size - array.size, 0))


@define(eq=False)
class SystemTrees:
    """What is known of the parts and links of a system, whatever the packing."""

    numpy: Any
    model: SystemModel
    moves: ForestTable = field(init=False)
    questions: tuple[QuestionTable, ...] = field(init=False)
    conditions: dict[SystemCondition, ForestTable] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.moves = ForestTable(self.numpy, self.model.forest)
        self.questions = tuple(
            QuestionTable(self.numpy, self.model, event.column) for event in self.model.events
        )

    def condition(self, condition: SystemCondition) -> ForestTable:
        """Return the tree of a condition."""
        table = self.conditions.get(condition)
        if table is None:
            table = self.conditions[condition] = ForestTable(self.numpy, condition.forest)
        return table

    def expansion(self, packing: AnyPacking) -> SystemExpansion:
        """Return the tables for a packing; what takes too much memory is made anew."""
        if self.moves.is_full:
            self.moves = ForestTable(self.numpy, self.model.forest)
        return SystemExpansion(self.numpy, self.model, packing, self)


@define(eq=False)
class LeafTable:
    """What decisions write, under one packing."""

    numpy: Any
    packing: AnyPacking
    decisions: list[SystemDecision]
    staying: tuple[GrowingArray, ...] = field(init=False)
    """Of each word, by leaf: the bits that stay."""
    written: tuple[GrowingArray, ...] = field(init=False)
    """Of each word, by leaf: the bits that are written."""
    weights: GrowingArray = field(init=False)
    """By leaf: how many steps it stands for; none where a link forbids it."""
    forbidden: GrowingArray = field(init=False)
    """By leaf: how many steps a link forbids."""
    faulty: GrowingArray = field(init=False)
    has_faults: bool = False
    leaves_range: bool = False

    def __attrs_post_init__(self) -> None:
        words = range(self.packing.word_count)
        self.staying, self.written = (
            tuple(GrowingArray(self.numpy, self.numpy.int64) for _ in words) for _ in range(2)
        )
        self.weights, self.forbidden, self.faulty = (
            GrowingArray(self.numpy, self.numpy.int64) for _ in range(3)
        )

    def follow(self) -> None:
        """Take over the decisions that were added.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        for decision in self.decisions[self.weights.size :]:
            for word, (staying, written) in enumerate(self._bits(decision)):
                self.staying[word].append(staying)
                self.written[word].append(written)
            taken = decision.successor
            self.weights.append(0 if taken is None else decision.weight)
            self.forbidden.append(decision.weight if taken is None else 0)
            self.faulty.append(bool(decision.faults))
            self.has_faults = self.has_faults or bool(decision.faults)
            self.leaves_range = self.leaves_range or (taken is not None and taken.leaves_range)

    def _bits(self, decision: SystemDecision) -> list[tuple[int, int]]:
        packing, bits = self.packing, [(-1, 0)] * self.packing.word_count
        for column, number in () if decision.successor is None else decision.successor.changes:
            if number >> packing.bits[column]:
                raise PackingOverflow
            (staying, written), word = bits[packing.words[column]], packing.words[column]
            staying &= ~(((1 << packing.bits[column]) - 1) << packing.shifts[column])
            bits[word] = staying, written | number << packing.shifts[column]
        return bits

    def after(self, words: Sequence[RowCodes], leaves: Array) -> list[RowCodes]:
        """Return the words of rows after steps."""
        return [
            (word & staying.room.take(leaves)) | written.room.take(leaves)
            for word, staying, written in zip(words, self.staying, self.written, strict=True)
        ]


@define(eq=False)
class LeafLabels:
    """Labels of decisions, by leaf."""

    numpy: Any
    model: SystemModel
    label: StepLabel
    numbers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.numbers = GrowingArray(self.numpy, self.numpy.int64)

    def leaf_labels(self, leaves: Array) -> Array:
        """Return the labels of leaves; below zero where a link forbids the step."""
        for decision in self.model.forest.leaves[self.numbers.size :]:
            taken = decision.successor
            known = -1 if taken is None else self.label(self.model.events[0], taken)
            self.numbers.append(known)
        return self.numbers.room.take(leaves)


@frozen(eq=False)
class SystemBatch(StepBatch):
    """Rows paired with what may happen there, and where that leads."""

    leaves: Array = field(kw_only=True)


@define(eq=False)
class SystemExpansion(ArrayExpansion):
    """The tables of a system for one packing."""

    numpy: Any
    model: SystemModel
    packing: AnyPacking
    trees: SystemTrees
    leaves: LeafTable = field(init=False)
    refined: RefinedStepTables = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.refined = RefinedStepTables(self.numpy)
        self.trees.moves.use(self.packing)
        for tree in self.trees.conditions.values():
            tree.use(self.packing)
        self.leaves = LeafTable(self.numpy, self.packing, self.model.forest.leaves)

    @property
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""
        return self.leaves.leaves_range

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""
        return self.trees.moves.is_full

    def column_ids(self, codes: RowCodes, column: int, copy: int) -> Array:
        """Return the numbers in a column; there is one copy."""
        return self.packing.column_ids(codes, column)

    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""
        assert isinstance(condition, SystemCondition)
        tree, packing = self.trees.condition(condition), self.packing
        tree.use(packing)

        def row(place: int) -> Row:
            now = packing.row(int(codes[place]), 1)
            return now if before is None else now + packing.row(int(before[place]), 1)

        words = packing.split(codes) + ([] if before is None else packing.split(before))
        leaves = tree.leaves(words, None, row)
        kind = bool if condition.number is bool else self.numpy.int64
        return self.numpy.array(condition.forest.leaves, dtype=kind).take(leaves)

    def batches(self, codes: RowCodes) -> Iterator[StepBatch]:
        """Yield all steps from rows, none that a link forbids; see `ArrayExpansion`."""
        for batch in self.joined_batches(codes):
            taken = self.numpy.flatnonzero(self.leaves.weights.room.take(batch.leaves) > 0)
            yield evolve(
                batch,
                sources=batch.sources.take(taken),
                after=batch.after.take(taken),
                leaves=batch.leaves.take(taken),
            )

    def joined_batches(self, codes: RowCodes) -> Iterator[SystemBatch]:
        """Yield what leads from rows where nobody asks from which; what a link forbids leads to
        where it is.
        """
        for questions in self.trees.questions:
            yield from self._moved_rows(questions, codes)

    def labelled_steps(self, label: StepLabel) -> LabelledSteps:
        """Return what takes the steps of rows, with a label of each."""
        labels = LeafLabels(self.numpy, self.model, label)
        return lambda codes: self._labelled_steps(codes, labels)

    def _labelled_steps(self, codes: RowCodes, labels: LeafLabels) -> tuple[Array, RowCodes, Array]:
        numpy, edges = self.numpy, [(codes[:0], codes[:0], codes[:0])]
        for moved in self.joined_batches(codes):
            numbers = labels.leaf_labels(moved.leaves)
            taken = numpy.flatnonzero((numbers >= 0) & (moved.after != moved.before))
            sources = moved.sources.take(taken) + moved.begin
            edges.append((sources, moved.after.take(taken), numbers.take(taken)))
        return row_by_row(numpy, edges)

    def _moved_rows(self, questions: QuestionTable, codes: RowCodes) -> Iterator[SystemBatch]:
        """Yield what may happen by one column, some rows after others."""
        numbers = self.packing.column_ids(codes, questions.column)
        first, many, disabled = questions.look_up(numbers)
        ends, begin = self.numpy.cumsum(many), 0
        while begin < len(codes):
            base = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(self.numpy.searchsorted(ends, base + CHUNK_PAIRS)))
            chunk = slice(begin, end)
            yield self._chunk_moves(
                codes[chunk], first[chunk], many[chunk], begin, int(disabled[chunk].sum())
            )
            begin = end

    def _chunk_moves(
        self, codes: RowCodes, first: Array, many: Array, begin: int, disabled: int
    ) -> SystemBatch:
        numpy, packing = self.numpy, self.packing
        sources = numpy.repeat(numpy.arange(len(codes)), many)
        questions = numpy.arange(len(sources)) + (first - (numpy.cumsum(many) - many)).take(sources)
        before, words = codes.take(sources), [word.take(sources) for word in packing.split(codes)]
        leaves = self.trees.moves.leaves(
            words, questions, lambda place: packing.row(int(before[place]), 1)
        )
        self.leaves.follow()
        after, table = packing.joined(self.leaves.after(words, leaves)), self.leaves
        many = int(table.weights.room.take(leaves).sum())
        disabled += int(table.forbidden.room.take(leaves).sum())
        wrong = table.faulty.room.take(leaves) > 0 if table.has_faults else slice(0)
        return SystemBatch(
            codes, sources, after, many, disabled, before[wrong], begin, leaves=leaves
        )
