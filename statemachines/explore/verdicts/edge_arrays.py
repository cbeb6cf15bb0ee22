"""The edges of rows that somebody asks for, as arrays: made many rows at once, and kept as long as
there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.models.successors import FairEvent
from statemachines.explore.resources.unused_memory import return_unused_memory
from statemachines.explore.verdicts.packed_edges import PackedLabels, PackedTargets
from statemachines.explore.verdicts.run_graphs import FairEvents, RunGraph
from statemachines.explore.visited.known_rows import EdgeFinder, LabelledEdges

Array = Any
"""An array of numpy."""
CHUNK_ROWS = 1 << 12
"""Rows whose edges are worked on at once."""
_MOST_EVENTS = 62
"""Fair events that have a bit of a number each."""
_MOST_SETS = 1 << 16
"""Sets of fair events that have a number of two bytes each."""
_NOT_ASKED, _INCOMPLETE, _FIRST_SET = 0, 1, 2
"""What is noted of a row: nothing, that it has no edges as not all of its steps were seen, and the
number of the first set of fair events.
"""
_MOST_COUNT = (1 << 16) - 2
"""Edges of a row that may be kept."""
_MOST_EDGES = (1 << 32) - 1
_EDGES_BETWEEN = 1 << 20
"""Edges that are found before memory is returned that is not used any more."""


class TooManyEvents(Exception):
    """There are more fair events, or sets of them, than numbers have room for."""


@frozen(eq=False)
class RowEdges:
    """The edges of some rows."""

    rows: Array
    targets: Array
    """Where the edges of each row lead to, one after the other."""
    counts: Array
    """By row: how many edges it has."""
    labels: Array
    """By edge: the number of the set of fair events that it is; None: nobody asked."""


@define(eq=False)
class EdgeArrays:
    """The edges of some rows. A row takes eight bytes; its edges are kept, three bytes and a few
    bits each (four and a few where rows are more than sixteen millions), as long as all that are
    kept take few enough bytes, and else found again whenever they are asked for.
    """

    numpy: Any
    find: EdgeFinder
    graph: RunGraph
    """Numbers the sets of fair events; it needs no rows."""
    check: Callable[[], None]
    """Is called now and then; what it raises ends it."""
    size: int
    """How many rows there are."""
    most_bytes: int
    """What edges that are kept may take."""
    begins: Array = field(init=False)
    """By row: where its edges begin among those that are kept."""
    counts: Array = field(init=False)
    """By row: one more than its edges; 0: they are not kept."""
    enabled_sets: Array = field(init=False)
    """By row: the number of what is possible there."""
    targets: PackedTargets = field(init=False)
    labels: PackedLabels = field(init=False)
    set_bits: list[int] = field(factory=lambda: [0] * _FIRST_SET)
    """By number of what is possible somewhere: its fair events as bits."""
    set_numbers: dict[int, int] = field(factory=dict)
    event_bits: dict[FairEvent, int] = field(factory=dict)
    """Fair event to its bit."""
    unreturned: int = 0
    """Edges that were found since memory was returned."""

    def __attrs_post_init__(self) -> None:
        zeros, numpy = self.numpy.zeros, self.numpy  # takes memory where something is written
        self.begins = zeros(self.size, dtype=numpy.uint32)
        self.counts, self.enabled_sets = (zeros(self.size, dtype=numpy.uint16) for _ in range(2))
        self.forget()

    def forget(self) -> None:
        """Let go of all edges that are kept."""
        self.counts[:] = 0
        self.targets = PackedTargets(self.numpy, self.size)
        self.labels = PackedLabels(self.numpy)

    @property
    def nbytes(self) -> int:
        """Bytes that edges take which are kept."""
        return self.targets.nbytes + len(self.labels.packed)

    def bits(self, event: FairEvent) -> int:
        """Return a fair event as a bit.

        Raises:
            TooManyEvents: there is none left.
        """
        if event not in self.event_bits:
            if len(self.event_bits) == _MOST_EVENTS:
                raise TooManyEvents
            self.event_bits[event] = 1 << len(self.event_bits)
        return self.event_bits[event]

    def label_bits(self, labels: Array) -> Array:
        """Return the fair events of edges, as bits."""
        known = (sum(map(self.bits, events)) for events in self.graph.label_events)
        return self.numpy.array([*known, 0], dtype=self.numpy.int64).take(labels)

    def enabled_bits(self, rows: Array) -> Array:
        """Return the fair events that are possible in rows that were asked for, as bits."""
        sets = self.enabled_sets.take(rows)
        return self.numpy.array(self.set_bits, dtype=self.numpy.int64).take(sets)

    def complete_rows(self) -> Array:
        """Return by row whether all steps were seen; yes where it was not asked for."""
        return self.enabled_sets != _INCOMPLETE

    def pieces(self, rows: Array, *, labelled: bool = False) -> Iterator[RowEdges]:
        """Yield the edges of some rows after others', in no certain order of the rows."""
        for some in slices(rows):
            self.check()
            stored = self.counts.take(some) > 0
            if stored.any():
                yield self._kept_edges(some.compress(stored), labelled=labelled)
            rest = some.compress(~stored)
            if len(rest):
                yield self._found_edges(rest)

    def events(self, bits: int) -> FairEvents:
        """Return the fair events that bits stand for."""
        return frozenset(event for event, bit in self.event_bits.items() if bits & bit)

    def enabled_events(self, row: int) -> FairEvents:
        """Return the fair events that are possible in a row that was asked for."""
        return self.events(self.set_bits[int(self.enabled_sets[row])])

    def possible_events(self, inside: Array) -> FairEvents:
        """Return the fair events that are possible in some row; `inside`: by row whether it is one
        of them.
        """
        numbers = self.numpy.bincount(self.enabled_sets[inside]).nonzero()[0]
        return frozenset[FairEvent]().union(
            *(self.events(self.set_bits[number]) for number in numbers.tolist())
        )

    def is_strong(self, event: FairEvent) -> bool:
        """Tell whether a fair event is strongly fair; see `RunGraph`."""
        return self.graph.is_strong(event)

    def steps(self, rows: Sequence[int]) -> Iterator[tuple[int, int, FairEvents]]:
        """Yield the steps from rows in order: the place of the row that each leaves, the row that
        it leads to, and the fair events that it is.
        """
        numpy, events, begin = self.numpy, self.graph.label_events, 0
        for some in slices(numpy.array(rows)):
            edges = self.in_order(some)
            places = numpy.repeat(numpy.arange(begin, begin + len(some)), edges.counts)
            every = (part.tolist() for part in (places, edges.targets, edges.labels))
            yield from (
                (place, row, events[label]) for place, row, label in zip(*every, strict=True)
            )
            begin += len(some)

    def in_order(self, rows: Array) -> RowEdges:
        """Return the edges of a few rows, row by row as they are given."""
        self.check()
        if (self.counts.take(rows) > 0).all():
            return self._kept_edges(rows, labelled=True)
        return self._found_edges(rows)

    def _kept_edges(self, rows: Array, *, labelled: bool) -> RowEdges:
        numpy = self.numpy
        counts = self.counts.take(rows).astype(numpy.int64) - 1
        before = numpy.cumsum(counts) - counts
        begins = self.begins.take(rows).astype(numpy.int64)
        places = numpy.repeat(begins - before, counts) + numpy.arange(int(counts.sum()))
        labels = self.labels.take(places) if labelled else None
        return RowEdges(rows, self.targets.take(places), counts, labels)

    def _found_edges(self, rows: Array) -> RowEdges:
        """Find edges; keep them where there is room."""
        numpy, edges = self.numpy, self.find(rows)
        self.unreturned += len(edges.targets)
        if self.unreturned > _EDGES_BETWEEN:
            return_unused_memory()
            self.unreturned = 0
        if len(self.graph.label_events) > _MOST_SETS:
            raise TooManyEvents
        if not self.enabled_sets.take(rows).all():
            self._note_enabled(rows, edges)
        if self.nbytes + 4 * len(edges.targets) <= self.most_bytes:
            self._keep(rows, edges)
        targets = edges.targets.astype(numpy.int32)
        return RowEdges(rows, targets, edges.counts, edges.labels)

    def _note_enabled(self, rows: Array, edges: LabelledEdges) -> None:
        numpy = self.numpy
        bits = or_by_row(numpy, self.label_bits(edges.labels), edges.counts)
        known, places = numpy.unique(bits, return_inverse=True)
        numbers = numpy.array(list(map(self._set_number, known.tolist())), dtype=numpy.uint16)
        numbers = numbers.take(places)
        numbers[~edges.complete] = _INCOMPLETE
        self.enabled_sets[rows] = numbers

    def _keep(self, rows: Array, edges: LabelledEdges) -> None:
        numpy, begin = self.numpy, len(self.targets)
        if begin + len(edges.targets) > _MOST_EDGES or edges.counts.max(initial=0) > _MOST_COUNT:
            return
        self.begins[rows] = begin + numpy.cumsum(edges.counts) - edges.counts
        self.counts[rows] = edges.counts + 1
        self.targets.append(edges.targets)
        self.labels.append(edges.labels, len(self.graph.label_events))

    def _set_number(self, bits: int) -> int:
        number = self.set_numbers.setdefault(bits, len(self.set_bits))
        if number == len(self.set_bits):
            if number == _MOST_SETS:
                raise TooManyEvents
            self.set_bits.append(bits)
        return number


def slices(rows: Array) -> Iterator[Array]:
    """Yield some rows after others."""
    return in_chunks(rows, CHUNK_ROWS)


def or_by_row(numpy: Any, numbers: Array, counts: Array) -> Array:
    """Return the numbers of each row, which lie one after the other, as one, by their bits; 0 of a
    row that has none.
    """
    return _by_row(numpy, numpy.bitwise_or, numbers, counts)


def most_by_row(numpy: Any, numbers: Array, counts: Array) -> Array:
    """Return the largest of the numbers of each row; 0 of a row that has none."""
    return _by_row(numpy, numpy.maximum, numbers, counts)


def _by_row(numpy: Any, join: Any, numbers: Array, counts: Array) -> Array:
    whole, some = numpy.zeros(len(counts), dtype=numpy.int64), counts > 0
    if len(numbers):
        begins = (numpy.cumsum(counts) - counts).compress(some)
        whole[some] = join.reduceat(numbers, begins)
    return whole
