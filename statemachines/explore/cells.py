"""Tables of pieces: a cell for what a row has in some columns, and for what arguments come to there.

Several threads may ask: a cell is filled by the one that holds the lock, and what they read lies in arrays that are replaced as a whole
where they grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.columns import Row
from statemachines.explore.distinct import distinct
from statemachines.explore.lookups import Array, Index, Lock
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.splitting import atom_name
from statemachines.model.snapshots import Value

CELLS = 1 << 24
"""Cells of a table beyond which all tables are made anew."""
Values = tuple[Value, ...]


@define(eq=False)
class Keys:
    """What some columns hold, numbered in the order in which it is met."""

    numpy: Any
    packing: Packing
    columns: Row
    lock: Lock
    runs: list[tuple[int, int, int]] = field(init=False)
    index: Index = field(init=False)
    numbers: list[Row] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.runs = self.packing.runs(self.columns)
        self.index = Index(self.numpy, self.packing.key_bits(self.columns), self._fill, self.lock)

    def _fill(self, key: int) -> None:
        self.numbers.append(self.packing.numbers(key, self.columns))

    def places(self, codes: Codes) -> Array:
        """Return the number of each row."""
        return self.index.places(self.packing.keys(codes, self.runs, 0))

    def places_of(self, codes: Codes, pairs: Pairs) -> Array:
        """Return the number of each row, whether it is paired or not."""
        return self.places(codes)


@define(eq=False)
class Joined:
    """What some columns and an aspect hold, numbered in the order in which it is met."""

    numpy: Any
    first: Keys | Joined
    aspect: Table
    lock: Lock
    index: Index = field(init=False)
    numbers: list[Row] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.index = Index(self.numpy, 62, self._fill, self.lock)

    def _fill(self, key: int) -> None:
        self.numbers.append((*self.first.numbers[key >> 31], key & ((1 << 31) - 1)))

    def places(self, codes: Codes) -> Array:
        """Return the number of each row."""
        seen = self.aspect.alone(self.aspect.keys.places(codes)).astype(self.numpy.int64)
        return self.index.places(self.first.places(codes).astype(self.numpy.int64) << 31 | seen)

    def places_of(self, codes: Codes, pairs: Pairs) -> Array:
        """Return the number of each row that is paired: of the others the aspect is not asked."""
        rows = self.numpy.flatnonzero(self.numpy.bincount(pairs.rows, minlength=len(codes)))
        found = self.numpy.zeros(len(codes), dtype=self.numpy.intp)
        found[rows] = self.places(codes.take(rows))
        return found


@define(eq=False)
class Signs:
    """The distinct atoms of an event."""

    known: dict[Values, int] = field(factory=dict)
    values: list[Values] = field(factory=list)

    def number(self, values: Values) -> int:
        """Return the number of all atoms of some arguments."""
        found = self.known.get(values)
        if found is None:
            found = self.known[values] = len(self.values)
            self.values.append(values)
        return found


@define(eq=False)
class Projection:
    """The atoms that one piece uses."""

    numpy: Any
    signs: Signs
    atoms: tuple[int, ...]
    lock: Lock
    known: dict[Values, int] = field(factory=dict)
    named: list[dict[str, Value]] = field(factory=list)
    """By number here: the atoms by their names."""
    places: list[int] = field(factory=list)
    _made: tuple[Array, int] | None = None

    def __attrs_post_init__(self) -> None:
        if not self.atoms:  # a piece that uses none may be asked before any arguments are drawn
            self.known[()] = 0
            self.named.append({})

    def array(self, many: int) -> tuple[Array, int]:
        """Return the number here of each of so many signs, or of more, and how many numbers there are."""
        made = self._made
        if made is None or len(made[0]) < many:
            with self.lock:
                made = self._made = self._make(many)
        return made

    def _make(self, many: int) -> tuple[Array, int]:
        for sign in self.signs.values[len(self.places) : many]:
            values = tuple(sign[atom] for atom in self.atoms)
            place = self.known.setdefault(values, len(self.named))
            if place == len(self.named):
                self.named.append({atom_name(atom): value for atom, value in zip(self.atoms, values, strict=True)})
            self.places.append(place)
        return self.numpy.array(self.places, dtype=self.numpy.intp), len(self.named)


@frozen(eq=False)
class Pairs:
    """Rows paired with signs."""

    rows: Array
    """Of each pair, the place of its row."""
    signs: Array
    weights: Array
    """Of each pair, how many arguments have its sign."""
    known: int
    """Signs that there are."""

    def chosen(self, places: Array) -> Pairs:
        """Return some of them."""
        return Pairs(self.rows.take(places), self.signs.take(places), self.weights.take(places), self.known)


@define(eq=False)
class Table:
    """What a piece says of each pair."""

    numpy: Any
    keys: Keys | Joined
    projection: Projection
    ask: Callable[[Row, dict[str, Value]], int]
    """Is given the numbers in the columns, and the atoms by their names."""
    lock: Lock
    cells: Array = field(init=False)
    """A row a key, a column a number of the projection; -1 where it was not asked."""

    def __attrs_post_init__(self) -> None:
        self.cells = self.numpy.full((64, 1), -1, dtype=self.numpy.int32)

    def of(self, places: Array, pairs: Pairs) -> Array:
        """Return what it says of each pair of a row and a sign.

        Args:
            places: of the rows, the numbers of what their columns hold.
            pairs: whatever was chosen of them.
        """
        rows, signs = pairs.rows, pairs.signs
        projected, many = self.projection.array(pairs.known)
        if not len(rows):
            return self.numpy.zeros(0, dtype=self.numpy.int32)
        self._room(len(self.keys.numbers), many)
        if many == 1:
            found = self._look(places, 0).take(rows)
            return found if found.min() >= 0 else self._looked(places.take(rows), 0)
        return self._looked(places.take(rows), projected.take(signs))

    def alone(self, places: Array) -> Array:
        """Return what it says of rows whatever the arguments, where it uses no atoms."""
        self._room(len(self.keys.numbers), 1)
        return self._looked(places, 0)

    def _looked(self, places: Array, projected: Array) -> Array:
        found = self._look(places, projected)
        if len(found) and found.min() < 0:
            missing = found < 0
            with self.lock:
                self._fill(places[missing], projected if isinstance(projected, int) else projected[missing])
            found = self._look(places, projected)
        return found

    def _look(self, places: Array, projected: Array) -> Array:
        cells = self.cells
        width = cells.shape[1]
        return cells.ravel().take(places * width + projected if width > 1 else places)

    def _fill(self, places: Array, projected: Array) -> None:
        """Ask about pairs, each of them once."""
        width, flat = self.cells.shape[1], self.cells.reshape(-1)
        cells = distinct(self.numpy, places * width + projected)
        cells = cells[flat.take(cells) < 0]
        numbers, named = self.keys.numbers, self.projection.named
        flat[cells] = [self.ask(numbers[cell // width], named[cell % width]) for cell in cells.tolist()]

    def _room(self, rows: int, width: int) -> None:
        """Make room for more rows or signs."""
        if rows <= self.cells.shape[0] and width <= self.cells.shape[1]:
            return
        with self.lock:
            old = self.cells
            if rows <= old.shape[0] and width <= old.shape[1]:
                return
            new = max(old.shape[1], width if width == 1 else max(8, 1 << (width - 1).bit_length()))
            cells = self.numpy.full((max(2 * rows, old.shape[0]), new), -1, dtype=self.numpy.int32)
            cells[: old.shape[0], : old.shape[1]] = old
            self.cells = cells
