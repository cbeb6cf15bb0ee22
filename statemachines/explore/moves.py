"""Steps of an event whose arguments are many, on arrays: rows and distinct atoms are paired, and each piece is looked up in a table.

A row has a number for each set of columns that some piece looks at, a draw of arguments has one for each set of atoms; a table has a cell
for each pair of numbers, filled when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.columns import Row
from statemachines.explore.decisions import TURNED_DOWN, Decisions, Way
from statemachines.explore.lookups import Array, Index
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.splitting import Part
from statemachines.model.snapshots import Value

PAIRS = 1 << 17
"""Pairs of a row and atoms that are worked on at once: few enough to stay in the cache."""
CELLS, MOST_KEYS = 1 << 24, 1 << 20
"""Cells of a table, and keys of columns, beyond which all tables are made anew."""
_Values = tuple[Value, ...]


class NoRoom(Exception):
    """A value has a number for which its column has no bits."""


@define(eq=False)
class Keys:
    """What some columns hold, numbered in the order in which it is met."""

    numpy: Any
    packing: Packing
    columns: Row
    runs: list[tuple[int, int, int]] = field(init=False)
    index: Index = field(init=False)
    numbers: list[Row] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.runs = self.packing.runs(self.columns)
        self.index = Index(self.numpy, self.packing.key_bits(self.columns), self._fill)

    def _fill(self, key: int) -> None:
        self.numbers.append(self.packing.numbers(key, self.columns))

    def places(self, codes: Codes) -> Array:
        """Return the number of each row."""
        return self.index.places(self.packing.keys(codes, self.runs, 0))


@define(eq=False)
class Signs:
    """The distinct atoms of an event, and their numbers where only some of them count."""

    numpy: Any
    known: dict[_Values, int] = field(factory=dict)
    values: list[_Values] = field(factory=list)

    def number(self, values: _Values) -> int:
        """Return the number of all atoms of some arguments."""
        found = self.known.get(values)
        if found is None:
            found = self.known[values] = len(self.values)
            self.values.append(values)
        return found


@define(eq=False)
class Projection:
    """The atoms that one piece uses."""

    signs: Signs
    atoms: tuple[int, ...]
    known: dict[_Values, int] = field(factory=dict)
    values: list[_Values] = field(factory=list)
    places: list[int] = field(factory=list)
    _made: Array = None

    def array(self) -> Array:
        """Return the number of each sign here."""
        for sign in self.signs.values[len(self.places) :]:
            values = tuple(sign[atom] for atom in self.atoms)
            place = self.known.setdefault(values, len(self.values))
            if place == len(self.values):
                self.values.append(values)
            self.places.append(place)
        if self._made is None or len(self._made) != len(self.places):
            self._made = self.signs.numpy.array(self.places, dtype=self.signs.numpy.intp)
        return self._made


@define(eq=False)
class Table:
    """What a piece says of each pair."""

    numpy: Any
    keys: Keys
    projection: Projection
    ask: Callable[[Row, _Values], int]
    cells: Array = None
    width: int = 0

    def of(self, places: Array, rows: Array, signs: Array) -> Array:
        """Return what it says of each pair of a row and a sign.

        Args:
            places: of the rows, the numbers of what their columns hold.
            rows: of each pair, its row.
            signs: of each pair.
        """
        projected = self.projection.array()
        if not len(rows):
            return self.numpy.zeros(0, dtype=self.numpy.int32)
        if len(self.projection.values) == 1:
            self._room(len(self.keys.numbers), 1)
            found = self.cells[places][rows]
            return found if found.min() >= 0 else self._looked(places[rows])
        self._room(len(self.keys.numbers), len(self.projection.values))
        return self._looked((places * self.width)[rows] + projected[signs])

    def _looked(self, flat: Array) -> Array:
        found = self.cells[flat]
        if len(found) and found.min() < 0:
            for cell in self.numpy.unique(flat[found < 0]).tolist():
                row, sign = divmod(cell, self.width)
                self.cells[cell] = self.ask(self.keys.numbers[row], self.projection.values[sign])
            found = self.cells[flat]
        return found

    def _room(self, rows: int, width: int) -> None:
        """Make room for more rows or signs."""
        if self.cells is not None and rows * self.width <= len(self.cells) and width <= self.width:
            return
        new = width if width == 1 else max(8, 1 << (width - 1).bit_length())
        new = max(new, self.width)
        cells = self.numpy.full(max(2 * rows, 64) * new, -1, dtype=self.numpy.int32)
        if self.cells is not None:
            old = self.cells.reshape(-1, self.width)
            cells.reshape(-1, new)[: len(old), : self.width] = old
        self.cells, self.width = cells, new


@frozen(eq=False)
class Moved:
    """Steps of some rows."""

    rows: Codes
    sources: Array
    """Of each step, the place of its row."""
    after: Codes
    """Of each step, the row after it."""
    wrong: Array
    """Places of rows in which the spec is wrong."""


@define(eq=False)
class Moves:
    """The steps of one event, for one copy."""

    numpy: Any
    packing: Packing
    decisions: Decisions
    shared: dict[Row, Keys]
    """Columns to the numbers of what they hold: for all events."""
    signs: Signs = field(init=False)
    drawn: list[tuple[Array, Array]] = field(factory=list)
    """By what the columns around the arguments hold: signs, and how many arguments have each."""
    firsts: Array = None
    tables: dict[object, Table] = field(factory=dict)
    projections: dict[tuple[int, ...], Projection] = field(factory=dict)
    transitions: int = 0
    turned_down: int = 0
    leaves: bool = False

    def __attrs_post_init__(self) -> None:
        self.signs = Signs(self.numpy)

    def keys(self, columns: Row) -> Keys:
        """Return the numbers of what some columns hold."""
        found = self.shared.get(columns)
        if found is None:
            found = self.shared[columns] = Keys(self.numpy, self.packing, columns)
        return found

    def table(self, key: object, columns: Row, atoms: tuple[int, ...], ask: Callable[[Row, _Values], int]) -> Table:
        """Return a table, made where it is first asked for."""
        found = self.tables.get(key)
        if found is None:
            if atoms not in self.projections:
                self.projections[atoms] = Projection(self.signs, atoms)
            found = self.tables[key] = Table(self.numpy, self.keys(columns), self.projections[atoms], ask)
        return found

    def of(self, codes: Codes) -> Iterator[Moved]:
        """Yield the steps of all rows, some rows after others.

        Raises:
            NoRoom: the packing has no bits for a value that was met.
        """
        numpy = self.numpy
        around = self.keys(self.decisions.around)
        places = around.places(codes)
        for numbers in around.numbers[len(self.drawn) :]:
            self._draw(numbers)
        many = self._counts()[places]
        ends = numpy.cumsum(many)
        begin = 0
        while begin < len(codes):
            base = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(numpy.searchsorted(ends, base + PAIRS)))
            yield self._piece(codes[begin:end], places[begin:end], many[begin:end])
            begin = end

    def _draw(self, numbers: Row) -> None:
        self.decisions.rule.asked_in.add(numbers[0])
        found = self.decisions.drawn(numbers)
        signs = [self.signs.number(values) for values in found]
        self.drawn.append((self.numpy.array(signs, dtype=self.numpy.intp), self.numpy.array(list(found.values()), dtype=self.numpy.int64)))
        self.firsts = None

    def _counts(self) -> Array:
        """Return how many signs each draw has; where they begin in the list of all is kept."""
        if self.firsts is None:
            counts = self.numpy.array([len(signs) for signs, _ in self.drawn], dtype=self.numpy.intp)
            begins = self.numpy.cumsum(counts) - counts
            empty = self.numpy.zeros(0, dtype=self.numpy.intp)
            signs = self.numpy.concatenate([empty, *(signs for signs, _ in self.drawn)])
            weights = self.numpy.concatenate([empty, *(weights for _, weights in self.drawn)])
            self.firsts = counts, begins, signs, weights
        return self.firsts[0]

    def _piece(self, codes: Codes, places: Array, many: Array) -> Moved:
        numpy = self.numpy
        _, begins, all_signs, all_weights = self.firsts
        rows = numpy.repeat(numpy.arange(len(codes)), many)
        at = numpy.arange(len(rows)) + (begins[places] - (numpy.cumsum(many) - many))[rows]
        signs, weights = all_signs[at], all_weights[at]
        decided = self._decided(codes, rows, signs)
        self.turned_down += int(weights[decided == TURNED_DOWN].sum())
        sources, afters, wrong = [], [], []
        for number in numpy.flatnonzero(numpy.bincount(decided, minlength=2)[2:]).tolist():
            chosen = numpy.flatnonzero(decided == number + 2)
            way = self.decisions.ways[number]
            taken, after, failed = self._taken(way, codes, rows[chosen], signs[chosen], weights[chosen])
            sources.append(taken)
            afters.append(after)
            wrong += [failed, *([rows[chosen]] if way.overlaps else [])]
        none = numpy.zeros(0, dtype=numpy.int64)
        return Moved(codes, *(numpy.concatenate([none, *each]) for each in (sources, afters, wrong)))

    def _decided(self, codes: Codes, rows: Array, signs: Array) -> Array:
        decisions = self.decisions
        table = self.table("decided", decisions.reads, decisions.uses, decisions.decide)
        return table.of(table.keys.places(codes), rows, signs)

    def _taken(self, way: Way, codes: Codes, rows: Array, signs: Array, weights: Array) -> tuple[Array, Codes, Array]:
        """Return the rows of steps, the rows after them, and the rows whose step would take a variable out of its type."""
        numpy, packing = self.numpy, self.packing
        before = codes[rows]
        after = before + ((way.target - packing.column(before, 0)) << packing.shifts[0])
        for column, part in way.effects:
            table = self._table(column, part)
            numbers = table.of(table.keys.places(codes), rows, signs).astype(numpy.int64)
            if len(self.decisions.rule.columns[column].values) > 1 << packing.bits[column]:
                raise NoRoom
            after += (numbers - packing.column(before, column)) << packing.shifts[column]
            self._looks_outside(column, numbers, packing.column(before, column))
        right = self._right(way, after)
        if right is None:
            self._count(way, weights)
            return rows, after, rows[:0]
        self._count(way, weights[right])
        self.turned_down += int(weights[~right].sum())
        return rows[right], after[right], rows[~right]

    def _count(self, way: Way, weights: Array) -> None:
        self.transitions += int(weights.sum())
        if len(weights) and way.arrow is not None:
            self.decisions.rule.took.add(id(way.arrow))

    def _looks_outside(self, column: int, numbers: Array, before: Array) -> None:
        if self.decisions.rule.may_leave and not self.leaves:
            outside = self.numpy.array(self.decisions.rule.columns[column].outside, dtype=bool)
            self.leaves = bool((outside[numbers] & (numbers != before)).any())

    def _right(self, way: Way, after: Codes) -> Array | None:
        """Tell of each step whether variables are of their types after it; None: all are."""
        found = None
        for name, columns in way.checks:

            def ask(numbers: Row, _: _Values, name: str = name, columns: Row = columns) -> int:
                return int(self.decisions.is_of_type(name, columns, numbers))

            table = self.table(("check", name), columns, (), ask)
            places = table.keys.places(after)
            said = table.of(places, self.numpy.arange(len(after)), places) > 0
            found = said if found is None else found & said
        return None if found is None or found.all() else found

    def _table(self, column: int, part: Part) -> Table:
        def ask(numbers: Row, values: _Values) -> int:
            return self.decisions.new_value(column, part, numbers, values)

        return self.table((column, id(part)), part.reads, part.atoms, ask)

    @property
    def is_full(self) -> bool:
        """Tell whether what is remembered takes so much memory that it should be forgotten."""
        return any(len(table.cells) > CELLS for table in self.tables.values() if table.cells is not None)
