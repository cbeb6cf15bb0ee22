"""Which rows were met: a map of bits where there are few enough, else sorted arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from attrs import define, field

from statemachines.explore.distinct import distinct, slots_of
from statemachines.explore.packing import Codes

DENSE = 27
"""Bits of a row up to which every row has its place in an array."""
SPARSE_LEVEL = 64
"""Where a level is smaller than the map by more than this factor, it is sorted; else the map is gone through."""
LATELY = 20
"""Bits of the number of rows that are remembered for having been met lately."""


class Level(ABC):
    """Rows that steps lead to: gathered from any thread, taken by one at the end."""

    @abstractmethod
    def add(self, codes: Codes) -> None:
        """Gather some rows."""

    @abstractmethod
    def end(self) -> Codes:
        """Return those that were not met before, sorted, each once; they are now."""


@define(eq=False)
class Visited:
    """A growing set of rows."""

    numpy: Any
    bits: int
    marks: Any = None
    """By row: whether it was met."""
    level: Any = None
    """By row: whether it was gathered in this level."""
    lately: Any = None
    """By slot a row that was gathered, in this level or before."""
    rows: list[Codes] = field(factory=list)
    """Sorted, each at least twice as long as the next."""

    def __attrs_post_init__(self) -> None:
        numpy = self.numpy
        if self.bits <= DENSE:
            self.marks = numpy.zeros(1 << self.bits, dtype=bool)
            self.level = numpy.zeros(1 << self.bits, dtype=bool)
        else:
            self.lately = numpy.full(1 << LATELY, -1, dtype=numpy.int64)

    def begin(self, many: int) -> Level:
        """Begin a level that steps from so many rows lead to."""
        if self.marks is None:
            return _Sorted(self)
        return _Mapped(self) if many * SPARSE_LEVEL >= len(self.marks) else _Few(self)

    def fresh(self, codes: Codes) -> Codes:
        """Return those of some rows that were not met before, sorted, each once; they are now."""
        level = self.begin(len(codes))
        level.add(codes)
        return level.end()

    def merged(self, found: Codes) -> Codes:
        """Return those of some rows, sorted and each once, that are in none of the sorted arrays, and put them there."""
        numpy = self.numpy
        for known in self.rows:
            places = numpy.minimum(numpy.searchsorted(known, found), len(known) - 1)
            found = found.compress(known.take(places) != found)
        if len(found):
            self.rows.append(found)
        while len(self.rows) > 1 and len(self.rows[-2]) < 2 * len(self.rows[-1]):
            last = self.rows.pop()
            self.rows[-1] = numpy.sort(numpy.concatenate([self.rows[-1], last]), kind="stable")
        return found


@define(eq=False)
class _Mapped(Level):
    """Marked on a map of all rows."""

    visited: Visited

    def add(self, codes: Codes) -> None:
        self.visited.level[codes] = True

    def end(self) -> Codes:
        visited = self.visited
        found = visited.numpy.flatnonzero(visited.level > visited.marks)
        visited.level[:] = False
        visited.marks[found] = True
        return found


@define(eq=False)
class _Few(Level):
    """Kept in a list, without what the map has."""

    visited: Visited
    found: list[Codes] = field(factory=list)

    def add(self, codes: Codes) -> None:
        self.found.append(codes.compress(~self.visited.marks.take(codes)))

    def end(self) -> Codes:
        numpy = self.visited.numpy
        found = distinct(numpy, numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *self.found]))
        self.visited.marks[found] = True
        return found


@define(eq=False)
class _Sorted(Level):
    """Sorted; most rows are met many times within a short while, and left out at once."""

    visited: Visited
    found: list[Codes] = field(factory=list)

    def add(self, codes: Codes) -> None:
        lately = self.visited.lately
        slots = slots_of(self.visited.numpy, codes, 64 - LATELY)
        new = lately.take(slots) != codes
        left = codes.compress(new)
        lately[slots.compress(new)] = left
        self.found.append(distinct(self.visited.numpy, left))

    def end(self) -> Codes:
        numpy = self.visited.numpy
        return self.visited.merged(distinct(numpy, numpy.concatenate([numpy.zeros(0, dtype=numpy.int64), *self.found])))
