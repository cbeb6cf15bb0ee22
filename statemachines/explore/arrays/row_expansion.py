"""All steps from some rows at once, under one packing: counted, watched, and gathered where they
lead to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.cell_tables import DerivedKeyIndex, KeyIndex
from statemachines.explore.arrays.condition_tables import (
    ConditionAnswers,
    build_condition_table,
)
from statemachines.explore.arrays.event_decisions import EventDecisions, build_decisions
from statemachines.explore.arrays.event_expansion import EventExpansion, RowSuccessors
from statemachines.explore.arrays.expansions import (
    ArrayExpansion,
    ExpansionMaker,
    LabelledSteps,
    StepBatch,
    row_by_row,
)
from statemachines.explore.arrays.lookup_tables import Array, StepTable
from statemachines.explore.arrays.packing import AnyPacking, Packing, RowCodes
from statemachines.explore.arrays.system_expansion import SystemTrees
from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.models.machine_model import CopyEvent, MachineModel
from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.properties.row_conditions import CopyCondition, RowCondition
from statemachines.explore.refinements.refined_steps import RefinedSteps
from statemachines.explore.refinements.step_arrays import RefinedStepTables
from statemachines.explore.visited.known_rows import StepLabel

_MOST_SORTED_KEYS = 16
"""Keys up to which rows are sorted out by them: then each step adds one number to all of them."""


@define(eq=False)
class EventLabels:
    """Labels of the steps of one copy."""

    numpy: Any
    model: MachineModel
    copy: int
    label: StepLabel
    events: dict[str, CopyEvent] = field(init=False)
    classes: dict[EventExpansion, list[int]] = field(factory=dict)
    """The labels of the steps of each, by the number of all atoms of their arguments."""
    tables: dict[int, Array] = field(factory=dict)
    """By `id` of a table, the labels of its steps, as it has what they add."""

    def __attrs_post_init__(self) -> None:
        own = (event for event in self.model.events if event.copy == self.copy)
        self.events = {event.memo.event: event for event in own}

    def by_class(self, moves: EventExpansion) -> Array:
        """Return the labels of an event's steps by the number of all atoms of their arguments."""
        name, values = moves.decisions.memo.event, moves.classes.values
        known, fair = self.classes.setdefault(moves, []), moves.decisions.fair_terms
        for terms in values[len(known) :]:
            given = {argument: terms[index] for argument, index in fair.items()}
            taken = Successor(given, (), raised=False, leaves_range=False)
            known.append(self.label(self.events[name], taken))
        return self.numpy.array(known, dtype=self.numpy.int64)

    def by_step(self, steps: StepTable) -> Array:
        """Return the labels of events without data: a row a step, by key."""
        labels = self.tables.get(id(steps))
        if labels is None or labels.shape != steps.arrays[1].shape:
            labels = steps.labels(lambda memo, taken: self.label(self.events[memo.event], taken))
            self.tables[id(steps)] = labels
        return labels


@define(eq=False)
class RowExpansion(ArrayExpansion):
    """The tables of all rules and conditions, for one packing."""

    numpy: Any
    model: MachineModel
    packing: Packing
    decisions: list[EventDecisions]
    """What events with data do."""
    step_tables: list[StepTable] = field(init=False)
    """What the other ones do."""
    event_expansions: list[EventExpansion] = field(init=False)
    condition_tables: dict[RowCondition, ConditionAnswers] = field(factory=dict)
    refined: RefinedStepTables = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.refined = RefinedStepTables(self.numpy)
        groups: dict[tuple[int, ...], list[EventMemo]] = {}
        for rule in self.model.memos:
            if not rule.has_data:
                groups.setdefault(rule.reads, []).append(rule)
        self.step_tables = [
            StepTable(self.numpy, self.packing, tuple(rules), reads)
            for reads, rules in groups.items()
        ]
        shared: dict[Row, KeyIndex | DerivedKeyIndex] = {}
        self.event_expansions = [
            EventExpansion(self.numpy, self.packing, decision, shared)
            for decision in self.decisions
        ]

    @property
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""
        return any(steps.leaves_range for steps in self.step_tables) or any(
            moves.leaves_range for moves in self.event_expansions
        )

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""
        return any(moves.is_full for moves in self.event_expansions)

    def condition_table(self, condition: RowCondition) -> ConditionAnswers:
        """Return what answers for a condition."""
        condition_table = self.condition_tables.get(condition)
        if condition_table is None:
            condition_table = self.condition_tables.setdefault(
                condition, build_condition_table(self.numpy, self.packing, condition)
            )
        return condition_table

    def looked_at(self, claim: RefinedSteps) -> int:
        """Return the bits of a row at which the columns of an abstract machine look."""
        bits = 0
        for mapped in claim.mapped:
            assert isinstance(mapped, CopyCondition)
            bits |= self.packing.mask(mapped.condition.reads, mapped.copy)
        return bits

    def column_ids(self, codes: RowCodes, column: int, copy: int) -> Array:
        """Return the numbers in a column of a copy."""
        return self.packing.keys(codes, self.packing.key_runs((column,)), copy)

    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""
        assert isinstance(condition, CopyCondition)
        return self.condition_table(condition.condition).values(codes, condition.copy, before)

    def batches(self, codes: RowCodes) -> Iterator[StepBatch]:
        """Yield all steps from rows; see `ArrayExpansion`."""
        yield from self._batches(codes, joined=False)

    def joined_batches(self, codes: RowCodes) -> Iterator[StepBatch]:
        """Yield all steps where nobody asks which row they leave; see `ArrayExpansion`."""
        yield from self._batches(codes, joined=True)

    def _batches(self, codes: RowCodes, *, joined: bool) -> Iterator[StepBatch]:
        for copy in range(self.model.copies):
            for steps in self.step_tables:
                yield from self._simple_batches(steps, copy, codes, joined=joined)
            for moves in self.event_expansions:
                begin = 0
                for rows, expanded, after in self.event_steps(moves, codes, copy):
                    wrong, many = rows[expanded.faulty], (expanded.transitions, expanded.disabled)
                    yield StepBatch(rows, expanded.sources, after, *many, wrong, begin)
                    begin += len(rows)

    def _simple_batches(
        self, steps: StepTable, copy: int, codes: RowCodes, *, joined: bool
    ) -> Iterator[StepBatch]:
        """Yield the steps of events without data: first how many there are and what they change."""
        positions = steps.indices(codes, copy)
        counts, _, changes, disabled, wrong = steps.arrays
        often = self.numpy.bincount(positions, minlength=len(counts))
        many, none = (int(often @ counts), int(often @ disabled)), codes[:0]
        faulty = codes[wrong.take(positions)] if wrong.any() else none
        yield StepBatch(codes, none, none, *many, faulty, changed=changes.take(positions))
        if joined and len(counts) <= _MOST_SORTED_KEYS:
            for after in self._rows_by_key(steps, codes, positions, often, copy):
                yield StepBatch(none, None, after, 0, 0, none, changed=False)
            return
        for sources, after in self.simple_steps(steps, codes, positions, copy):
            yield StepBatch(codes, sources, after, 0, 0, none, changed=False)

    def labelled_steps(self, label: StepLabel) -> LabelledSteps:
        """Return what takes the steps of rows, with a label of each."""
        labels = [
            EventLabels(self.numpy, self.model, copy, label) for copy in range(self.model.copies)
        ]

        def steps(codes: RowCodes) -> tuple[Array, RowCodes, Array]:
            none = codes[:0]
            labelled = (self._labelled_steps(codes, some) for some in labels)
            return row_by_row(self.numpy, [(none, none, none), *chain.from_iterable(labelled)])

        return steps

    def _labelled_steps(
        self, codes: RowCodes, labels: EventLabels
    ) -> Iterator[tuple[Array, RowCodes, Array]]:
        """Yield the steps of one copy that change something."""
        numpy, copy = self.numpy, labels.copy
        for steps in self.step_tables:
            positions = steps.indices(codes, copy)
            numbers, every = labels.by_step(steps), numpy.arange(len(codes))
            for number, (sources, after) in enumerate(
                self.simple_steps(steps, codes, positions, copy)
            ):
                sources = every if sources is None else sources
                taken = numpy.flatnonzero(after != codes.take(sources))
                sources = sources.take(taken)
                yield sources, after.take(taken), numbers[number].take(positions.take(sources))
        for moves in self.event_expansions:
            begin = 0
            for rows, expanded, after in self.event_steps(moves, codes, copy):
                taken = numpy.flatnonzero(after != rows.take(expanded.sources))
                numbers = labels.by_class(moves).take(expanded.classes.take(taken))
                yield expanded.sources.take(taken) + begin, after.take(taken), numbers
                begin += len(rows)

    def _rows_by_key(
        self, steps: StepTable, codes: RowCodes, positions: Array, often: Array, copy: int
    ) -> Iterator[RowCodes]:
        """Yield where steps lead that change something."""
        shift, kinds = copy * self.packing.width, positions.astype(self.numpy.uint8)
        for place in self.numpy.flatnonzero(often).tolist():
            deltas = {delta for delta in steps.deltas[place] if delta}
            if deltas:
                rows = codes.compress(kinds == place)
                yield from (rows + (delta << shift) for delta in deltas)

    def simple_steps(
        self, steps: StepTable, codes: RowCodes, positions: Array, copy: int
    ) -> Iterator[tuple[Array, RowCodes]]:
        """Yield the rows that steps leave (their places; None: all) and those that they lead to."""
        counts, added, *_ = steps.arrays
        many, shift = counts.take(positions), copy * self.packing.width
        for number, row in enumerate(added << shift):
            if int(many.min(initial=0)) > number:
                yield None, codes + row.take(positions)
            else:
                sources = self.numpy.flatnonzero(many > number)
                yield sources, codes.take(sources) + row.take(positions.take(sources))

    def event_steps(
        self, moves: EventExpansion, codes: RowCodes, copy: int
    ) -> Iterator[tuple[RowCodes, RowSuccessors, RowCodes]]:
        """Yield some rows after others, their steps, and the rows after these."""
        if self.model.copies == 1:
            yield from (
                (successor.rows, successor, successor.after)
                for successor in moves.successors(codes)
            )
            return
        shift, mask, begin = copy * self.packing.width, (1 << self.packing.width) - 1, 0
        for successor in moves.successors((codes >> shift) & mask):
            rows = codes[begin : begin + len(successor.rows)]
            begin += len(rows)
            yield (
                rows,
                successor,
                rows.take(successor.sources)
                + ((successor.after - successor.rows.take(successor.sources)) << shift),
            )


def expansion_maker(numpy: Any, model: Model) -> ExpansionMaker:
    """Return what makes the tables of a model, whatever the packing."""
    if isinstance(model, SystemModel):
        return SystemTrees(numpy, model).expansion
    assert isinstance(model, MachineModel)
    decisions = list[EventDecisions]()

    def make(packing: AnyPacking) -> RowExpansion:
        assert isinstance(packing, Packing), "rows of machines have one word"
        if not decisions:
            memos = (memo for memo in model.memos if memo.has_data)
            decisions.extend(build_decisions(memos, packing, model.extent))
        return RowExpansion(numpy, model, packing, decisions)

    return make
