"""Which rows were met: a map of bits where there are few enough, else sorted arrays."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from statemachines.explore.packing import Codes

DENSE = 27
"""Bits of a row up to which every row has its place in an array."""
SPARSE_LEVEL = 64
"""Where a level is smaller than the map by more than this factor, it is sorted; else the map is gone through."""


@define(eq=False)
class Visited:
    """A growing set of rows."""

    numpy: Any
    bits: int
    marks: Any = None
    """By row: 1 where it was met, 2 where it was met just now."""
    rows: list[Codes] = field(factory=list)
    """Sorted, each at least twice as long as the next."""

    def __attrs_post_init__(self) -> None:
        if self.bits <= DENSE:
            self.marks = self.numpy.zeros(1 << self.bits, dtype=bool)

    def new(self, codes: Codes) -> Codes:
        """Return some rows each once where that is cheap to tell, without some of those that were met before."""
        if self.marks is not None:
            return codes[~self.marks[codes]]
        return self.numpy.unique(codes)

    def fresh(self, codes: list[Codes]) -> Codes:
        """Return those of some rows that were not met before, sorted, each once; they are now."""
        if not codes:
            return self.numpy.zeros(0, dtype=self.numpy.int64)
        return self._sorted(codes) if self.marks is None else self._marked(codes)

    def _marked(self, codes: list[Codes]) -> Codes:
        new = codes if len(codes) != 1 else [codes[0][~self.marks[codes[0]]]]
        if sum(map(len, new)) * SPARSE_LEVEL < len(self.marks):
            found = self.numpy.unique(self.numpy.concatenate(new))
        else:
            level = self.numpy.zeros(len(self.marks), dtype=bool)
            for one in new:
                level[one] = True
            found = self.numpy.flatnonzero(level)
        self.marks[found] = True
        return found

    def _sorted(self, codes: list[Codes]) -> Codes:
        numpy = self.numpy
        found = numpy.unique(numpy.concatenate(codes))
        for known in self.rows:
            places = numpy.minimum(numpy.searchsorted(known, found), len(known) - 1)
            found = found[known[places] != found]
        if len(found):
            self.rows.append(found)
        while len(self.rows) > 1 and len(self.rows[-2]) < 2 * len(self.rows[-1]):
            last = self.rows.pop()
            self.rows[-1] = numpy.sort(numpy.concatenate([self.rows[-1], last]), kind="stable")
        return found
