"""Steps of an event whose arguments are many, on arrays: rows and distinct atoms are paired, and
each piece is looked up in a table.

A row has a number for each set of columns that some piece looks at, a draw of arguments has one for
each set of atoms; a table has a cell for each pair of numbers, filled when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.arrays.cell_tables import (
    MOST_CELLS,
    ArgumentClasses,
    ArgumentEntries,
    CellTable,
    DerivedKeyIndex,
    KeyIndex,
    RowClassPairs,
    TermProjection,
)
from statemachines.explore.arrays.distinct_numbers import pair_slices
from statemachines.explore.arrays.event_decisions import (
    DISABLED,
    NOT_ASKED,
    DecidedOutcome,
    EventDecisions,
)
from statemachines.explore.arrays.lookup_tables import Array, PackingOverflow
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.arrays.splitting import SplitExpression
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.snapshots import Value

Effect = tuple[int, SplitExpression]
"""Column that changes, and its new value."""
CHUNK_PAIRS = 1 << 17
"""Pairs of a row and atoms that are worked on at once: few enough to stay in the cache."""


@frozen(eq=False)
class RowSuccessors:
    """Steps of some rows."""

    rows: RowCodes
    sources: Array
    """Of each step, the place of its row."""
    classes: Array
    """Of each step, the number of all atoms of its arguments."""
    after: RowCodes
    """Of each step, the row after it."""
    order: Array | None
    """Of each step, its place among those of the arguments in their order; None: they are in it."""
    faulty: Array
    """Places of rows in which the spec is wrong."""
    pairs: int
    """Rows paired with distinct atoms."""
    transitions: int
    disabled: int

    def in_order(self, numpy: Any) -> RowSuccessors:
        """Return the same with the steps of each row in the order of their arguments."""
        if self.order is None:
            return self
        by_turn = numpy.argsort(self.order, kind="stable")
        sources, classes, after = (
            part.take(by_turn) for part in (self.sources, self.classes, self.after)
        )
        return evolve(self, sources=sources, classes=classes, after=after, order=None)


@define(eq=False)
class EventExpansion:
    """The steps of one event of a part."""

    numpy: Any
    packing: Packing
    decisions: EventDecisions
    shared_keys: dict[Row, KeyIndex | DerivedKeyIndex]
    """Columns to the numbers of what they hold: for all events."""
    classes: ArgumentClasses = field(init=False)
    entries: ArgumentEntries = field(init=False)
    """By what the columns around the arguments hold."""
    tables: dict[object, CellTable] = field(factory=dict)
    projections: dict[tuple[int, ...], TermProjection] = field(factory=dict)
    leaves_range: bool = False

    def __attrs_post_init__(self) -> None:
        self.classes = ArgumentClasses()
        self.entries = ArgumentEntries(self.numpy)

    @property
    def _knows_decisions(self) -> bool:
        """Whether the columns around the arguments decide what is done with each of them."""
        return set(self.decisions.reads) <= set(self.decisions.argument_columns)

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
        ask = partial(self.decisions.derived_value_id, aspect)
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
        indices = self.key_index(self.decisions.argument_columns).row_indices(codes)
        states = self.numpy.bincount(self.packing.column_ids(codes, 0))
        self.decisions.memo.asked_states.update(self.numpy.flatnonzero(states).tolist())
        self._learn_entries(codes, indices)
        many = self.entries.counts.room.take(indices)
        for chunk in pair_slices(self.numpy, many, CHUNK_PAIRS):
            yield self._chunk_successors(codes[chunk], indices[chunk], many[chunk])

    def _learn_entries(self, codes: RowCodes, indices: Array) -> None:
        """Draw the arguments of rows around which nothing was drawn yet, and decide what is known
        of them by that.
        """
        numpy, entries = self.numpy, self.entries
        entries.make_room(len(self.key_index(self.decisions.argument_columns).ids))
        unknown = numpy.flatnonzero(entries.counts.room.take(indices) < 0)
        if not len(unknown):
            return
        new, first = numpy.unique(indices.take(unknown), return_index=True)
        rows = codes.take(unknown.take(first))
        keys = self.key_index(self.decisions.argument_columns).ids
        known = [self.decisions.argument_classes(keys[index]) for index in new.tolist()]
        places, index = numpy.arange(len(rows)), self.classes.class_index
        classes = [index(values) for some in known for values in some]
        weights = [weight for some in known for weight in some.values()]
        pairs = RowClassPairs(
            numpy.repeat(places, [len(some) for some in known]),
            numpy.array(classes, dtype=numpy.int64),
            numpy.array(weights, dtype=numpy.int64),
            len(self.classes.values),
        )
        if self._knows_decisions:
            self._learn_decided(new, rows, pairs)
        else:
            entries.add(new, pairs)

    def _learn_decided(self, new: Array, rows: RowCodes, pairs: RowClassPairs) -> None:
        """Keep what is decided of arguments, and what effects add that look at nothing else."""
        numpy = self.numpy
        decided = self._decided_outcomes(rows, pairs)
        unused = numpy.where(decided == DISABLED, pairs.weights, 0)
        disabled = numpy.bincount(pairs.rows, weights=unused, minlength=len(rows))
        taken = numpy.flatnonzero(decided > DISABLED)
        pairs, decided = pairs.selected(taken), decided.take(taken)
        added = numpy.zeros(len(decided), dtype=numpy.int64)
        for number in present_numbers(numpy, decided):
            places = numpy.flatnonzero(decided == number)
            outcome, some = self.decisions.outcomes[number - 2], pairs.selected(places)
            effects = [effect for effect in outcome.effects if self._is_known(effect)]
            added[places] = self._added(rows.take(some.rows), rows, some, outcome, effects)
        self.entries.add(new, pairs, decided, added, disabled.astype(numpy.int64))

    def _chunk_successors(self, codes: RowCodes, indices: Array, many: Array) -> RowSuccessors:
        numpy, entries = self.numpy, self.entries
        rows, at = entries.paired(indices, many)
        pairs = RowClassPairs(
            rows,
            entries.classes.room.take(at),
            entries.weights.room.take(at),
            len(self.classes.values),
        )
        if self._knows_decisions:
            decided, added = entries.decided.room.take(at), entries.added.room.take(at)
            disabled = int(entries.disabled.room.take(indices).sum())
        else:
            decided, added = self._decided_outcomes(codes, pairs), None
            disabled = int(pairs.weights[decided == DISABLED].sum())
        transitions, sources, classes, afters, order, wrong = 0, [], [], [], [], []
        for number in present_numbers(numpy, decided):
            if number in (NOT_ASKED, DISABLED):
                continue
            outcome, chosen, known = self.decisions.outcomes[number - 2], pairs, added
            places = None
            if not (decided == number).all():
                places = numpy.flatnonzero(decided == number)
                chosen = pairs.selected(places)
                known = None if added is None else added.take(places)
            after = self._rows_after(codes, chosen, outcome, known)
            right = self._type_correct(outcome, after)
            if right is not None:
                disabled += int(chosen.weights[~right].sum())
                wrong.append(chosen.rows[~right])
                chosen, after = chosen.selected(numpy.flatnonzero(right)), after[right]
                places = None if places is None else places[right]
            wrong += [chosen.rows] if outcome.overlaps else []
            if len(chosen.weights) and outcome.transition is not None:
                self.decisions.memo.taken_transitions.add(id(outcome.transition))
            transitions += int(chosen.weights.sum())
            sources.append(chosen.rows)
            classes.append(chosen.classes)
            afters.append(after)
            order += [] if places is None else [places]
        pieces = sources, classes, afters, wrong
        taken, signs, led_to, failed = (joined(numpy, some) for some in pieces)
        in_turn = joined(numpy, order) if len(order) > 1 else None
        many = transitions, disabled
        return RowSuccessors(codes, taken, signs, led_to, in_turn, failed, len(pairs.rows), *many)

    def _decided_outcomes(self, codes: RowCodes, pairs: RowClassPairs) -> Array:
        decisions = self.decisions
        table = self.cell_table("decided", decisions.reads, decisions.used_terms, decisions.decide)
        return table.values(table.keys.paired_row_indices(codes, pairs), pairs)

    def _rows_after(
        self, codes: RowCodes, pairs: RowClassPairs, outcome: DecidedOutcome, known: Array | None
    ) -> RowCodes:
        """Return the rows after steps; `known`: of each step, what is known to be added to its row;
        None: nothing is.
        """
        before = codes.take(pairs.rows)
        if known is None:
            return before + self._added(before, codes, pairs, outcome, outcome.effects)
        effects = [effect for effect in outcome.effects if not self._is_known(effect)]
        after = before + known
        return after + self._added(before, codes, pairs, None, effects) if effects else after

    def _is_known(self, effect: Effect) -> bool:
        """Tell whether an effect looks at the columns around the arguments only."""
        column, part = effect
        return {*part.reads, column} <= set(self.decisions.argument_columns)

    def _added(
        self,
        before: RowCodes,
        codes: RowCodes,
        pairs: RowClassPairs,
        outcome: DecidedOutcome | None,
        effects: Sequence[Effect],
    ) -> RowCodes:
        """Return what is added to rows: by a new state, where there is an outcome, and by effects.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        packing, added = self.packing, 0
        if outcome is not None:
            held = packing.column_ids(before, 0)
            added = (outcome.target - held) << packing.shifts[0]
        for column, part in effects:
            ask = partial(self.decisions.new_value_id, column, part)
            table = self.cell_table((column, id(part)), part.reads, part.terms, ask)
            numbers = table.values(table.keys.paired_row_indices(codes, pairs), pairs).astype(
                self.numpy.int64
            )
            if len(self.decisions.memo.columns[column].values) > 1 << packing.bits[column]:
                raise PackingOverflow
            held = packing.column_ids(before, column)
            added = added + ((numbers - held) << packing.shifts[column])
            if self.decisions.memo.may_leave_range and not self.leaves_range:
                outside = self.decisions.memo.columns[column].out_of_range
                leaves = self.numpy.array(outside, dtype=bool)[numbers] & (numbers != held)
                self.leaves_range = bool(leaves.any())
        return added

    def _type_correct(self, outcome: DecidedOutcome, after: RowCodes) -> Array | None:
        """Tell of each step whether variables are of their types after it; None: all are."""
        all_correct = None
        for name, columns in outcome.type_checks:
            ask = partial(self.decisions.is_of_type, name, columns)
            table = self.cell_table(("check", name), columns, (), ask)
            type_correct = table.row_values(table.keys.row_indices(after)) > 0
            all_correct = type_correct if all_correct is None else all_correct & type_correct
        return None if all_correct is None or all_correct.all() else all_correct

    @property
    def is_full(self) -> bool:
        """Tell whether what is remembered takes so much memory that it should be forgotten."""
        sizes = (self.entries.classes.size, *(table.cells.size for table in self.tables.values()))
        return any(size > MOST_CELLS for size in sizes)


def present_numbers(numpy: Any, numbers: Array) -> list[int]:
    """Return each of some small numbers once, in order."""
    present: list[int] = numpy.flatnonzero(numpy.bincount(numbers)).tolist()
    return present


def joined(numpy: Any, pieces: Sequence[Array]) -> Array:
    """Return arrays of numbers one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    return numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *pieces])
