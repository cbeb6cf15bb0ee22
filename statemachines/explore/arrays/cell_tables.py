"""Tables of pieces: a cell for what a row has in some columns, and for what arguments come to
there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import GrowingArray, LookupIndex, sorted_distinct
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.arrays.splitting import TermValues, term_name
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.snapshots import Value

MOST_CELLS = 1 << 24
"""Cells of a table beyond which all tables are made anew."""


@define(eq=False)
class KeyIndex:
    """What some columns hold, numbered in the order in which it is met."""

    numpy: Any
    packing: Packing
    columns: Row
    runs: list[tuple[int, int, int]] = field(init=False)
    index: LookupIndex = field(init=False)
    ids: list[Row] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.runs = self.packing.key_runs(self.columns)
        self.index = LookupIndex(self.numpy, self.packing.key_bits(self.columns), self._fill)

    def _fill(self, keys: RowCodes) -> None:
        self.ids += self.packing.ids(keys, self.columns)

    def row_indices(self, codes: RowCodes) -> Array:
        """Return the number of each row."""
        return self.index.indices(self.packing.keys(codes, self.runs))

    def paired_row_indices(self, codes: RowCodes, pairs: RowClassPairs) -> Array:
        """Return the number of each row, whether it is paired or not."""
        return self.row_indices(codes)


@define(eq=False)
class DerivedKeyIndex:
    """What some columns and an aspect hold, numbered in the order in which it is met."""

    numpy: Any
    first: KeyIndex | DerivedKeyIndex
    derived: CellTable
    index: LookupIndex = field(init=False)
    ids: list[Row] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.index = LookupIndex(self.numpy, 62, self._fill)

    def _fill(self, keys: RowCodes) -> None:
        self.ids += ((*self.first.ids[key >> 31], key & ((1 << 31) - 1)) for key in keys.tolist())

    def row_indices(self, codes: RowCodes) -> Array:
        """Return the number of each row."""
        values = self.derived.row_values(self.derived.keys.row_indices(codes)).astype(
            self.numpy.int64
        )
        return self.index.indices(
            self.first.row_indices(codes).astype(self.numpy.int64) << 31 | values
        )

    def paired_row_indices(self, codes: RowCodes, pairs: RowClassPairs) -> Array:
        """Return the number of each row that is paired: of the others the aspect is not asked."""
        rows = self.numpy.flatnonzero(self.numpy.bincount(pairs.rows, minlength=len(codes)))
        row_indices = self.numpy.zeros(len(codes), dtype=self.numpy.intp)
        row_indices[rows] = self.row_indices(codes.take(rows))
        return row_indices


@define(eq=False)
class ArgumentClasses:
    """The distinct atoms of an event."""

    indices: dict[TermValues, int] = field(factory=dict)
    values: list[TermValues] = field(factory=list)

    def class_index(self, values: TermValues) -> int:
        """Return the number of all atoms of some arguments."""
        class_index = self.indices.get(values)
        if class_index is None:
            class_index = self.indices[values] = len(self.values)
            self.values.append(values)
        return class_index


@define(eq=False)
class TermProjection:
    """The atoms that one piece uses."""

    numpy: Any
    classes: ArgumentClasses
    terms: tuple[int, ...]
    indices: dict[TermValues, int] = field(factory=dict)
    distinct: list[TermValues] = field(factory=list)
    """By number here: the atoms."""
    projected: list[int] = field(factory=list)
    _made: tuple[Array, int] | None = None

    def __attrs_post_init__(self) -> None:
        if not self.terms:  # a piece that uses none may be asked before any arguments are drawn
            self.indices[()] = 0
            self.distinct.append(())

    def array(self, many: int) -> tuple[Array, int]:
        """Return the number here of each of so many signs, or of more, and how many numbers there
        are.
        """
        made = self._made
        if made is None or len(made[0]) < many:
            made = self._made = self._build_array(many)
        return made

    def _build_array(self, many: int) -> tuple[Array, int]:
        for sign in self.classes.values[len(self.projected) : many]:
            values = tuple(sign[atom] for atom in self.terms)
            index = self.indices.setdefault(values, len(self.distinct))
            if index == len(self.distinct):
                self.distinct.append(values)
            self.projected.append(index)
        return self.numpy.array(self.projected, dtype=self.numpy.intp), len(self.distinct)

    def named(self, number: int) -> dict[str, Value]:
        """Return the atoms by their names."""
        values = self.distinct[number]
        return {term_name(atom): value for atom, value in zip(self.terms, values, strict=True)}


@frozen(eq=False)
class RowClassPairs:
    """Rows paired with signs."""

    rows: Array
    """Of each pair, the place of its row."""
    classes: Array
    weights: Array
    """Of each pair, how many arguments have its sign."""
    class_count: int
    """Signs that there are."""

    def selected(self, indices: Array) -> RowClassPairs:
        """Return some of them."""
        return RowClassPairs(
            self.rows.take(indices),
            self.classes.take(indices),
            self.weights.take(indices),
            self.class_count,
        )


@define(eq=False)
class CellTable:
    """What a piece says of each pair."""

    numpy: Any
    keys: KeyIndex | DerivedKeyIndex
    projection: TermProjection
    compute: Callable[[Row, dict[str, Value]], int]
    """Is given the numbers in the columns, and the atoms by their names."""
    cells: Array = field(init=False)
    """A row a key, a column a number of the projection; -1 where it was not asked."""

    def __attrs_post_init__(self) -> None:
        self.cells = self.numpy.full((64, 1), -1, dtype=self.numpy.int32)

    def values(self, indices: Array, pairs: RowClassPairs) -> Array:
        """Return what it says of each pair of a row and a sign."""
        rows, signs = pairs.rows, pairs.classes
        projected, many = self.projection.array(pairs.class_count)
        if not len(rows):
            return self.numpy.zeros(0, dtype=self.numpy.int32)
        self._make_room(len(self.keys.ids), many)
        if many == 1:
            values = self._lookup(indices, 0).take(rows)
            return values if values.min() >= 0 else self._filled_values(indices.take(rows), 0)
        return self._filled_values(indices.take(rows), projected.take(signs))

    def row_values(self, indices: Array) -> Array:
        """Return what it says of rows whatever the arguments, where it uses no atoms."""
        self._make_room(len(self.keys.ids), 1)
        return self._filled_values(indices, 0)

    def _filled_values(self, indices: Array, projected: Array) -> Array:
        filled_values = self._lookup(indices, projected)
        if len(filled_values) and filled_values.min() < 0:
            missing = filled_values < 0
            self._fill(
                indices[missing], projected if isinstance(projected, int) else projected[missing]
            )
            filled_values = self._lookup(indices, projected)
        return filled_values

    def _lookup(self, indices: Array, projected: Array) -> Array:
        cells = self.cells
        width = cells.shape[1]
        return cells.ravel().take(indices * width + projected if width > 1 else indices)

    def _fill(self, indices: Array, projected: Array) -> None:
        """Ask about pairs, each of them once."""
        width, flat = self.cells.shape[1], self.cells.reshape(-1)
        cells = sorted_distinct(self.numpy, indices * width + projected)
        cells = cells[flat.take(cells) < 0]
        numbers, named = self.keys.ids, self.projection.named
        flat[cells] = [
            self.compute(numbers[cell // width], named(cell % width)) for cell in cells.tolist()
        ]

    def _make_room(self, rows: int, width: int) -> None:
        """Make room for more rows or signs."""
        if rows <= self.cells.shape[0] and width <= self.cells.shape[1]:
            return
        old = self.cells
        if rows <= old.shape[0] and width <= old.shape[1]:
            return
        new = max(old.shape[1], width if width == 1 else max(8, 1 << (width - 1).bit_length()))
        cells = self.numpy.full((max(2 * rows, old.shape[0]), new), -1, dtype=self.numpy.int32)
        cells[: old.shape[0], : old.shape[1]] = old
        self.cells = cells


@define(eq=False)
class ArgumentEntries:
    """What is known of an event's arguments by what the columns around them hold: an entry for each
    sign that there is, and where these columns decide it, what is done with it and what that adds
    to a row.
    """

    numpy: Any
    counts: GrowingArray = field(init=False)
    """By key: how many entries it has; -1 where nothing was drawn yet."""
    begins: GrowingArray = field(init=False)
    """By key: where its entries begin."""
    disabled: GrowingArray = field(init=False)
    """By key: how many arguments nothing takes, where that is known."""
    classes: GrowingArray = field(init=False)
    """By entry: the sign."""
    weights: GrowingArray = field(init=False)
    """By entry: how many arguments have it."""
    decided: GrowingArray = field(init=False)
    """By entry: what is decided, where that is known."""
    added: GrowingArray = field(init=False)
    """By entry: what the known part of its effects adds to a row."""
    most_weight: int = 1

    def __attrs_post_init__(self) -> None:
        numpy = self.numpy
        self.counts = GrowingArray(numpy, numpy.int64, fill=-1)
        self.begins, self.disabled, self.added = (
            GrowingArray(numpy, numpy.int64) for _ in range(3)
        )
        self.classes, self.weights, self.decided = (
            GrowingArray(numpy, numpy.int32) for _ in range(3)
        )

    def make_room(self, keys: int) -> None:
        """Make room for so many keys."""
        for table in (self.counts, self.begins, self.disabled):
            table.extend(max(keys - table.size, 0))

    def add(
        self,
        keys: Array,
        pairs: RowClassPairs,
        decided: Array | None = None,
        added: Array | None = None,
        disabled: Array | None = None,
    ) -> None:
        """Add the entries of keys.

        Args:
            keys: each once.
            pairs: entries, by the places of their keys, in order.
            decided: of each entry what is decided; None: that is not known.
            added: of each entry what is known to be added to a row.
            disabled: of each key how many arguments nothing takes.
        """
        numpy = self.numpy
        counts = numpy.bincount(pairs.rows, minlength=len(keys))
        self.begins.room[keys] = self.classes.size + numpy.cumsum(counts) - counts
        values = (pairs.classes, pairs.weights, decided, added)
        arrays = (self.classes, self.weights, self.decided, self.added)
        for array, new in zip(arrays, values, strict=True):
            if new is not None:
                array.add(new)
        if disabled is not None:
            self.disabled.room[keys] = disabled
        self.most_weight = max(self.most_weight, int(pairs.weights.max(initial=1)))
        self.counts.room[keys] = counts  # last: an interrupt before this has them learned again

    def paired(self, keys: Array, many: Array) -> tuple[Array, Array]:
        """Pair rows with the entries of their keys.

        Args:
            keys: of each row.
            many: of each row, how many entries its key has.

        Returns:
            Of each pair the place of its row, and the entry.
        """
        numpy = self.numpy
        rows = numpy.repeat(numpy.arange(len(keys)), many)
        offsets = self.begins.room.take(keys) - (numpy.cumsum(many) - many)
        return rows, numpy.arange(len(rows)) + offsets.take(rows)
