"""Whether some run may wait for ever, decided for many rows at once.

It only tells whether there is one: `lassos` then finds the shortest, row by row. What waits is
peeled: a row to which none of the others leads is in no cycle. What is left is cut into strongly
connected parts, the large ones by what a row leads to and what leads to it, the rest by Tarjan's.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.verdicts.edge_arrays import EdgeArrays, or_by_row
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
        waiting, frontier = self._no_rows(), self.numpy.flatnonzero(when & ~then)
        waiting[frontier] = True
        self._follow(waiting, frontier, ~then)
        return waiting

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
        rows = self.numpy.flatnonzero(waiting.rows)
        rows = rows.compress(self.edges.is_complete(rows))
        while len(rows):
            if (waiting.counts(rows) & (self.edges.enabled_bits(rows) == 0)).any():
                return True  # it stands still
            left = [rows[:0]]
            for parts in self._gathered_parts(rows):
                rest = self._rest_of(parts, waiting)
                if rest is None:
                    return True
                left.append(rest)
            rows = self.numpy.concatenate(left)
        return False

    def _rest_of(self, parts: Sequence[Array], waiting: Waiting) -> Array | None:
        """Return the rows of some parts that are to be looked at again, without those where a
        strongly fair event is possible that never happens; None where a run may stay in a part.
        """
        numpy, rows = self.numpy, self.numpy.concatenate(parts)
        sizes = numpy.array([len(part) for part in parts])
        begins, groups = numpy.cumsum(sizes) - sizes, numpy.repeat(numpy.arange(len(parts)), sizes)
        taken = numpy.bitwise_or.reduceat(self._taken_bits(rows, groups), begins)
        enabled = self.edges.enabled_bits(rows)
        strong = sum(
            bit for event, bit in self.edges.event_bits.items() if self.edges.graph.is_strong(event)
        )
        starving = numpy.bitwise_or.reduceat(enabled, begins) & ~taken & strong
        neglected = numpy.bitwise_and.reduceat(enabled, begins) & ~taken
        counts = numpy.logical_or.reduceat(waiting.counts(rows), begins)
        if (counts & (starving == 0) & (neglected == 0)).any():
            return None
        looked_at = (counts & (starving != 0)).take(groups)
        return rows.compress(looked_at & (enabled & starving.take(groups) == 0))

    def _taken_bits(self, rows: Array, groups: Array) -> Array:
        """Return by row the fair events that are edges from it within its group, as bits."""
        numpy, taken = self.numpy, []
        self.groups[rows] = groups + 1
        for some, targets, counts, bits in self.edges.labelled_chunks(rows):
            own = numpy.repeat(self.groups.take(some), counts)
            taken.append(or_by_row(numpy, bits * (self.groups.take(targets) == own), counts))
        self.groups[rows] = 0
        return numpy.concatenate(taken)

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
        pending, changed = numpy.flatnonzero(after & ~before), True
        while changed and len(pending):
            many = len(pending)
            for some, targets, counts in self.edges.chunks(pending):
                before[some] = self._leads_into(before, targets, counts)
            pending = pending.compress(~before.take(pending))[::-1]
            changed = len(pending) < many
        return numpy.flatnonzero(before)

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
        for _, part in GroupedRows(graph).components(array("i", range(len(rows)))):
            if len(part) > 1:
                yield rows.take(numpy.array(part))
