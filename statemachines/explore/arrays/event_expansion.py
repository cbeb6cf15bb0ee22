"""Steps of an event whose arguments are many, on arrays: rows and distinct atoms are paired, and
each piece is looked up in a table.

A row has a number for each set of columns that some piece looks at, a draw of arguments has one for
each set of atoms; a table has a cell for each pair of numbers, filled when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.cell_tables import (
    MOST_CELLS,
    ArgumentClasses,
    CellTable,
    DerivedKeyIndex,
    KeyIndex,
    RowClassPairs,
    TermProjection,
)
from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.event_decisions import DISABLED, DecidedOutcome, EventDecisions
from statemachines.explore.arrays.lookup_tables import Array, PackingOverflow
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.arrays.splitting import SplitExpression
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.snapshots import Value

CHUNK_PAIRS = 1 << 17
"""Pairs of a row and atoms that are worked on at once: few enough to stay in the cache."""


@frozen(eq=False)
class RowSuccessors:
    """Steps of some rows."""

    rows: RowCodes
    sources: Array
    """Of each step, the place of its row."""
    after: RowCodes
    """Of each step, the row after it."""
    faulty: Array
    """Places of rows in which the spec is wrong."""
    pairs: int
    """Rows paired with distinct atoms."""
    transitions: int
    disabled: int


@frozen(eq=False)
class _JoinedArguments:
    """The signs of all draws, one draw after the other."""

    counts: Array
    """By draw: how many signs it has; -1 where nothing was drawn yet."""
    begins: Array
    classes: Array
    weights: Array
    """Of each sign of a draw, how many arguments have it."""
    class_count: int
    """Signs that there are."""

    def covers(self, indices: Array) -> bool:
        """Tell whether all of these were drawn."""
        return not len(indices) or (
            int(indices.max()) < len(self.counts) and int(self.counts.take(indices).min()) >= 0
        )

    def pairs(self, numpy: Any, indices: Array, many: Array) -> RowClassPairs:
        """Pair rows with the signs of their draws.

        Args:
            numpy: the module.
            indices: of each row, its draw.
            many: of each row, how many signs this has.
        """
        rows = numpy.repeat(numpy.arange(len(indices)), many)
        at = numpy.arange(len(rows)) + (
            self.begins.take(indices) - (numpy.cumsum(many) - many)
        ).take(rows)
        return RowClassPairs(rows, self.classes.take(at), self.weights.take(at), self.class_count)


@define(eq=False)
class EventExpansion:
    """The steps of one event, for one copy."""

    numpy: Any
    packing: Packing
    decisions: EventDecisions
    shared_keys: dict[Row, KeyIndex | DerivedKeyIndex]
    """Columns to the numbers of what they hold: for all events."""
    classes: ArgumentClasses = field(init=False)
    enumerated: dict[int, tuple[Array, Array]] = field(factory=dict)
    """By the place of what the columns around the arguments hold: signs, and how many arguments
    have each.
    """
    joined: _JoinedArguments | None = None
    tables: dict[object, CellTable] = field(factory=dict)
    projections: dict[tuple[int, ...], TermProjection] = field(factory=dict)
    leaves_range: bool = False

    def __attrs_post_init__(self) -> None:
        self.classes = ArgumentClasses()

    def key_index(self, columns: Row) -> KeyIndex | DerivedKeyIndex:
        """Return the numbers of what some columns hold."""
        key_index = self.shared_keys.get(columns)
        if key_index is None:
            key_index = self.shared_keys.setdefault(columns, self._new_key_index(columns))
        return key_index

    def _new_key_index(self, columns: Row) -> KeyIndex | DerivedKeyIndex:
        if not columns or columns[-1] < self.decisions.derived.first_index:
            return KeyIndex(self.numpy, self.packing, columns)
        aspect = self.decisions.derived.at_index(columns[-1])

        def ask(numbers: Row, _: dict[str, Value]) -> int:
            return self.decisions.derived_value_id(aspect, numbers)

        table = self.cell_table(aspect.name, aspect.reads, (), ask)
        return DerivedKeyIndex(self.numpy, self.key_index(columns[:-1]), table)

    def cell_table(
        self,
        key: object,
        columns: Row,
        atoms: tuple[int, ...],
        ask: Callable[[Row, dict[str, Value]], int],
    ) -> CellTable:
        """Return a table, made where it is first asked for."""
        table = self.tables.get(key)
        if table is None:
            projection = self.projections.setdefault(
                atoms, TermProjection(self.numpy, self.classes, atoms)
            )
            table = self.tables.setdefault(
                key, CellTable(self.numpy, self.key_index(columns), projection, ask)
            )
        return table

    def successors(self, codes: RowCodes) -> Iterator[RowSuccessors]:
        """Yield the steps of all rows, some rows after others.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        numpy = self.numpy
        indices = self.key_index(self.decisions.argument_columns).row_indices(codes)
        self._note_asked_states(codes)
        drawn = self._arguments_at(indices)
        many = drawn.counts.take(indices)
        ends = numpy.cumsum(many)
        begin = 0
        while begin < len(codes):
            base = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(numpy.searchsorted(ends, base + CHUNK_PAIRS)))
            yield self._chunk_successors(
                codes[begin:end], indices[begin:end], many[begin:end], drawn
            )
            begin = end

    def _note_asked_states(self, codes: RowCodes) -> None:
        """Remember the states in which the event was asked."""
        states = self.numpy.bincount(self.packing.column_ids(codes, 0))
        self.decisions.memo.asked_states.update(self.numpy.flatnonzero(states).tolist())

    def _arguments_at(self, indices: Array) -> _JoinedArguments:
        """Return the signs of draws, those at these places among them."""
        drawn = self.joined
        if drawn is None or not drawn.covers(indices):
            for index in sorted_distinct(self.numpy, indices).tolist():
                if index not in self.enumerated:
                    self.enumerated[index] = self._enumerate(
                        self.key_index(self.decisions.argument_columns).ids[index]
                    )
            drawn = self.joined = self._join_arguments()
        return drawn

    def _enumerate(self, numbers: Row) -> tuple[Array, Array]:
        argument_classes = self.decisions.argument_classes(numbers)
        signs = [self.classes.class_index(values) for values in argument_classes]
        return self.numpy.array(signs, dtype=self.numpy.intp), self.numpy.array(
            list(argument_classes.values()), dtype=self.numpy.int64
        )

    def _join_arguments(self) -> _JoinedArguments:
        numpy, indices = self.numpy, sorted(self.enumerated)
        counts = numpy.full(max(indices, default=-1) + 1, -1, dtype=numpy.intp)
        counts[indices] = [len(self.enumerated[index][0]) for index in indices]
        empty = numpy.zeros(0, dtype=numpy.intp)
        signs = numpy.concatenate([empty, *(self.enumerated[index][0] for index in indices)])
        weights = numpy.concatenate([empty, *(self.enumerated[index][1] for index in indices)])
        none = numpy.maximum(counts, 0)
        return _JoinedArguments(
            counts, numpy.cumsum(none) - none, signs, weights, len(self.classes.values)
        )

    def _chunk_successors(
        self, codes: RowCodes, indices: Array, many: Array, drawn: _JoinedArguments
    ) -> RowSuccessors:
        numpy, pairs = self.numpy, drawn.pairs(self.numpy, indices, many)
        decided = self._decided_outcomes(codes, pairs)
        disabled = int(pairs.weights[decided == DISABLED].sum())
        transitions, sources, afters, wrong = 0, [], [], []
        for number in numpy.flatnonzero(numpy.bincount(decided, minlength=2)[2:]).tolist():
            chosen, outcome = (
                pairs.selected(numpy.flatnonzero(decided == number + 2)),
                self.decisions.outcomes[number],
            )
            after = self._rows_after(outcome, codes, chosen)
            right = self._type_correct(outcome, after)
            if right is not None:
                disabled += int(chosen.weights[~right].sum())
                wrong.append(chosen.rows[~right])
                chosen, after = chosen.selected(numpy.flatnonzero(right)), after[right]
            wrong += [chosen.rows] if outcome.overlaps else []
            transitions += self._count_steps(outcome, chosen.weights)
            sources.append(chosen.rows)
            afters.append(after)
        none = numpy.zeros(0, dtype=numpy.int64)
        taken, led_to, failed = (
            numpy.concatenate([none, *each]) for each in (sources, afters, wrong)
        )
        return RowSuccessors(codes, taken, led_to, failed, len(pairs.rows), transitions, disabled)

    def _decided_outcomes(self, codes: RowCodes, pairs: RowClassPairs) -> Array:
        decisions = self.decisions
        table = self.cell_table("decided", decisions.reads, decisions.used_terms, decisions.decide)
        return table.values(table.keys.paired_row_indices(codes, pairs), pairs)

    def _rows_after(
        self, outcome: DecidedOutcome, codes: RowCodes, pairs: RowClassPairs
    ) -> RowCodes:
        """Return the rows after steps."""
        packing = self.packing
        before = codes.take(pairs.rows)
        after = before + ((outcome.target - packing.column_ids(before, 0)) << packing.shifts[0])
        for column, part in outcome.effects:
            table = self._effect_table(column, part)
            numbers = table.values(table.keys.paired_row_indices(codes, pairs), pairs).astype(
                self.numpy.int64
            )
            if len(self.decisions.memo.columns[column].values) > 1 << packing.bits[column]:
                raise PackingOverflow
            held = packing.column_ids(before, column)
            after += (numbers - held) << packing.shifts[column]
            self._check_range(column, numbers, held)
        return after

    def _count_steps(self, outcome: DecidedOutcome, weights: Array) -> int:
        if len(weights) and outcome.transition is not None:
            self.decisions.memo.taken_transitions.add(id(outcome.transition))
        return int(weights.sum())

    def _check_range(self, column: int, numbers: Array, before: Array) -> None:
        if self.decisions.memo.may_leave_range and not self.leaves_range:
            outside = self.numpy.array(self.decisions.memo.columns[column].out_of_range, dtype=bool)
            self.leaves_range = bool((outside[numbers] & (numbers != before)).any())

    def _type_correct(self, outcome: DecidedOutcome, after: RowCodes) -> Array | None:
        """Tell of each step whether variables are of their types after it; None: all are."""
        found = None
        for name, columns in outcome.type_checks:

            def ask(
                numbers: Row, _: dict[str, Value], name: str = name, columns: Row = columns
            ) -> int:
                return int(self.decisions.is_of_type(name, columns, numbers))

            table = self.cell_table(("check", name), columns, (), ask)
            type_correct = table.row_values(table.keys.row_indices(after)) > 0
            found = type_correct if found is None else found & type_correct
        return None if found is None or found.all() else found

    def _effect_table(self, column: int, part: SplitExpression) -> CellTable:
        def ask(numbers: Row, named: dict[str, Value]) -> int:
            return self.decisions.new_value_id(column, part, numbers, named)

        return self.cell_table((column, id(part)), part.reads, part.terms, ask)

    @property
    def is_full(self) -> bool:
        """Tell whether what is remembered takes so much memory that it should be forgotten."""
        return any(table.cells.size > MOST_CELLS for table in self.tables.values())
