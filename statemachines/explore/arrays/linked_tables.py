"""What links make of events, for many rows at once.

Rows are paired with what may happen there: what a part does by itself, and what waits. Each pair
goes down the tree of its question (`forest_tables`), and the leaf says which bits of the row are
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.arrays.cell_tables import KeyIndex
from statemachines.explore.arrays.distinct_numbers import GrowingArray, pair_slices
from statemachines.explore.arrays.expansions import StepBatch
from statemachines.explore.arrays.forest_tables import ForestTable
from statemachines.explore.arrays.lookup_tables import Array, PackingOverflow
from statemachines.explore.arrays.packing import BlockPlace, Packing, RowCodes
from statemachines.explore.models.linked_steps import (
    LinkedEvent,
    LinkedSteps,
    MoveSource,
    SystemDecision,
)
from statemachines.explore.models.part_blocks import PartKind
from statemachines.explore.models.row_columns import Row
from statemachines.explore.visited.known_rows import StepLabel

CHUNK_PAIRS = 1 << 16
"""Pairs of a row and a question that are worked on at once: few enough to stay in the cache."""


@define(eq=False)
class QuestionTable:
    """What may happen by what a part, or a queue, holds."""

    numpy: Any
    steps: LinkedSteps
    source: MoveSource
    place: BlockPlace | None
    """Of the part; None of a queue."""
    keys: KeyIndex | None
    """Numbers of what the part holds."""
    begins: GrowingArray = field(init=False)
    """By number: the first question to be asked."""
    counts: GrowingArray = field(init=False)
    """By number: how many there are; -1 where that is not known yet."""
    disabled: GrowingArray = field(init=False)
    """By number: events with arguments that nothing takes."""

    def __attrs_post_init__(self) -> None:
        self.begins, self.disabled = (GrowingArray(self.numpy, self.numpy.int64) for _ in range(2))
        self.counts = GrowingArray(self.numpy, self.numpy.int64, fill=-1)

    def look_up(
        self, packing: Packing, codes: RowCodes, words: Sequence[RowCodes]
    ) -> tuple[Array, Array, Array]:
        """Return where the questions of rows begin, how many there are, and what nothing takes."""
        numpy, own = self.numpy, None
        if self.keys is None or self.place is None:
            numbers = packing.column_ids(codes, self.source.columns.start)
        else:
            own = self.place.codes(words)
            numbers = self.keys.row_indices(own)
        self._make_room(int(numbers.max(initial=-1)) + 1)
        many = self.counts.room.take(numbers)
        unknown = numpy.flatnonzero(many < 0)
        if len(unknown):
            some, firsts = numpy.unique(numbers.take(unknown), return_index=True)
            held = some if own is None else own.take(unknown.take(firsts))
            for number, code in zip(some.tolist(), held.tolist(), strict=True):
                self._learn(number, code)
            many = self.counts.room.take(numbers)
        return self.begins.room.take(numbers), many, self.disabled.room.take(numbers)

    def _learn(self, number: int, code: int) -> None:
        held: Row = (code,) if self.place is None else self.place.packing.row(code)
        every = self.steps.questions(self.source, held)
        first, last = every[0][0], every[-1][0]
        self.begins.room[number] = first.start
        self.disabled.room[number] = sum(disabled for _, disabled in every)
        self.counts.room[number] = last.stop - first.start

    def _make_room(self, size: int) -> None:
        for array in (self.begins, self.counts, self.disabled):
            array.extend(max(size - array.size, 0))


@define(eq=False)
class LeafTable:
    """What decisions write, under one packing."""

    numpy: Any
    packing: Packing
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
            self.weights.append(0 if taken is None else decision.move.weight)
            self.forbidden.append(decision.move.weight if taken is None else 0)
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
    decisions: list[SystemDecision]
    events: Mapping[tuple[int, str], LinkedEvent]
    """By first column of its source, and name."""
    label: StepLabel
    numbers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.numbers = GrowingArray(self.numpy, self.numpy.int64)

    def leaf_labels(self, leaves: Array) -> Array:
        """Return the labels of leaves; below zero where a link forbids the step."""
        for decision in self.decisions[self.numbers.size :]:
            event, taken = self.events[decision.move.event_key], decision.successor
            self.numbers.append(-1 if taken is None else self.label(event, taken))
        return self.numbers.room.take(leaves)


@frozen(eq=False)
class LinkedBatch(StepBatch):
    """Rows paired with what may happen there, and where that leads."""

    leaves: Array = field(kw_only=True)


@define(eq=False)
class LinkedTables:
    """What links make of events, under one packing."""

    numpy: Any
    steps: LinkedSteps
    packing: Packing
    places: dict[int, BlockPlace]
    """By first column: where each part lies."""
    trees: ForestTable
    leaves: LeafTable = field(init=False)
    questions: tuple[QuestionTable, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.trees.use(self.packing)
        self.leaves = LeafTable(self.numpy, self.packing, self.steps.forest.leaves)
        indices = dict[tuple[PartKind, Row], KeyIndex]()
        self.questions = tuple(
            self._question_table(source, indices) for source in self.steps.sources
        )

    def _question_table(
        self, source: MoveSource, indices: dict[tuple[PartKind, Row], KeyIndex]
    ) -> QuestionTable:
        if source.block is None:
            return QuestionTable(self.numpy, self.steps, source, None, None)
        place, key = self.places[source.block.offset], (source.block.kind, source.reads)
        if key not in indices:
            indices[key] = KeyIndex(self.numpy, place.packing, source.reads)
        return QuestionTable(self.numpy, self.steps, source, place, indices[key])

    def batches(self, codes: RowCodes, words: Sequence[RowCodes]) -> Iterator[LinkedBatch]:
        """Yield all that may happen in rows; what a link forbids leads to where it is."""
        for questions in self.questions:
            first, many, disabled = questions.look_up(self.packing, codes, words)
            for chunk in pair_slices(self.numpy, many, CHUNK_PAIRS):
                part = codes[chunk], first[chunk], many[chunk]
                yield self._chunk_moves(*part, chunk.start, int(disabled[chunk].sum()))

    def taken(self, batch: LinkedBatch) -> LinkedBatch:
        """Leave out what a link forbids."""
        taken = self.numpy.flatnonzero(self.leaves.weights.room.take(batch.leaves) > 0)
        return evolve(
            batch,
            sources=batch.sources.take(taken),
            after=batch.after.take(taken),
            leaves=batch.leaves.take(taken),
        )

    def labelled(
        self, codes: RowCodes, words: Sequence[RowCodes], labels: LeafLabels
    ) -> Iterator[tuple[Array, RowCodes, Array]]:
        """Yield the steps that change something: their rows' places, the rows after them, and their
        labels.
        """
        for moved in self.batches(codes, words):
            numbers = labels.leaf_labels(moved.leaves)
            taken = self.numpy.flatnonzero((numbers >= 0) & (moved.after != moved.before))
            sources = moved.sources.take(taken) + moved.begin
            yield sources, moved.after.take(taken), numbers.take(taken)

    def _chunk_moves(
        self, codes: RowCodes, first: Array, many: Array, begin: int, disabled: int
    ) -> LinkedBatch:
        numpy, packing = self.numpy, self.packing
        sources = numpy.repeat(numpy.arange(len(codes)), many)
        questions = numpy.arange(len(sources)) + (first - (numpy.cumsum(many) - many)).take(sources)
        before, words = codes.take(sources), [word.take(sources) for word in packing.split(codes)]
        leaves = self.trees.leaves(words, questions, lambda place: packing.row(int(before[place])))
        self.leaves.follow()
        after, table = packing.joined(self.leaves.after(words, leaves)), self.leaves
        many = int(table.weights.room.take(leaves).sum())
        disabled += int(table.forbidden.room.take(leaves).sum())
        wrong = table.faulty.room.take(leaves) > 0 if table.has_faults else slice(0)
        return LinkedBatch(
            codes, sources, after, many, disabled, before[wrong], begin, leaves=leaves
        )
