"""The parts of what waits within which a fair run may stay for ever, found for many rows at once.

Rows are sets of marks, a byte each. What waits is peeled: a row to which none of the others leads
is in no cycle. What is left is cut into strongly connected parts: the large ones by what a row
leads to and what leads to it, the rest by Tarjan's, or by colours where its edges are too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.resources.unused_memory import return_unused_memory
from statemachines.explore.verdicts.edge_arrays import (
    EdgeArrays,
    RowEdges,
    most_by_row,
    or_by_row,
    slices,
)
from statemachines.explore.verdicts.run_graphs import RunGraph
from statemachines.explore.verdicts.strong_components import GroupedRows

Array = Any
"""An array of numpy."""
_MARKS = 1 << 16
"""Marks that are looked through at once."""
_MOST_SWEEPS = 64
"""How often rows that lead nowhere are left out, all at once, before the rest goes row by row."""
_LARGE_SHARE = 8
"""A part is large that has one row in so many: where it is not, the rest goes row by row."""
_TARJAN_BYTES = 28
"""What a row takes that is looked at by itself, beside four bytes for each of its edges."""


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
    numbers: Array = field(init=False)
    """By row a number, all nothing between two uses: how many edges lead there, its place among
    others, its colour, or the part that is looked at.
    """

    def __attrs_post_init__(self) -> None:
        self.numbers = self.numpy.zeros(self.edges.size, dtype=self.numpy.int32)

    def waiting_rows(self, when: Array, then: Array) -> Array:
        """Return by row whether it is reached while `then` is waited for: `when` was met there or
        before, and `then` not since.
        """
        waiting = when & ~then
        return_unused_memory()
        self._follow(waiting, self._marked(waiting.copy()), ~then)
        return_unused_memory()
        return waiting

    def no_rows(self) -> Array:
        """Return an empty set of rows."""
        return self.numpy.zeros(self.edges.size, dtype=bool)

    def _marked(self, marks: Array, *, backwards: bool = False) -> Iterator[Array]:
        """Yield the rows that are marked, some after others: their marks may change meanwhile."""
        begins = range(0, len(marks), _MARKS)
        for begin in reversed(begins) if backwards else begins:
            some = self.numpy.flatnonzero(marks[begin : begin + _MARKS]) + begin
            parts = list(slices(some))
            yield from reversed(parts) if backwards else parts

    def _edges_of(self, marks: Array, *, backwards: bool = False) -> Iterator[RowEdges]:
        for some in self._marked(marks, backwards=backwards):
            yield from self.edges.pieces(some)

    def _indices(self, marks: Array) -> Array:
        """Return the rows that are marked."""
        kind = self.numpy.int32
        parts = [some.astype(kind) for some in self._marked(marks)]
        return self.numpy.concatenate([self.numpy.zeros(0, dtype=kind), *parts])

    def _follow(self, reached: Array, frontier: Iterator[Array], inside: Array) -> None:
        """Add all that can be reached from what was reached last."""
        numpy = self.numpy
        while True:
            following = list[Array]()
            for rows in frontier:
                for some in self.edges.pieces(rows):
                    targets = some.targets
                    new = targets.compress(inside.take(targets) & ~reached.take(targets))
                    if len(new):
                        reached[new] = True
                        following.append(sorted_distinct(numpy, new))
            if not following:
                return
            frontier = slices(numpy.concatenate(following))

    def still_rows(self, waiting: Waiting) -> Iterator[Array]:
        """Yield rows that count in which nothing fair is possible: a run may stand still there."""
        for rows in self._marked(waiting.rows & self.edges.complete_rows()):
            still = waiting.counts(rows) & (self.edges.enabled_bits(rows) == 0)
            yield rows.compress(still)

    def fair_parts(self, waiting: Waiting) -> Iterator[Array]:
        """Yield the largest parts of several rows in which a fair run may stay.

        A run that stays in a strongly connected part may take all of its steps again and again.
        Where a strongly fair event is possible there and never happens within, no fair run comes
        back to the rows where it is possible: they are left out, and what is left is looked at
        anew.

        Source: E. A. Emerson, C.-L. Lei, Modalities for Model Checking, 1987 (Streett acceptance).
        """
        rows = waiting.rows & self.edges.complete_rows()
        while rows.any():
            rest = self.no_rows()
            for parts in self._gathered_parts(rows):
                yield from self._fair_among(parts, waiting, rest)
            rows = rest

    def _fair_among(self, parts: Sequence[Array], waiting: Waiting, rest: Array) -> Iterator[Array]:
        """Yield those of some parts in which a run may stay. Mark the rows of others that are to be
        looked at again: those where no strongly fair event is possible that never happens.
        """
        numpy, all_parts = self.numpy, _PartBits(self.numpy, len(parts))
        groups = self.numbers
        for part, rows in enumerate(parts, 1):
            groups[rows] = part
        strong = sum(
            bit for event, bit in self.edges.event_bits.items() if self.edges.graph.is_strong(event)
        )
        joined = parts[0] if len(parts) == 1 else numpy.concatenate(parts)
        for some in self.edges.pieces(joined, labelled=True):
            own = groups.take(some.rows)
            within = groups.take(some.targets) == numpy.repeat(own, some.counts)
            bits = self.edges.label_bits(some.labels)
            taken = or_by_row(numpy, bits * within, some.counts)
            possible = self.edges.enabled_bits(some.rows)
            all_parts.add(own - 1, taken, possible, waiting.counts(some.rows))
        starving = all_parts.possible & ~all_parts.taken & strong
        neglected = all_parts.always_possible & ~all_parts.taken
        looked_at = all_parts.counts & (starving != 0)
        for some in slices(joined):
            own = groups.take(some) - 1
            free = self.edges.enabled_bits(some) & starving.take(own) == 0
            rest[some.compress(free & looked_at.take(own))] = True
        groups[joined] = 0
        may_stay = all_parts.counts & (starving == 0) & (neglected == 0)
        yield from (parts[part] for part in numpy.flatnonzero(may_stay).tolist())

    def _gathered_parts(self, rows: Array) -> Iterator[list[Array]]:
        """Yield strongly connected parts, many small ones at once; the rows are left out."""
        gathered, many = list[Array](), 0
        for part in self._parts(rows):
            gathered.append(part)
            many += len(part)
            if many >= self.few_rows:
                yield gathered
                gathered, many = [], 0
        if gathered:
            yield gathered

    def _parts(self, inside: Array) -> Iterator[Array]:
        """Yield the strongly connected parts of some rows that have more than one."""
        numpy = self.numpy
        while inside.any():
            begin = self._peel(inside)
            return_unused_memory()
            many = int(numpy.count_nonzero(inside))
            if many > self.few_rows:
                part = self._part_of(begin, inside)
                inside[part] = False
                if len(part) > 1:
                    yield part
                if _LARGE_SHARE * len(part) >= many:
                    continue
                self._leave_out_ends(inside)
            yield from self._small_parts(inside)
            return

    def _peel(self, inside: Array) -> int:
        """Leave out rows to which none of the others leads, and those to which none does then;
        return one that is left to which most edges lead.
        """
        numpy, entries = self.numpy, self.numbers
        for some in self._edges_of(inside):
            numpy.add.at(entries, some.targets, 1)
        frontier: Iterator[Array] = (
            rows.compress(entries.take(rows) == 0) for rows in self._marked(inside)
        )
        while True:
            following = list[Array]()
            for rows in frontier:
                rows = rows.compress(inside.take(rows))  # some came twice
                inside[rows] = False
                for some in self.edges.pieces(rows):
                    numpy.subtract.at(entries, some.targets, 1)
                    targets = some.targets
                    ended = inside.take(targets) & (entries.take(targets) == 0)
                    following.append(sorted_distinct(numpy, targets.compress(ended)))
            if not sum(map(len, following)):
                break
            frontier = slices(sorted_distinct(numpy, numpy.concatenate(following)))
        most = [
            (int(entries[rows].max()), int(rows[entries[rows].argmax()]))
            for rows in self._marked(inside)
            if len(rows)
        ]
        entries[:] = 0
        return max(most, default=(0, 0))[1]

    def _part_of(self, row: int, inside: Array) -> Array:
        """Return the strongly connected part of a row: what it leads to that leads to it."""
        after, before = self.no_rows(), self.no_rows()
        after[row] = before[row] = True
        self._follow(after, iter([self.numpy.array([row])]), inside)
        after[row], changed, backwards = False, True, False
        while changed:
            changed = False
            for some in self._edges_of(after, backwards=backwards):
                leading = some.rows.compress(self._leads_into(before, some))
                before[leading], after[leading] = True, False
                changed = changed or len(leading) > 0
            backwards = not backwards
        return self._indices(before)

    def _leave_out_ends(self, inside: Array) -> None:
        """Leave out rows that lead to none of the others, some times."""
        for _ in range(_MOST_SWEEPS):
            changed = False
            for some in self._edges_of(inside):
                ends = some.rows.compress(~self._leads_into(inside, some))
                inside[ends] = False
                changed = changed or len(ends) > 0
            if not changed:
                break

    def _leads_into(self, inside: Array, some: RowEdges) -> Array:
        return or_by_row(self.numpy, inside.take(some.targets).view("uint8"), some.counts) > 0

    def _small_parts(self, inside: Array) -> Iterator[Array]:
        """Yield the strongly connected parts of some rows that have more than one: those that are
        found row by row, where there is room for the edges between them.
        """
        rows = self._indices(inside)
        graph = self._graph_between(rows)
        if graph is None and self.edges.nbytes:
            self.edges.forget()
            graph = self._graph_between(rows)
        if graph is None:
            yield from self._coloured_parts(inside)
            return
        for _, part in GroupedRows(graph).components(range(len(rows))):
            if len(part) > 1:
                yield rows.take(self.numpy.array(part))

    def _graph_between(self, rows: Array) -> RunGraph | None:
        """Return the edges from some rows to others of them, by their places; None where they take
        too much memory.
        """
        numpy, graph, places = self.numpy, RunGraph(), self.numbers
        places[rows] = numpy.arange(1, len(rows) + 1, dtype=numpy.int32)
        most = self.edges.most_bytes
        room = max(most - self.edges.nbytes, most // 4) - _TARJAN_BYTES * len(rows)
        for some in slices(rows):
            edges = self.edges.in_order(some)
            within = places.take(edges.targets)
            sources = numpy.repeat(numpy.arange(len(some)), edges.counts).compress(within > 0)
            ends = numpy.cumsum(numpy.bincount(sources, minlength=len(some)))
            graph.ends.frombytes((ends + len(graph.targets)).astype(numpy.uint32).tobytes())
            graph.targets.frombytes((within.compress(within > 0) - 1).tobytes())
            if 4 * len(graph.targets) > room:
                break
        places[rows] = 0
        return graph if graph.size == len(rows) else None

    def _coloured_parts(self, inside: Array) -> Iterator[Array]:
        """Yield the strongly connected parts of some rows that have more than one, with no more
        than a few bytes a row: the colour of a row is the last one to which it leads, and what
        that one leads to in the same colour is its part.

        Source: S. Orzan, On Distributed Verification and Verified Distribution, 2004.
        """
        numpy = self.numpy
        while inside.any():
            self._leave_out_ends(inside)
            self._colour(inside)
            recurring = self._of_last_rows(inside)
            rows = self._indices(recurring)
            colours = self.numbers.take(rows)
            order = numpy.argsort(colours, kind="stable")
            self.numbers[:] = 0
            inside &= ~recurring
            cuts = numpy.flatnonzero(numpy.diff(colours.take(order))) + 1
            yield from (part for part in numpy.split(rows.take(order), cuts) if len(part) > 1)

    def _colour(self, inside: Array) -> None:
        """Note of each row the last one to which it leads, itself included, one more each."""
        numpy, colours = self.numpy, self.numbers
        for rows in self._marked(inside):
            colours[rows] = rows + 1
        changed, backwards = True, True
        while changed:
            changed = False
            for some in self._edges_of(inside, backwards=backwards):
                known = colours.take(some.rows)
                last = numpy.maximum(
                    known, most_by_row(numpy, colours.take(some.targets), some.counts)
                )
                colours[some.rows] = last
                changed = changed or bool((last > known).any())
            backwards = not backwards

    def _of_last_rows(self, inside: Array) -> Array:
        """Return by row whether the last one to which it leads leads to it."""
        numpy, colours, recurring = self.numpy, self.numbers, self.no_rows()
        frontier = [rows.compress(colours.take(rows) == rows + 1) for rows in self._marked(inside)]
        for rows in frontier:
            recurring[rows] = True
        while frontier:
            following = list[Array]()
            for some in (some for rows in frontier for some in self.edges.pieces(rows)):
                own = numpy.repeat(colours.take(some.rows), some.counts)
                targets = some.targets
                new = (colours.take(targets) == own) & ~recurring.take(targets)
                if new.any():
                    recurring[targets.compress(new)] = True
                    following.append(sorted_distinct(numpy, targets.compress(new)))
            frontier = following
        return recurring
