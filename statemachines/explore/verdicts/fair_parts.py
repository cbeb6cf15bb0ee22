"""Whether some run may wait for ever, decided for many rows at once.

It only tells whether there is one: `lassos` then finds the shortest, row by row. What waits is
peeled: a row to which none of the others leads is in no cycle. What is left is cut into strongly
connected parts, the large ones by what a row leads to and what leads to it, the rest by Tarjan's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.verdicts.edge_arrays import CHUNK_ROWS, EdgeArrays, or_by_row
from statemachines.explore.verdicts.run_graphs import RunGraph
from statemachines.explore.verdicts.strong_components import GroupedRows

Array = Any
"""An array of numpy."""
_MOST_SWEEPS = 64
"""How often rows that lead nowhere are left out, all at once, before the rest goes row by row."""
_LARGE_SHARE = 8
"""A part is large that has one row in so many: where it is not, the rest goes row by row."""


@frozen(eq=False)
class Waiting:
    """Rows, by index: whether they wait, and whether they count where a run goes round."""

    rows: Array
    again: Array | None = None
    """None: all do."""

    def counts(self, rows: Array) -> Array:
        """Tell which of some rows count."""
        return self.rows.take(rows) if self.again is None else self.again.take(rows)


def _slices(rows: Array) -> Iterator[Array]:
    """Yield some rows after others."""
    for begin in range(0, len(rows), CHUNK_ROWS):
        yield rows[begin : begin + CHUNK_ROWS]


@define(eq=False)
class _PartBits:
    """Of each of some parts, what its rows have together."""

    numpy: Any
    size: int
    taken: Array = field(init=False)
    """The fair events that are edges from a row within its part, as bits."""
    possible: Array = field(init=False)
    """Those that are possible in some row."""
    always_possible: Array = field(init=False)
    """Those that are possible in all rows."""
    counts: Array = field(init=False)
    """Whether a row counts where a run goes round."""

    def __attrs_post_init__(self) -> None:
        self.taken, self.possible = (
            self.numpy.zeros(self.size, dtype=self.numpy.int64) for _ in range(2)
        )
        self.always_possible = ~self.taken
        self.counts = self.numpy.zeros(self.size, dtype=bool)

    def add(self, parts: Array, taken: Array, possible: Array, counts: Array) -> None:
        """Add rows: those of a part lie side by side."""
        numpy = self.numpy
        begins = numpy.flatnonzero(numpy.diff(parts, prepend=-1))
        own = parts.take(begins)
        self.taken[own] |= numpy.bitwise_or.reduceat(taken, begins)
        self.possible[own] |= numpy.bitwise_or.reduceat(possible, begins)
        self.always_possible[own] &= numpy.bitwise_and.reduceat(possible, begins)
        self.counts[own] |= numpy.logical_or.reduceat(counts, begins)


@define(eq=False)
class FairParts:
    """The parts of what waits within which a fair run may stay."""

    numpy: Any
    edges: EdgeArrays
    few_rows: int = 1 << 12
    """Rows up to which strongly connected parts are looked for row by row."""
    groups: Array = field(init=False)
    """By row: the number of the part that is looked at."""

    def __attrs_post_init__(self) -> None:
        self.groups = self.numpy.zeros(self.edges.size, dtype=self.numpy.int32)

    def waiting_rows(self, when: Array, then: Array) -> Array:
        """Return by row whether it is reached while `then` is waited for: `when` was met there or
        before, and `then` not since.
        """
        waiting, frontier = self._no_rows(), self._indices(when & ~then)
        waiting[frontier] = True
        self._follow(waiting, frontier, ~then)
        return waiting

    def _indices(self, mask: Array) -> Array:
        """Return the rows that are marked, four bytes each: little else takes as much memory."""
        numpy = self.numpy
        rows, end = numpy.empty(int(numpy.count_nonzero(mask)), dtype=numpy.int32), 0
        for begin in range(0, len(mask), CHUNK_ROWS):
            some = numpy.flatnonzero(mask[begin : begin + CHUNK_ROWS])
            rows[end : end + len(some)] = some + begin
            end += len(some)
        return rows

    def _no_rows(self) -> Array:
        return self.numpy.zeros(self.edges.size, dtype=bool)

    def _follow(self, reached: Array, frontier: Array, inside: Array) -> None:
        """Add all that can be reached from what was reached last."""
        while len(frontier):
            following = [frontier[:0]]
            for _, targets, _ in self.edges.chunks(frontier):
                new = targets.compress(inside.take(targets) & ~reached.take(targets))
                reached[new] = True
                following.append(sorted_distinct(self.numpy, new))
            frontier = self.numpy.concatenate(following)

    def may_stay(self, waiting: Waiting) -> bool:
        """Tell whether a fair run may wait for ever."""
        rows = self._indices(waiting.rows)
        rows = rows.compress(self.edges.is_complete(rows))
        while len(rows):
            if any(self._stands_still(some, waiting) for some in _slices(rows)):
                return True
            left = [rows[:0]]
            for parts in self._gathered_parts(rows):
                rest = self._rest_of(parts, waiting)
                if rest is None:
                    return True
                left.append(rest)
            rows = self.numpy.concatenate(left)
        return False

    def _stands_still(self, rows: Array, waiting: Waiting) -> bool:
        """Tell whether nothing fair is possible in some row that counts."""
        return bool((waiting.counts(rows) & (self.edges.enabled_bits(rows) == 0)).any())

    def _rest_of(self, parts: Sequence[Array], waiting: Waiting) -> Array | None:
        """Return the rows of some parts that are to be looked at again, without those where a
        strongly fair event is possible that never happens; None where a run may stay in a part.
        """
        numpy, all_parts = self.numpy, _PartBits(self.numpy, len(parts))
        for part, rows in enumerate(parts, 1):
            self.groups[rows] = part
        strong = sum(
            bit for event, bit in self.edges.event_bits.items() if self.edges.graph.is_strong(event)
        )
        joined = parts[0] if len(parts) == 1 else numpy.concatenate(parts)
        for some, targets, counts, bits in self.edges.labelled_chunks(joined):
            own = self.groups.take(some)
            within = self.groups.take(targets) == numpy.repeat(own, counts)
            taken = or_by_row(numpy, bits * within, counts)
            all_parts.add(own - 1, taken, self.edges.enabled_bits(some), waiting.counts(some))
        starving = all_parts.possible & ~all_parts.taken & strong
        neglected = all_parts.always_possible & ~all_parts.taken
        left, looked_at = [joined[:0]], all_parts.counts & (starving != 0)
        for some in _slices(joined):
            own = self.groups.take(some) - 1
            free = self.edges.enabled_bits(some) & starving.take(own) == 0
            left.append(some.compress(free & looked_at.take(own)))
        self.groups[joined] = 0
        may_stay = all_parts.counts & (starving == 0) & (neglected == 0)
        return None if may_stay.any() else numpy.concatenate(left)

    def _gathered_parts(self, rows: Array) -> Iterator[list[Array]]:
        """Yield strongly connected parts, many small ones at once."""
        gathered, many = list[Array](), 0
        for part in self._parts(rows):
            gathered.append(part)
            many += len(part)
            if many >= self.few_rows:
                yield gathered
                gathered, many = [], 0
        if gathered:
            yield gathered

    def _parts(self, rows: Array) -> Iterator[Array]:
        """Yield the strongly connected parts of some rows that have more than one."""
        while len(rows):
            inside = self._no_rows()
            inside[rows] = True
            rows, entries = self._peeled(rows, inside)
            if len(rows) > self.few_rows:
                part = self._part_of(int(rows[entries.argmax()]), inside)
                if len(part) > 1:
                    yield part
                inside[part] = False
                rest = rows.compress(inside.take(rows))
                if _LARGE_SHARE * len(part) >= len(rows):
                    rows = rest
                    continue
                rows = self._without_ends(rest, inside)
            yield from self._small_parts(rows)
            return

    def _peeled(self, rows: Array, inside: Array) -> tuple[Array, Array]:
        """Leave out rows to which none of the others leads, and those to which none does then;
        with how many edges lead to each that is left.
        """
        numpy, entries = self.numpy, self.numpy.zeros(self.edges.size, dtype=self.numpy.int32)
        for _, targets, _ in self.edges.chunks(rows):
            numpy.add.at(entries, targets, 1)
        frontier = rows.compress(entries.take(rows) == 0)
        while len(frontier):
            inside[frontier] = False
            following = [frontier[:0]]
            for _, targets, _ in self.edges.chunks(frontier):
                numpy.subtract.at(entries, targets, 1)
                ended = inside.take(targets) & (entries.take(targets) == 0)
                following.append(sorted_distinct(numpy, targets.compress(ended)))
            frontier = sorted_distinct(numpy, numpy.concatenate(following))
        rows = rows.compress(inside.take(rows))
        return rows, entries.take(rows)

    def _part_of(self, row: int, inside: Array) -> Array:
        """Return the strongly connected part of a row: what it leads to that leads to it."""
        numpy, after, before = self.numpy, self._no_rows(), self._no_rows()
        after[row] = before[row] = True
        self._follow(after, numpy.array([row]), inside)
        pending, changed = self._indices(after & ~before), True
        while changed and len(pending):
            many = len(pending)
            for some, targets, counts in self.edges.chunks(pending):
                before[some] = self._leads_into(before, targets, counts)
            pending = pending.compress(~before.take(pending))[::-1]
            changed = len(pending) < many
        return self._indices(before)

    def _without_ends(self, rows: Array, inside: Array) -> Array:
        """Leave out rows that lead to none of the others, some times."""
        for _ in range(_MOST_SWEEPS):
            many = len(rows)
            for some, targets, counts in self.edges.chunks(rows):
                inside[some] = self._leads_into(inside, targets, counts)
            rows = rows.compress(inside.take(rows))
            if len(rows) == many:
                break
        return rows

    def _leads_into(self, inside: Array, targets: Array, counts: Array) -> Array:
        return or_by_row(self.numpy, inside.take(targets).astype(self.numpy.int64), counts) > 0

    def _small_parts(self, rows: Array) -> Iterator[Array]:
        """Yield the strongly connected parts of some rows that have more than one, found row by
        row.
        """
        numpy, graph = self.numpy, RunGraph()
        places = numpy.full(self.edges.size, -1, dtype=numpy.int32)
        places[rows] = numpy.arange(len(rows), dtype=numpy.int32)
        for some, targets, counts in self.edges.chunks(rows):
            within = places.take(targets)
            remaining = numpy.bincount(
                numpy.repeat(numpy.arange(len(some)), counts).compress(within >= 0),
                minlength=len(some),
            )
            ends = numpy.cumsum(remaining) + len(graph.targets)
            graph.ends.frombytes(ends.astype(numpy.uint32).tobytes())
            graph.targets.frombytes(within.compress(within >= 0).tobytes())
        for _, part in GroupedRows(graph).components(range(len(rows))):
            if len(part) > 1:
                yield rows.take(numpy.array(part))
