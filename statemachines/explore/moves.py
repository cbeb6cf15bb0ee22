"""Steps of an event whose arguments are many, on arrays: rows and distinct atoms are paired, and each piece is looked up in a table.

A row has a number for each set of columns that some piece looks at, a draw of arguments has one for each set of atoms; a table has a cell
for each pair of numbers, filled when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import RLock
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.cells import CELLS, Joined, Keys, Pairs, Projection, Signs, Table
from statemachines.explore.columns import Row
from statemachines.explore.decisions import TURNED_DOWN, Decisions, Way
from statemachines.explore.distinct import distinct
from statemachines.explore.lookups import Array, Lock, NoRoom
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.splitting import Part
from statemachines.model.snapshots import Value

PAIRS = 1 << 17
"""Pairs of a row and atoms that are worked on at once: few enough to stay in the cache."""


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
    pairs: int
    """Rows paired with distinct atoms."""
    transitions: int
    turned_down: int


@frozen(eq=False)
class _Drawn:
    """The signs of all draws, one draw after the other."""

    counts: Array
    """By draw: how many signs it has; -1 where nothing was drawn yet."""
    begins: Array
    signs: Array
    weights: Array
    """Of each sign of a draw, how many arguments have it."""
    known: int
    """Signs that there are."""

    def has(self, places: Array) -> bool:
        """Tell whether all of these were drawn."""
        return not len(places) or (int(places.max()) < len(self.counts) and int(self.counts.take(places).min()) >= 0)

    def pairs(self, numpy: Any, places: Array, many: Array) -> Pairs:
        """Pair rows with the signs of their draws.

        Args:
            numpy: the module.
            places: of each row, its draw.
            many: of each row, how many signs this has.
        """
        rows = numpy.repeat(numpy.arange(len(places)), many)
        at = numpy.arange(len(rows)) + (self.begins.take(places) - (numpy.cumsum(many) - many)).take(rows)
        return Pairs(rows, self.signs.take(at), self.weights.take(at), self.known)


@define(eq=False)
class Moves:
    """The steps of one event, for one copy."""

    numpy: Any
    packing: Packing
    decisions: Decisions
    shared: dict[Row, Keys | Joined]
    """Columns to the numbers of what they hold: for all events."""
    lock: Lock
    signs: Signs = field(init=False)
    drawing: Lock = field(init=False)
    """Held while arguments are drawn: meanwhile others may fill tables."""
    drawn: dict[int, tuple[Array, Array]] = field(factory=dict)
    """By the place of what the columns around the arguments hold: signs, and how many arguments have each."""
    together: _Drawn | None = None
    tables: dict[object, Table] = field(factory=dict)
    projections: dict[tuple[int, ...], Projection] = field(factory=dict)
    leaves: bool = False

    def __attrs_post_init__(self) -> None:
        self.signs, self.drawing = Signs(), RLock()

    def keys(self, columns: Row) -> Keys | Joined:
        """Return the numbers of what some columns hold."""
        found = self.shared.get(columns)
        if found is None:
            with self.lock:
                found = self.shared.setdefault(columns, self._keys(columns))
        return found

    def _keys(self, columns: Row) -> Keys | Joined:
        if not columns or columns[-1] < self.decisions.aspects.first:
            return Keys(self.numpy, self.packing, columns, self.lock)
        aspect = self.decisions.aspects.of(columns[-1])

        def ask(numbers: Row, _: dict[str, Value]) -> int:
            return self.decisions.aspect(aspect, numbers)

        table = self.table(aspect.name, aspect.reads, (), ask)
        return Joined(self.numpy, self.keys(columns[:-1]), table, self.lock)

    def table(self, key: object, columns: Row, atoms: tuple[int, ...], ask: Callable[[Row, dict[str, Value]], int]) -> Table:
        """Return a table, made where it is first asked for."""
        found = self.tables.get(key)
        if found is None:
            with self.lock:
                projection = self.projections.setdefault(atoms, Projection(self.numpy, self.signs, atoms, self.lock))
                found = self.tables.setdefault(key, Table(self.numpy, self.keys(columns), projection, ask, self.lock))
        return found

    def of(self, codes: Codes) -> Iterator[Moved]:
        """Yield the steps of all rows, some rows after others.

        Raises:
            NoRoom: the packing has no bits for a value that was met.
        """
        numpy = self.numpy
        places = self.keys(self.decisions.around).places(codes)
        self._asked(codes)
        drawn = self._drawn_at(places)
        many = drawn.counts.take(places)
        ends = numpy.cumsum(many)
        begin = 0
        while begin < len(codes):
            base = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(numpy.searchsorted(ends, base + PAIRS)))
            yield self._piece(codes[begin:end], places[begin:end], many[begin:end], drawn)
            begin = end

    def _asked(self, codes: Codes) -> None:
        """Remember the states in which the event was asked."""
        states = self.numpy.bincount(self.packing.column(codes, 0))
        self.decisions.rule.asked_in.update(self.numpy.flatnonzero(states).tolist())

    def _drawn_at(self, places: Array) -> _Drawn:
        """Return the signs of draws, those at these places among them."""
        drawn = self.together
        if drawn is None or not drawn.has(places):
            with self.drawing:
                for place in distinct(self.numpy, places).tolist():
                    if place not in self.drawn:
                        self.drawn[place] = self._draw(self.keys(self.decisions.around).numbers[place])
                drawn = self.together = self._joined()
        return drawn

    def _draw(self, numbers: Row) -> tuple[Array, Array]:
        found = self.decisions.drawn(numbers)
        signs = [self.signs.number(values) for values in found]
        return self.numpy.array(signs, dtype=self.numpy.intp), self.numpy.array(list(found.values()), dtype=self.numpy.int64)

    def _joined(self) -> _Drawn:
        numpy, places = self.numpy, sorted(self.drawn)
        counts = numpy.full(max(places, default=-1) + 1, -1, dtype=numpy.intp)
        counts[places] = [len(self.drawn[place][0]) for place in places]
        empty = numpy.zeros(0, dtype=numpy.intp)
        signs = numpy.concatenate([empty, *(self.drawn[place][0] for place in places)])
        weights = numpy.concatenate([empty, *(self.drawn[place][1] for place in places)])
        none = numpy.maximum(counts, 0)
        return _Drawn(counts, numpy.cumsum(none) - none, signs, weights, len(self.signs.values))

    def _piece(self, codes: Codes, places: Array, many: Array, drawn: _Drawn) -> Moved:
        numpy, pairs = self.numpy, drawn.pairs(self.numpy, places, many)
        decided = self._decided(codes, pairs)
        turned_down = int(pairs.weights[decided == TURNED_DOWN].sum())
        transitions, sources, afters, wrong = 0, [], [], []
        for number in numpy.flatnonzero(numpy.bincount(decided, minlength=2)[2:]).tolist():
            chosen, way = pairs.chosen(numpy.flatnonzero(decided == number + 2)), self.decisions.ways[number]
            after = self._after(way, codes, chosen)
            right = self._right(way, after)
            if right is not None:
                turned_down += int(chosen.weights[~right].sum())
                wrong.append(chosen.rows[~right])
                chosen, after = chosen.chosen(numpy.flatnonzero(right)), after[right]
            wrong += [chosen.rows] if way.overlaps else []
            transitions += self._count(way, chosen.weights)
            sources.append(chosen.rows)
            afters.append(after)
        none = numpy.zeros(0, dtype=numpy.int64)
        taken, led_to, failed = (numpy.concatenate([none, *each]) for each in (sources, afters, wrong))
        return Moved(codes, taken, led_to, failed, len(pairs.rows), transitions, turned_down)

    def _decided(self, codes: Codes, pairs: Pairs) -> Array:
        decisions = self.decisions
        table = self.table("decided", decisions.reads, decisions.uses, decisions.decide)
        return table.of(table.keys.places_of(codes, pairs), pairs)

    def _after(self, way: Way, codes: Codes, pairs: Pairs) -> Codes:
        """Return the rows after steps."""
        packing = self.packing
        before = codes.take(pairs.rows)
        after = before + ((way.target - packing.column(before, 0)) << packing.shifts[0])
        for column, part in way.effects:
            table = self._table(column, part)
            numbers = table.of(table.keys.places_of(codes, pairs), pairs).astype(self.numpy.int64)
            if len(self.decisions.rule.columns[column].values) > 1 << packing.bits[column]:
                raise NoRoom
            held = packing.column(before, column)
            after += (numbers - held) << packing.shifts[column]
            self._looks_outside(column, numbers, held)
        return after

    def _count(self, way: Way, weights: Array) -> int:
        if len(weights) and way.arrow is not None:
            self.decisions.rule.took.add(id(way.arrow))
        return int(weights.sum())

    def _looks_outside(self, column: int, numbers: Array, before: Array) -> None:
        if self.decisions.rule.may_leave and not self.leaves:
            outside = self.numpy.array(self.decisions.rule.columns[column].outside, dtype=bool)
            self.leaves = bool((outside[numbers] & (numbers != before)).any())

    def _right(self, way: Way, after: Codes) -> Array | None:
        """Tell of each step whether variables are of their types after it; None: all are."""
        found = None
        for name, columns in way.checks:

            def ask(numbers: Row, _: dict[str, Value], name: str = name, columns: Row = columns) -> int:
                return int(self.decisions.is_of_type(name, columns, numbers))

            table = self.table(("check", name), columns, (), ask)
            said = table.alone(table.keys.places(after)) > 0
            found = said if found is None else found & said
        return None if found is None or found.all() else found

    def _table(self, column: int, part: Part) -> Table:
        def ask(numbers: Row, named: dict[str, Value]) -> int:
            return self.decisions.new_value(column, part, numbers, named)

        return self.table((column, id(part)), part.reads, part.atoms, ask)

    @property
    def is_full(self) -> bool:
        """Tell whether what is remembered takes so much memory that it should be forgotten."""
        return any(table.cells.size > CELLS for table in self.tables.values())
