"""Which rows were met: a map of bits where there are few enough, else sorted arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import hash_slots, sorted_distinct
from statemachines.explore.arrays.packing import RowCodes

MOST_BITMAP_BITS = 27
"""Bits of a row up to which every row has its place in an array."""
_SPARSE_LEVEL = 64
"""Where a level is smaller than the map by more than this factor, it is sorted; else the map is
gone through.
"""
_RECENT_BITS = 20
"""Bits of the number of rows that are remembered for having been met lately."""


class GatheredLevel(ABC):
    """Rows that steps lead to: gathered one chunk after the other, taken at the end."""

    @abstractmethod
    def add(self, codes: RowCodes) -> None:
        """Gather some rows."""

    @abstractmethod
    def new_rows(self) -> RowCodes:
        """Return those that were not met before, sorted, each once; they are now."""


@define(eq=False)
class VisitedRows:
    """A growing set of rows."""

    numpy: Any
    bits: int
    visited_bitmap: Any = None
    """By row: whether it was met."""
    level_bitmap: Any = None
    """By row: whether it was gathered in this level."""
    recent: Any = None
    """By slot a row that was gathered, in this level or before."""
    rows: list[RowCodes] = field(factory=list)
    """Sorted, each at least twice as long as the next."""

    def __attrs_post_init__(self) -> None:
        numpy = self.numpy
        if self.bits <= MOST_BITMAP_BITS:
            self.visited_bitmap = numpy.zeros(1 << self.bits, dtype=bool)
            self.level_bitmap = numpy.zeros(1 << self.bits, dtype=bool)
        else:
            self.recent = numpy.full(1 << _RECENT_BITS, -1, dtype=numpy.int64)

    def begin_level(self, many: int) -> GatheredLevel:
        """Begin a level that steps from so many rows lead to."""
        if self.visited_bitmap is None:
            return _SortedLevel(self)
        return (
            _BitmapLevel(self)
            if many * _SPARSE_LEVEL >= len(self.visited_bitmap)
            else _SparseLevel(self)
        )

    def visit(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows that were not met before, sorted, each once; they are now."""
        level = self.begin_level(len(codes))
        level.add(codes)
        return level.new_rows()

    def merge(self, found: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that are in none of the sorted arrays,
        and put them there.
        """
        numpy = self.numpy
        for known in self.rows:
            indices = numpy.minimum(numpy.searchsorted(known, found), len(known) - 1)
            found = found.compress(known.take(indices) != found)
        if len(found):
            self.rows.append(found)
        while len(self.rows) > 1 and len(self.rows[-2]) < 2 * len(self.rows[-1]):
            merged = numpy.concatenate(self.rows[-2:])
            self.rows[-2:] = []  # let go of before it is sorted: they are most of the memory
            merged.sort(kind="stable")
            self.rows.append(merged)
        return found


@define(eq=False)
class _BitmapLevel(GatheredLevel):
    """Marked on a map of all rows."""

    visited: VisitedRows

    def add(self, codes: RowCodes) -> None:
        self.visited.level_bitmap[codes] = True

    def new_rows(self) -> RowCodes:
        visited = self.visited
        found = visited.numpy.flatnonzero(visited.level_bitmap > visited.visited_bitmap)
        visited.level_bitmap[:] = False
        visited.visited_bitmap[found] = True
        return found


@define(eq=False)
class _SparseLevel(GatheredLevel):
    """Kept in a list, without what the map has."""

    visited: VisitedRows
    found: list[RowCodes] = field(factory=list)

    def add(self, codes: RowCodes) -> None:
        self.found.append(codes.compress(~self.visited.visited_bitmap.take(codes)))

    def new_rows(self) -> RowCodes:
        numpy = self.visited.numpy
        found = sorted_distinct(
            numpy, numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *self.found])
        )
        self.visited.visited_bitmap[found] = True
        return found


@define(eq=False)
class _SortedLevel(GatheredLevel):
    """Sorted; most rows are met many times within a short while, and left out at once."""

    visited: VisitedRows
    found: list[RowCodes] = field(factory=list)

    def add(self, codes: RowCodes) -> None:
        lately = self.visited.recent
        slots = hash_slots(self.visited.numpy, codes, 64 - _RECENT_BITS)
        new = lately.take(slots) != codes
        left = codes.compress(new)
        lately[slots.compress(new)] = left
        self.found.append(sorted_distinct(self.visited.numpy, left))

    def new_rows(self) -> RowCodes:
        numpy = self.visited.numpy
        return self.visited.merge(
            sorted_distinct(
                numpy, numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *self.found])
            )
        )
