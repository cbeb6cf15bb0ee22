"""The rows that a search met, each with an index, however the engine keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from attrs import frozen

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.models.model_protocol import Condition, ModelEvent
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor

CHUNK_ROWS = 1 << 12
"""Rows that are handed on at once."""


StepLabel = Callable[[ModelEvent, Successor], int]
"""Returns a number for what is done by an event; none below zero."""


@frozen(eq=False)
class LabelledEdges:
    """The steps from some rows that change something, as arrays of numpy."""

    counts: Any
    """By row: how many there are."""
    targets: Any
    """By edge: the index of the row that it leads to."""
    labels: Any
    """By edge: the label of the step."""
    complete: Any
    """By row: whether all of its steps were seen; else it has no edges."""


EdgeFinder = Callable[[Any], LabelledEdges]
"""Returns the edges of rows, given their indices as an array."""


class KnownRows(Protocol):
    """All rows that were met."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def row(self, index: int) -> Row:
        """Return a row."""
        ...

    def chunks(self) -> Iterator[Sequence[Row]]:
        """Yield all rows, by their index."""
        ...

    def indices(self, rows: Iterable[Row]) -> Sequence[int]:
        """Return the index of each of some rows; -1 of one that was not met."""
        ...

    def edge_finder(self, label: StepLabel) -> EdgeFinder | None:
        """Return what finds the edges of many rows at once, those of a row in the order of its
        steps; None where there are no tables of them.
        """
        ...

    def values(self, condition: Condition) -> bytes:
        """Return by index whether a condition holds in a row: 1 or 0."""
        ...


@frozen(eq=False)
class ListedRows:
    """Rows as a search row by row keeps them."""

    rows: Sequence[Row]
    known: Mapping[Row, int]
    """Row to its index."""

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> Row:
        """Return a row."""
        return self.rows[index]

    def chunks(self) -> Iterator[Sequence[Row]]:
        """Yield all rows, by their index."""
        return in_chunks(self.rows, CHUNK_ROWS)

    def indices(self, rows: Iterable[Row]) -> Sequence[int]:
        """Return the index of each of some rows; -1 of one that was not met."""
        return [self.known.get(row, -1) for row in rows]

    def edge_finder(self, label: StepLabel) -> EdgeFinder | None:
        """Return None: there are no tables of them."""
        del label
        return None

    def values(self, condition: Condition) -> bytes:
        """Return by index whether a condition holds in a row: 1 or 0."""
        return bytes(map(condition.holds_in, self.rows))
