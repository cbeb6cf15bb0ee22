"""All steps from some rows at once, under one packing: counted, watched, and gathered where they
lead to.

Of each part, events of which nothing comes than what its machine does are looked up as if it were
alone; what links make of the others is asked of the whole row (`linked_tables`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.condition_tables import ConditionAnswers, TreeAnswers, claim_table
from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.event_decisions import EventDecisions, build_decisions
from statemachines.explore.arrays.event_expansion import EventExpansion
from statemachines.explore.arrays.expansions import (
    LABEL_BITS,
    ChunkFindings,
    LabelledSteps,
    RowNumbers,
    StepBatch,
    row_by_row,
)
from statemachines.explore.arrays.forest_tables import ForestTable
from statemachines.explore.arrays.linked_tables import LeafLabels, LinkedTables
from statemachines.explore.arrays.lookup_tables import Array, StepTable
from statemachines.explore.arrays.packing import BlockPlace, Packing, RowCodes, block_places
from statemachines.explore.arrays.part_rows import (
    EventLabels,
    KindTables,
    PlacedRows,
    event_after,
    kind_tables,
)
from statemachines.explore.models.decision_forests import DecisionForest
from statemachines.explore.models.model_protocol import Condition, Model, ModelEvent
from statemachines.explore.models.part_blocks import PartEvent, PartKind
from statemachines.explore.models.successors import Successor
from statemachines.explore.properties.row_conditions import RowCondition
from statemachines.explore.refinements.refined_steps import RefinedSteps
from statemachines.explore.refinements.step_arrays import ALL_BITS, RefinedStepTables
from statemachines.explore.rows.search_goals import PendingGoals
from statemachines.explore.visited.known_rows import StepLabel
from statemachines.explore.visited.visited_rows import GatheredLevel

_MOST_SORTED_KEYS = 16
"""Keys up to which rows are sorted out by them: then each step adds one number to all of them."""


@define(eq=False)
class KnownSteps:
    """What is known of the events of a model, whatever the packing."""

    numpy: Any
    model: Model
    decisions: dict[PartKind, list[EventDecisions]] = field(factory=dict)
    """What events with data do."""
    trees: ForestTable | None = None
    """What links make of events."""
    conditions: dict[DecisionForest[int], ForestTable] = field(factory=dict)
    """What is claimed."""

    def decisions_of(self, place: BlockPlace) -> list[EventDecisions]:
        """Return what the events with data of a kind of part do, of which nothing more comes."""
        kind = place.block.kind
        decisions = self.decisions.get(kind)
        if decisions is None:
            memos = (memo for memo in kind.free_memos if memo.has_data)
            decisions = self.decisions[kind] = build_decisions(memos, place.packing, kind.extent)
        return decisions

    def expansion(self, packing: Packing) -> ArrayExpansion:
        """Return the tables for a packing; what takes too much memory is made anew."""
        linked = self.model.linked
        if linked is not None and (self.trees is None or self.trees.is_full):
            self.trees = ForestTable(self.numpy, linked.forest)
        return ArrayExpansion(self.numpy, self.model, packing, self)


@define(eq=False)
class ArrayExpansion:
    """The tables of a model under one packing."""

    numpy: Any
    model: Model
    packing: Packing
    known: KnownSteps
    places: dict[int, BlockPlace] = field(init=False)
    """By first column: where each part lies."""
    kinds: dict[PartKind, KindTables] = field(factory=dict)
    linked: LinkedTables | None = None
    condition_tables: dict[DecisionForest[int], ConditionAnswers] = field(factory=dict)
    refined: RefinedStepTables = field(init=False)

    def __attrs_post_init__(self) -> None:
        numpy, packing, linked = self.numpy, self.packing, self.model.linked
        self.refined = RefinedStepTables(numpy)
        self.places = {at.block.offset: at for at in block_places(self.model, packing)}
        for place in self.places.values():
            kind = place.block.kind
            if kind not in self.kinds:
                self.kinds[kind] = kind_tables(numpy, place, self.known.decisions_of(place))
        if linked is not None and self.known.trees is not None:
            self.linked = LinkedTables(numpy, linked, packing, self.places, self.known.trees)

    @property
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""
        return any(
            any(steps.leaves_range for steps in tables.step_tables)
            or any(moves.leaves_range for moves in tables.event_expansions)
            for tables in self.kinds.values()
        ) or (self.linked is not None and self.linked.leaves.leaves_range)

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""
        own = (moves for tables in self.kinds.values() for moves in tables.event_expansions)
        return any(moves.is_full for moves in own) or (
            self.linked is not None and self.linked.trees.is_full
        )

    def _placed(self, place: BlockPlace, codes: RowCodes, words: Sequence[RowCodes]) -> PlacedRows:
        return PlacedRows(self.numpy, self.packing, place, codes, words, place.codes(words))

    def looked_at(self, claim: RefinedSteps) -> int:
        """Return the bits of a row at which the columns of an abstract machine look."""
        bits = 0
        for mapped in claim.mapped:
            if mapped.claim is None or self.packing.word_count > 1:
                return ALL_BITS
            first = mapped.columns.start
            bits |= self.packing.mask(first + column for column in mapped.claim.reads)
        return bits

    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""
        assert isinstance(condition, RowCondition)
        table = self.condition_tables.get(condition.forest)
        if table is None:
            table = self.condition_tables[condition.forest] = self._condition_table(condition)
        if condition.claim is not None:
            place, split = self.places[condition.columns.start], self.packing.split
            before = None if before is None else place.codes(split(before))
            codes = place.codes(split(codes))
        return table.values(codes, before)

    def forget_conditions(self) -> None:
        """Let go of what conditions and abstract machines said: it can be asked again."""
        self.condition_tables.clear()
        self.refined = RefinedStepTables(self.numpy)

    def _condition_table(self, condition: RowCondition) -> ConditionAnswers:
        if condition.claim is not None:
            packing = self.places[condition.columns.start].packing
            return claim_table(self.numpy, packing, condition.claim)
        kind = bool if condition.is_truth else self.numpy.int64
        tree = self.known.conditions.get(condition.forest)
        if tree is None:
            tree = ForestTable(self.numpy, condition.forest)
            self.known.conditions[condition.forest] = tree
        return TreeAnswers(self.numpy, self.packing, tree, kind)

    def batches(self, codes: RowCodes, *, joined: bool = False) -> Iterator[StepBatch]:
        """Yield all steps from rows from which a search goes on, some after others; `joined`:
        nobody asks which row a step leaves, and rows may be left out to which others in the batch
        lead as well, and those that no step changes.
        """
        words = self.packing.split(codes)
        for place in self.places.values():
            tables = self.kinds[place.block.kind]
            if not (tables.step_tables or tables.event_expansions):
                continue
            rows = self._placed(place, codes, words)
            for steps in tables.step_tables:
                yield from self._simple_batches(steps, rows, joined=joined)
            for moves in tables.event_expansions:
                yield from self._event_batches(moves, rows)
        if self.linked is not None:
            for batch in self.linked.batches(codes, words):
                yield batch if joined else self.linked.taken(batch)

    def _event_batches(self, moves: EventExpansion, rows: PlacedRows) -> Iterator[StepBatch]:
        begin = 0
        for moved in moves.successors(rows.own):
            some = rows.part(begin, begin + len(moved.rows))
            wrong, many = some.codes[moved.faulty], (moved.transitions, moved.disabled)
            after = event_after(moved, some)
            yield StepBatch(some.codes, moved.sources, after, *many, wrong, begin)
            begin += len(moved.rows)

    def _simple_batches(
        self, steps: StepTable, rows: PlacedRows, *, joined: bool
    ) -> Iterator[StepBatch]:
        """Yield the steps of events without data: first how many there are and what they change."""
        codes, positions = rows.codes, steps.indices(rows.own)
        counts, _, changes, disabled, wrong = steps.arrays
        often = self.numpy.bincount(positions, minlength=len(counts))
        many, none = (int(often @ counts), int(often @ disabled)), codes[:0]
        faulty = codes[wrong.take(positions)] if wrong.any() else none
        yield StepBatch(codes, none, none, *many, faulty, changed=changes.take(positions))
        if joined and len(counts) <= _MOST_SORTED_KEYS and self.packing.word_count == 1:
            for after in self._rows_by_key(steps, rows, positions, often):
                yield StepBatch(none, None, after, 0, 0, none, changed=False)
            return
        for sources, after in self.simple_steps(steps, rows, positions):
            yield StepBatch(codes, sources, after, 0, 0, none, changed=False)

    def labelled_steps(self, label: StepLabel, number: RowNumbers) -> LabelledSteps:
        """Return what takes the steps of rows, with a label of each, and numbers the rows to which
        they lead: those of an event together, which lie closer to each other than those of a row.
        """
        numbers = {event: number for number, event in enumerate(self.model.events)}

        def numbered(event: ModelEvent, taken: Successor) -> int:
            return numbers[event] << LABEL_BITS | label(event, taken)

        labels = dict[BlockPlace, EventLabels]()
        for place in self.places.values():
            own = (event for event in self.model.events if event.block is place.block)
            events = {event.name: event for event in own if isinstance(event, PartEvent)}
            ordered = self.kinds[place.block.kind].ordered_tables(self.numpy, place.packing)
            labels[place] = EventLabels(self.numpy, events, numbered, ordered)
        linked = self.model.linked
        of_leaves = (
            None
            if linked is None
            else LeafLabels(self.numpy, linked.forest.leaves, linked.events, numbered)
        )

        def steps(codes: RowCodes) -> tuple[Array, Array, Array]:
            none, words = codes[:0], self.packing.split(codes)
            own = (
                self._labelled_steps(self._placed(place, codes, words), labels[place])
                for place in self.places.values()
            )
            pieces = [(none, none, none), *chain.from_iterable(own)]
            if of_leaves is not None and self.linked is not None:
                pieces += self.linked.labelled(codes, words, of_leaves)
            numbers = [(sources, number(after), labels) for sources, after, labels in pieces]
            return row_by_row(self.numpy, numbers)

        return steps

    def _labelled_steps(
        self, rows: PlacedRows, labels: EventLabels
    ) -> Iterator[tuple[Array, RowCodes, Array]]:
        """Yield the steps of one part that change something."""
        numpy, codes, tables = self.numpy, rows.codes, self.kinds[rows.place.block.kind]
        for steps in labels.ordered_tables:
            positions = steps.indices(rows.own)
            numbers, every = labels.by_step(steps), numpy.arange(len(codes))
            for number, (sources, after) in enumerate(self.simple_steps(steps, rows, positions)):
                sources = every if sources is None else sources
                taken = numpy.flatnonzero(after != codes.take(sources))
                sources = sources.take(taken)
                yield sources, after.take(taken), numbers[number].take(positions.take(sources))
        for moves in tables.event_expansions:
            begin = 0
            for moved in moves.successors(rows.own) if moves.decisions.draws_in_order else ():
                some = rows.part(begin, begin + len(moved.rows))
                moved = moved.in_order(numpy)
                after = event_after(moved, some)
                taken = numpy.flatnonzero(after != some.codes.take(moved.sources))
                numbers = labels.by_class(moves).take(moved.classes.take(taken))
                yield moved.sources.take(taken) + begin, after.take(taken), numbers
                begin += len(moved.rows)

    def _rows_by_key(
        self, steps: StepTable, rows: PlacedRows, positions: Array, often: Array
    ) -> Iterator[RowCodes]:
        """Yield where steps lead that change something."""
        kinds = positions.astype(self.numpy.uint8)
        for place in self.numpy.flatnonzero(often).tolist():
            deltas = {delta for delta in steps.deltas[place] if delta}
            if deltas:
                some = rows.codes.compress(kinds == place)
                yield from (some + (delta << rows.place.shift) for delta in deltas)

    def simple_steps(
        self, steps: StepTable, rows: PlacedRows, positions: Array
    ) -> Iterator[tuple[Array, RowCodes]]:
        """Yield the rows that steps leave (their places; None: all) and those that they lead to."""
        counts, added, *_ = steps.arrays
        many = counts.take(positions)
        for number, row in enumerate(added):
            if int(many.min(initial=0)) > number:
                yield None, rows.after(None, row.take(positions))
            else:
                sources = self.numpy.flatnonzero(many > number)
                yield sources, rows.after(sources, row.take(positions.take(sources)))

    def steps(self, codes: RowCodes) -> Iterator[tuple[RowCodes, RowCodes]]:
        """Yield rows that steps leave, and those that they lead to; these may be gone through
        several times.
        """
        for batch in self.batches(self.within_constraint(self.within_range(codes))):
            yield batch.before, batch.after

    def within_range(self, codes: RowCodes) -> RowCodes:
        """Leave out rows in which an integer without bounds has left the range that is explored."""
        for column, model_column in enumerate(self.model.columns):
            if any(model_column.out_of_range):
                outside = self.numpy.array(model_column.out_of_range, dtype=bool)
                codes = codes[~outside[self.packing.column_ids(codes, column)]]
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
        """Take all steps from rows from which a search goes on.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        codes = self.within_constraint(self.within_range(codes))
        changed = self.numpy.zeros(len(codes), dtype=bool)
        for batch in self.batches(codes, joined=not goals.steps):
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
        stuck = codes[~changed] if goals.deadlocks else codes[:0]
        rows = [self.packing.row(code) for code in stuck.tolist()]
        for number, goal in goals.deadlocks if rows else ():
            test = goal.deadlock_test
            chunk.add_hits(number, stuck[[test is not None and test(row) for row in rows]])
