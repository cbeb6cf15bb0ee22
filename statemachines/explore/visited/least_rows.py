"""The rows of a level that count where there are too many, chosen many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import field, frozen

from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.visited.row_ranks import RANK_BITS, RowRanks
from statemachines.explore.visited.row_store import StoredRows

_CHUNK_ROWS = 1 << 16
"""Rows whose ranks are looked at once."""
_BIN_BITS = 16
"""First bits of a rank by which rows are counted before some are sorted."""


@frozen(eq=False)
class LeastRows:
    """Chooses the rows with the least ranks; see `RowRanks`."""

    numpy: Any
    ranks: RowRanks
    packing: Packing
    known: dict[int, Array] = field(factory=dict)
    """By column: what its values add."""

    def within(self, rows: StoredRows, many: int) -> Callable[[RowCodes], RowCodes]:
        """Return what picks so many of some rows, of which there are more: of those with the same
        rank, all or none.

        Complexity: rows are gone through twice; few are held at once.
        """
        numpy, shift = self.numpy, RANK_BITS - _BIN_BITS
        counts = numpy.zeros(1 << _BIN_BITS, dtype=numpy.int64)
        for codes in rows.chunks(_CHUNK_ROWS):
            counts += numpy.bincount(self._ranks(codes) >> shift, minlength=len(counts))
        ends = numpy.cumsum(counts)
        last = int(numpy.searchsorted(ends, many, side="right"))
        ranks = (self._ranks(codes) for codes in rows.chunks(_CHUNK_ROWS))
        inside = numpy.concatenate([some.compress(some >> shift == last) for some in ranks])
        limit = int(numpy.sort(inside)[many - int(ends[last] - counts[last])])
        return lambda codes: codes.compress(self._ranks(codes) < limit)

    def _ranks(self, codes: RowCodes) -> Array:
        numpy = self.numpy
        whole = numpy.zeros(len(codes), dtype=numpy.uint64)
        for index in range(len(self.packing.bits)):
            whole += self._terms(index).take(self.packing.column_ids(codes, index))
        return (whole >> numpy.uint64(1)).view(numpy.int64)

    def _terms(self, index: int) -> Array:
        """Return by number what a value in a column adds to twice a rank."""
        known, values = self.known.get(index), self.ranks.columns[index].values
        if known is None or len(known) < len(values):
            terms = self.ranks.terms(index)
            known = self.known[index] = self.numpy.array(terms, dtype=self.numpy.uint64)
        return known
