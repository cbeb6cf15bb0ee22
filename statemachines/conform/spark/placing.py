"""Between the stages, on the workers: which instance an observation is of, and where it stands, now that every profile is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from statemachines.conform.naming import sort_key
from statemachines.conform.observations import Observation
from statemachines.conform.processes import Context
from statemachines.conform.profile import Shift
from statemachines.conform.spark.rows import PLACED, kept_unpacked, mapped, packed, unpacked, values
from statemachines.conform.spark.sortable import sortable
from statemachines.conform.summary import identity, order_of

NOBODY = b""
"""The rank of observations whose generation no line told; it sorts before every other."""


@frozen
class Known:
    """What the driver knows when all pieces have been read."""

    context: Context
    shifts: Mapping[tuple[int, int], Shift]
    """File and piece: how its lines and times move by the pieces before it."""


def placing(known: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns rows of observations into rows that Spark can sort.

    Args:
        known: A packed `Known`.
    """

    def place(batches: Iterator[Any]) -> Iterator[tuple[bytes, bytes, bytes]]:
        placer = Placer(kept_unpacked(known))
        for batch in batches:
            for file, piece, number, body in values(batch, "file", "piece", "number", "body"):
                yield placer.row(file, piece, number, unpacked(body))

    return mapped(PLACED, place)


class Placer:
    """Places observations; remembers the ranks of the instances it met last."""

    MOST = 1 << 16

    def __init__(self, known: Known) -> None:
        self._known = known
        self._ranks: dict[tuple[Any, ...], bytes] = {}

    def row(self, file: int, piece: int, number: int, relative: Observation) -> tuple[bytes, bytes, bytes]:
        """Return the rank of an observation's instance, its place among the instance's, and itself."""
        context = self._known.context
        absolute = self._known.shifts[file, piece].moved(relative)
        seen = context.with_generation(absolute)
        if seen is None:
            return NOBODY, sortable((file, absolute.line, number)), packed(absolute)
        return self._rank(identity(context, seen)), sortable((*_flat(order_of(context, seen)), piece, number)), packed(seen)

    def _rank(self, who: tuple[Any, ...]) -> bytes:
        """Return the bytes that sort an instance as the report does."""
        if who not in self._ranks:
            if len(self._ranks) >= self.MOST:
                self._ranks.clear()
            self._ranks[who] = sortable(sort_key(self._known.context, who))
        return self._ranks[who]


def _flat(order: tuple[Any, ...]) -> tuple[Any, ...]:
    """Lay the parts of an order side by side."""
    process, position = order
    return (process, *position)
