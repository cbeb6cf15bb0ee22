"""The edges of rows that somebody asks for, as arrays: made many rows at once, each row once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.packed_edges import PackedLabels, PackedTargets
from statemachines.explore.verdicts.run_graphs import RunGraph
from statemachines.explore.visited.known_rows import EdgeFinder

Array = Any
"""An array of numpy."""
CHUNK_ROWS = 1 << 14
"""Rows whose edges are worked on at once."""
_MOST_EVENTS = 62
"""Fair events that have a bit of a number each."""
_MOST_SETS = 1 << 16
"""Sets of fair events that have a number of two bytes each."""


class TooManyEvents(Exception):
    """There are more fair events, or sets of them, than numbers have room for."""


@define(eq=False)
class EdgeArrays:
    """The edges of some rows; a row takes eleven bytes, an edge three and a few bits (four and a
    few where rows are more than sixteen millions).
    """

    numpy: Any
    find: EdgeFinder
    graph: RunGraph
    """Numbers the sets of fair events; it needs no rows."""
    check: Callable[[], None]
    """Is called now and then; what it raises ends it."""
    size: int
    """How many rows there are."""
    places: Array = field(init=False)
    """By row: its place among those whose edges are here; -1: they are not."""
    ends: array[int] = field(factory=lambda: array("I", [0]))
    """Where the edges of the row at a place begin; one more, where the last ones end."""
    targets: PackedTargets = field(init=False)
    labels: PackedLabels = field(init=False)
    complete: bytearray = field(factory=bytearray)
    """By place: whether all steps of the row were seen; else it has no edges."""
    enabled_sets: array[int] = field(factory=lambda: array("H"))
    """By place: the number of what is possible there."""
    set_bits: list[int] = field(factory=list)
    """By number of what is possible somewhere: its fair events as bits."""
    set_numbers: dict[int, int] = field(factory=dict)
    event_bits: dict[FairEvent, int] = field(factory=dict)
    """Fair event to its bit."""

    def __attrs_post_init__(self) -> None:
        self.places = self.numpy.full(self.size, -1, dtype=self.numpy.int32)
        self.targets = PackedTargets(self.numpy, self.size)
        self.labels = PackedLabels(self.numpy)

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
        """Return the fair events that are possible in rows, as bits."""
        sets = self._view(self.enabled_sets, "uint16").take(self.places.take(rows))
        return self.numpy.array([*self.set_bits, 0], dtype=self.numpy.int64).take(sets)

    def is_complete(self, rows: Array) -> Array:
        """Tell of which rows all steps were seen."""
        return self._view(self.complete, "bool").take(self.places.take(rows))

    def chunks(self, rows: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield some rows after others: the rows, where the edges of each of them lead to, one
        after the other, and how many these are.
        """
        for begin in range(0, len(rows), CHUNK_ROWS):
            some = rows[begin : begin + CHUNK_ROWS]
            edges, counts = self._edges(some)
            yield some, self.targets.take(edges), counts

    def labelled_chunks(self, rows: Array) -> Iterator[tuple[Array, Array, Array, Array]]:
        """Yield the same, and the fair events of the edges, as bits."""
        for begin in range(0, len(rows), CHUNK_ROWS):
            some = rows[begin : begin + CHUNK_ROWS]
            edges, counts = self._edges(some)
            labels = self.label_bits(self.labels.take(edges))
            yield some, self.targets.take(edges), counts, labels

    def _edges(self, rows: Array) -> tuple[Array, Array]:
        """Return the edges of rows, one after the other, and how many each of these has."""
        numpy = self.numpy
        self.check()
        new = rows.compress(self.places.take(rows) < 0)
        if len(new):
            self._add(new)
        places, ends = self.places.take(rows), self._view(self.ends, "uint32")
        begins = ends.take(places).astype(numpy.int64)
        counts = ends.take(places + 1) - begins
        before = numpy.cumsum(counts) - counts
        return numpy.repeat(begins - before, counts) + numpy.arange(int(counts.sum())), counts

    def _add(self, rows: Array) -> None:
        numpy, edges = self.numpy, self.find(rows)
        if len(self.graph.label_events) > _MOST_SETS:
            raise TooManyEvents
        bits = or_by_row(numpy, self.label_bits(edges.labels), edges.counts)
        numbers = numpy.empty(len(rows), dtype=numpy.uint16)
        for some in sorted_distinct(numpy, bits).tolist():
            numbers[bits == some] = self._set_number(some)
        begin, end = len(self.complete), len(self.targets)
        self.ends.frombytes((edges.counts.cumsum() + end).astype(numpy.uint32).tobytes())
        self.targets.append(edges.targets)
        self.labels.append(edges.labels, len(self.graph.label_events))
        self.enabled_sets.frombytes(numbers.tobytes())
        self.complete.extend(edges.complete.astype(numpy.uint8).tobytes())
        self.places[rows] = numpy.arange(begin, begin + len(rows), dtype=numpy.int32)

    def _set_number(self, bits: int) -> int:
        number = self.set_numbers.setdefault(bits, len(self.set_bits))
        if number == len(self.set_bits):
            if number == _MOST_SETS:
                raise TooManyEvents
            self.set_bits.append(bits)
        return number

    def _view(self, numbers: Any, dtype: str) -> Array:
        """Return what was gathered as an array; nobody may hold it while more is."""
        return self.numpy.frombuffer(numbers, dtype=dtype)


def or_by_row(numpy: Any, numbers: Array, counts: Array) -> Array:
    """Return the numbers of each row, which lie one after the other, as one, by their bits; 0 of a
    row that has none.
    """
    whole, some = numpy.zeros(len(counts), dtype=numpy.int64), counts > 0
    if len(numbers):
        begins = (numpy.cumsum(counts) - counts).compress(some)
        whole[some] = numpy.bitwise_or.reduceat(numbers, begins)
    return whole
