"""Which rows were visited: a map of bits where there are few enough, else sorted arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import hash_slots, sorted_distinct
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.visited.least_rows import LeastRows
from statemachines.explore.visited.row_store import (
    RowStore,
    StoredRows,
    joined_rows,
    plain_rows,
)
from statemachines.explore.visited.sorted_runs import SortedRuns

MOST_BITMAP_BITS = 27
"""Bits of a row up to which every row has its place in an array."""
_SPARSE_LEVEL = 64
"""Where a level is smaller than the map by more than this factor, it is sorted; else the map is
gone through.
"""
_LEAST_SLOTS = 1 << 10
"""Rows that are remembered for it however little room there is."""
_RECENT_BITS = 20
"""Bits of the number of rows that are remembered for having been met lately, where there is room.
"""


MOST_GATHERED = 1 << 20
"""Rows that are gathered before those that were met before are left out."""


class GatheredLevel(ABC):
    """Rows that steps lead to: gathered one chunk after the other, taken at the end."""

    @abstractmethod
    def add(self, codes: RowCodes) -> None:
        """Gather some rows."""

    @property
    def certain_rows(self) -> int:
        """How many rows there are at least that were not met before."""
        return 0

    def narrow(self, most: int, least: LeastRows) -> None:
        """Where more than so many are certain, keep that many: of these, and of what comes, the
        least.
        """
        del most, least  # a map has room for all rows

    @abstractmethod
    def gathered_rows(self) -> Callable[[], StoredRows]:
        """Return what answers with the rows that are gathered by now, and maybe later ones, at any
        moment until the next level begins: an interrupt within another method changes nothing.
        """

    @abstractmethod
    def new_rows(self) -> StoredRows:
        """Return those that were not met before, each once; they are now."""


@define(eq=False)
class VisitedRows:
    """A growing set of rows."""

    numpy: Any
    bits: int
    store: RowStore
    visited_bitmap: Any = None
    """By row: whether it was met."""
    level_bitmap: Any = None
    """By row: whether it was gathered in this level."""
    recent_bits: int = 0
    """Of the number of a slot."""
    recent: Any = None
    """By slot a row that was gathered, in this level or before."""
    runs: SortedRuns = field(init=False)

    def __attrs_post_init__(self) -> None:
        numpy, most = self.numpy, self.store.most_bytes
        self.runs = SortedRuns(numpy, self.store)
        if self.bits <= MOST_BITMAP_BITS and (most is None or 2 << self.bits <= most):
            self.visited_bitmap = numpy.zeros(1 << self.bits, dtype=bool)
            self.level_bitmap = numpy.zeros(1 << self.bits, dtype=bool)
        else:
            slots = max(self.store.most_gathered(1 << _RECENT_BITS), _LEAST_SLOTS)
            self.recent_bits = slots.bit_length() - 1
            self.recent = numpy.full(1 << self.recent_bits, -1, dtype=numpy.int64)

    def begin_level(self, many: int) -> GatheredLevel:
        """Begin a level that steps from so many rows lead to."""
        if self.visited_bitmap is None:
            return _SortedLevel(self)
        return (
            _BitmapLevel(self)
            if many * _SPARSE_LEVEL >= len(self.visited_bitmap)
            else _SparseLevel(self)
        )

    def visit(self, chunks: Iterable[RowCodes]) -> StoredRows:
        """Return those of some rows that were not met before, each once; they are now."""
        level = self.begin_level(0)
        for codes in chunks:
            level.add(codes)
        return level.new_rows()

    def close(self) -> None:
        """Let go of all rows."""
        self.runs.close()


@define(eq=False)
class _BitmapLevel(GatheredLevel):
    """Marked on a map of all rows."""

    visited: VisitedRows
    fresh: RowCodes | None = None
    """All that is new, once the level is whole: the map is cleared then."""

    def add(self, codes: RowCodes) -> None:
        self.visited.level_bitmap[codes] = True

    def gathered_rows(self) -> Callable[[], StoredRows]:
        numpy = self.visited.numpy
        return lambda: plain_rows(numpy, [self._marked() if self.fresh is None else self.fresh])

    def _marked(self) -> RowCodes:
        visited = self.visited
        return visited.numpy.flatnonzero(visited.level_bitmap > visited.visited_bitmap)

    def new_rows(self) -> StoredRows:
        visited = self.visited
        fresh = self.fresh = self._marked()
        visited.level_bitmap[:] = False
        visited.visited_bitmap[fresh] = True
        return visited.store.keep(fresh)


@define(eq=False)
class _SparseLevel(GatheredLevel):
    """Kept in a list, without what the map has."""

    visited: VisitedRows
    fresh: list[RowCodes] = field(factory=list)

    def add(self, codes: RowCodes) -> None:
        self.fresh.append(codes.compress(~self.visited.visited_bitmap.take(codes)))

    def gathered_rows(self) -> Callable[[], StoredRows]:
        gathered = plain_rows(self.visited.numpy, self.fresh)
        return lambda: gathered

    def new_rows(self) -> StoredRows:
        joined = _joined(self.visited.numpy, self.fresh)
        self.visited.visited_bitmap[joined] = True
        return self.visited.store.keep(joined)


@define(eq=False)
class _SortedLevel(GatheredLevel):
    """Sorted; most rows are met many times within a short while, and left out at once."""

    visited: VisitedRows
    gathered: list[RowCodes] = field(factory=list)
    count: int = 0
    new: list[StoredRows] = field(factory=list)
    within: Callable[[RowCodes], RowCodes] | None = None
    """Leaves out rows of which there are enough lesser ones."""

    def add(self, codes: RowCodes) -> None:
        lately = self.visited.recent
        slots = hash_slots(self.visited.numpy, codes, 64 - self.visited.recent_bits)
        new = lately.take(slots) != codes
        left = codes.compress(new)
        lately[slots.compress(new)] = left
        distinct = sorted_distinct(self.visited.numpy, left)
        self.gathered.append(distinct)
        self.count += len(distinct)
        if self.count > self.visited.store.most_gathered(MOST_GATHERED):
            self._take_new()

    def gathered_rows(self) -> Callable[[], StoredRows]:
        gathered = joined_rows([*self.new, plain_rows(self.visited.numpy, self.gathered)])
        return lambda: gathered

    @property
    def certain_rows(self) -> int:
        """How many rows there are at least that were not met before."""
        return sum(map(len, self.new))

    def narrow(self, most: int, least: LeastRows) -> None:
        if self.certain_rows <= most:
            return
        store, rows = self.visited.store, joined_rows(self.new)
        self.within = within = least.within(rows, most)
        self.new = [store.keep(within(codes)) for codes in rows.chunks(MOST_GATHERED)]
        store.forget(rows)

    def _take_new(self) -> None:
        """Leave out what was met before, and keep the rest."""
        fresh = _joined(self.visited.numpy, self.gathered)
        self.gathered, self.count = [], 0
        if self.within is not None:
            fresh = self.within(fresh)
        if len(fresh := self.visited.runs.add_new(fresh)):
            self.new.append(self.visited.store.keep(fresh))

    def new_rows(self) -> StoredRows:
        self._take_new()
        return joined_rows(self.new)


def _joined(numpy: Any, pieces: list[RowCodes]) -> RowCodes:
    """Return what stands in several arrays, sorted, each once."""
    return sorted_distinct(numpy, numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *pieces]))
