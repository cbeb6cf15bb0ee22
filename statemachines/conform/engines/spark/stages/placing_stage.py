"""Between the stages, on the workers: which instance an observation is of, and where it stands, now
that every profile is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from statemachines.conform.engines.spark.stages.sortable_bytes import sortable_bytes
from statemachines.conform.engines.spark.stages.stage_rows import (
    PLACED_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
    unpack,
    unpack_cached,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Shift
from statemachines.conform.join.report_names import instance_sort_key
from statemachines.conform.settle.instance_order import instance_identity, observation_order
from statemachines.conform.settle.judging_context import JudgingContext

NO_INSTANCE = b""
"""The rank of observations whose generation no line told; it sorts before every other."""


@frozen
class SettledContext:
    """What the driver knows when all pieces have been read."""

    context: JudgingContext
    shifts: Mapping[tuple[int, int], Shift]
    """File and piece: how its lines and times move by the pieces before it."""


def make_placing_function(known: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns rows of observations into rows that Spark can sort.

    Args:
        known: A packed `Known`.
    """

    def place(batches: Iterator[Any]) -> Iterator[tuple[bytes, bytes, bytes]]:
        placer = ObservationPlacer(unpack_cached(known))
        for batch in batches:
            for file, chunk, number, body in column_rows(batch, "file", "piece", "number", "body"):
                yield placer.row(file, chunk, number, unpack(body))

    return make_arrow_function(PLACED_COLUMNS, place)


class ObservationPlacer:
    """Places observations; remembers the ranks of the instances it met last."""

    MOST_RANKS = 1 << 16

    def __init__(self, known: SettledContext) -> None:
        self._settled = known
        self._ranks: dict[tuple[Any, ...], bytes] = {}

    def row(
        self, file: int, chunk: int, number: int, relative: Observation
    ) -> tuple[bytes, bytes, bytes]:
        """Return the rank of an observation's instance, its position there, and itself."""
        context = self._settled.context
        absolute = self._settled.shifts[file, chunk].shifted_observation(relative)
        generation = context.with_generation(absolute)
        if generation is None:
            return NO_INSTANCE, sortable_bytes((file, absolute.line, number)), pack(absolute)
        return (
            self._rank(instance_identity(context, generation)),
            sortable_bytes(
                (*_flatten_order(observation_order(context, generation)), chunk, number)
            ),
            pack(generation),
        )

    def _rank(self, who: tuple[Any, ...]) -> bytes:
        """Return the bytes that sort an instance as the report does."""
        if who not in self._ranks:
            if len(self._ranks) >= self.MOST_RANKS:
                self._ranks.clear()
            self._ranks[who] = sortable_bytes(instance_sort_key(self._settled.context, who))
        return self._ranks[who]


def _flatten_order(order: tuple[Any, ...]) -> tuple[Any, ...]:
    """Lay the parts of an order side by side."""
    process, position = order
    return (process, *position)
