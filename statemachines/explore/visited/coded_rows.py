"""The rows that a search on arrays met, sorted: each has the index at which it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.arrays.expansions import LabelledSteps
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.arrays.row_expansion import ArrayExpansion
from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.models.row_columns import Row
from statemachines.explore.properties.row_conditions import RowCondition
from statemachines.explore.visited.known_rows import (
    CHUNK_ROWS,
    EdgeFinder,
    LabelledEdges,
    StepLabel,
)
from statemachines.explore.visited.row_store import StoredRows


@frozen(eq=False)
class CodedRows:
    """Rows as numbers, eight bytes each."""

    numpy: Any
    expansion: ArrayExpansion
    codes: RowCodes
    complete: bool
    """Whether the search came to its end: else a step may lead to what has no number."""

    @property
    def packing(self) -> Packing:
        """Where each column lies within a number."""
        return self.expansion.packing

    def __len__(self) -> int:
        return len(self.codes)

    def row(self, index: int) -> Row:
        """Return a row."""
        return self.packing.row(int(self.codes[index]))

    def chunks(self) -> Iterator[Sequence[Row]]:
        """Yield all rows, by their index."""
        for codes in in_chunks(self.codes, CHUNK_ROWS):
            yield [self.packing.row(code) for code in codes.tolist()]

    def indices(self, rows: Iterable[Row]) -> Sequence[int]:
        """Return the index of each of some rows; -1 of one that was not met."""
        numpy = self.numpy
        codes = numpy.array(
            [self.packing.code(row) if self._has_code(row) else -1 for row in rows],
            dtype=numpy.int64,
        )
        places: Sequence[int] = self._places(codes).tolist()
        return places

    def _has_code(self, row: Row) -> bool:
        """Tell whether the packing has bits for a row: always, for one that was met."""
        bits = self.packing.bits
        return self.complete or not any(number >> bits[index] for index, number in enumerate(row))

    def edge_finder(self, label: StepLabel) -> EdgeFinder | None:
        """Return what finds the edges of many rows at once; None where the search did not come to
        its end.
        """
        if not self.complete:
            return None
        steps = self.expansion.labelled_steps(label, self._places)
        return lambda indices: self._edges(steps, self.codes.take(indices))

    def _edges(self, steps: LabelledSteps, codes: RowCodes) -> LabelledEdges:
        """Return the edges of some rows: none of those that a search does not go on from, or not
        all of whose steps lead to rows that were met.
        """
        numpy, expansion = self.numpy, self.expansion
        complete = numpy.isin(codes, expansion.within_constraint(expansion.within_range(codes)))
        places = numpy.flatnonzero(complete)
        sources, targets, numbers = steps(codes.take(places))
        sources = places.take(sources)
        complete[sources.compress(targets < 0)] = False
        followed = numpy.flatnonzero(complete.take(sources))
        counts = numpy.bincount(sources.take(followed), minlength=len(codes))
        return LabelledEdges(counts, targets.take(followed), numbers.take(followed), complete)

    def _places(self, codes: RowCodes) -> RowCodes:
        """Return where rows stand; -1 of one that was not met."""
        numpy = self.numpy
        if not len(self.codes):
            return numpy.full(len(codes), -1)
        places = numpy.minimum(numpy.searchsorted(self.codes, codes), len(self.codes) - 1)
        return numpy.where(self.codes.take(places) == codes, places, -1)

    def values(self, condition: Condition) -> bytes:
        """Return by index whether a condition holds in a row: 1 or 0."""
        if isinstance(condition, RowCondition):
            values = (
                self.expansion.values(condition, codes)
                for codes in in_chunks(self.codes, CHUNK_ROWS)
            )
            return b"".join(some.astype(bool).tobytes() for some in values)
        return bytes(condition.holds_in(row) for rows in self.chunks() for row in rows)


def coded_rows(
    numpy: Any,
    expansion: ArrayExpansion,
    levels: Sequence[StoredRows],
    *,
    complete: bool,
) -> CodedRows:
    """Return the rows of all levels; those on disk are read into memory.

    Args:
        numpy: the library.
        expansion: the tables of what was searched.
        levels: that were met.
        complete: whether the search came to its end.
    """
    codes, end = numpy.empty(sum(map(len, levels)), dtype=numpy.int64), 0
    for some in (some for level in levels for some in level.chunks(CHUNK_ROWS)):
        codes[end : end + len(some)] = some
        end += len(some)
    codes.sort()
    return CodedRows(numpy, expansion, codes, complete)
