"""What one piece of a log tells, as a state folder keeps it: observations, and columns of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from heapq import merge
from typing import Any, NamedTuple

from attrs import evolve

from statemachines.conform.columns.observation_columns import InstanceKey, ObservationColumns
from statemachines.conform.engines.growing.content_readings import renumbered
from statemachines.conform.interchange.observations import FileTeller, LineWords, Observation
from statemachines.model.arrays import load_numpy

_NUMBERS = "starts", "sizes", "lines", "at", "reached", "instance_codes", "word_codes"
"""The columns of `ObservationColumns` that are numbers of 64 bits."""


class PackedColumns(NamedTuple):
    """Columns as they are kept: numbers are bytes."""

    file: int
    texts: bytes
    numbers: tuple[bytes, ...]
    instances: tuple[InstanceKey, ...]
    words: tuple[LineWords, ...]


class ObservedPart(NamedTuple):
    """What one piece of a log tells."""

    observations: list[Observation]
    columns: list[ObservationColumns]
    """What is no observation by itself."""

    def chosen(self, wanted: Set[FileTeller]) -> ObservedPart:
        """Return what is told of some instances."""
        return ObservedPart(
            [observation for observation in self.observations if observation.teller in wanted],
            list(_chosen_columns(self.columns, wanted)),
        )

    def of_file(self, number: int) -> ObservedPart:
        """Return the same as of the file with a number."""
        columns = [evolve(column, file=number) for column in self.columns]
        return ObservedPart(list(renumbered(self.observations, number)), columns)

    def in_order(self) -> Iterator[Observation]:
        """Yield all that it tells as observations, line after line."""
        others = (column.observations() for column in self.columns)
        return merge(self.observations, *others, key=lambda observation: observation.line)


def _chosen_columns(
    columns: Iterable[ObservationColumns], wanted: Set[FileTeller]
) -> Iterator[ObservationColumns]:
    for column in columns:
        mine = [(*who, None) in wanted for who in column.instances]
        if any(mine):
            yield column.part(load_numpy().array(mine)[column.instance_codes])


def packed_columns(columns: ObservationColumns) -> PackedColumns:
    """Return columns as they are kept: with the texts of their lines alone."""
    mine = columns.part(slice(None))
    numbers = tuple(getattr(mine, name).tobytes() for name in _NUMBERS)
    return PackedColumns(0, mine.texts, numbers, mine.instances, mine.words)


def unpacked_columns(packed: PackedColumns) -> ObservationColumns:
    """Return columns that were kept."""
    numpy = load_numpy()
    numbers: dict[str, Any] = {
        name: numpy.frombuffer(column, numpy.int64)
        for name, column in zip(_NUMBERS, packed.numbers, strict=True)
    }
    return ObservationColumns(
        file=packed.file,
        texts=packed.texts,
        instances=packed.instances,
        words=packed.words,
        **numbers,
    )
