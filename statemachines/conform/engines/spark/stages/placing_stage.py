"""Between the stages, on the workers: which instances observations are of, now that every profile
is known, and who judges them.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from statemachines.conform.columns.observation_columns import (
    FoldedSteps,
    InstanceKey,
    ObservationColumns,
)
from statemachines.conform.engines.spark.stages.observing_stage import Observed
from statemachines.conform.engines.spark.stages.stage_rows import (
    PLACED_COLUMNS,
    column_rows,
    make_arrow_function,
    pack_lines,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.engines.spark.stages.step_folding import StepFolder
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Shift
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    reporting_process,
)
from statemachines.model.arrays import load_numpy

PlacedRow = tuple[int, int, int, int, bytes]


@frozen
class SettledContext:
    """What the driver knows when all pieces have been read."""

    context: JudgingContext
    shifts: Mapping[tuple[int, int], Shift]
    """File and piece: how its lines and times move by the pieces before it. Pieces behind one that
    nobody could read are missing.
    """

    def absolute(self, file: int, piece: int, observed: Observed) -> Observed:
        """Return what the lines of a piece tell, each at its place in the whole file; nothing of a
        piece that does not count.
        """
        if (file, piece) not in self.shifts:
            return [], []
        shift, (lines, columns) = self.shifts[file, piece], observed
        return list(shift.shifted_observations(lines)), [block.shifted(shift) for block in columns]


def make_placing_function(
    known: bytes,
    partitions: int,
    places: Mapping[InstanceIdentity, int],
    *,
    folds: bool,
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that divides observations by who judges them.

    Args:
        known: A packed `SettledContext`.
        partitions: How many judge, several.
        places: Who judges some instances; of others a hash says it.
        folds: Whether plain steps are counted here; where each is asked for, that gains nothing.
    """

    def place(batches: Iterator[Any]) -> Iterator[PlacedRow]:
        placer = ObservationPlacer(unpack_cached(known), partitions, places, folds=folds)
        for batch in batches:
            for file, piece, number, body in column_rows(batch, "file", "piece", "number", "body"):
                yield from placer.rows(file, piece, number, unpack_lines(body))

    return make_arrow_function(PLACED_COLUMNS, place)


class ObservationPlacer:
    """Divides observations so that all of one instance come to one partition; remembers that of
    the instances it met last.
    """

    MOST_INSTANCES = 1 << 16

    def __init__(
        self,
        known: SettledContext,
        partitions: int,
        places: Mapping[InstanceIdentity, int],
        *,
        folds: bool,
    ) -> None:
        self._settled, self._partitions, self._places = known, partitions, places
        self._folder = StepFolder(known.context) if folds else None
        self._by_instance: dict[InstanceIdentity, int] = {}

    def rows(self, file: int, piece: int, number: int, observed: Observed) -> Iterator[PlacedRow]:
        """Yield what some lines tell, a row for each partition that judges of it."""
        lines, columns = self._settled.absolute(file, piece, observed)
        divided: dict[int, Observed] = defaultdict(lambda: ([], []))
        for observation in lines:
            divided[self._partition_of_line(observation)][0].append(observation)
        for block in map(self._folder.folded, columns) if self._folder else columns:
            for partition, part in self._divided_columns(block):
                divided[partition][1].append(part)
        for partition, observed in divided.items():
            yield partition, file, piece, number, pack_lines(observed)

    def _partition_of_line(self, observation: Observation) -> int:
        """Return who judges a line; the first one, where its generation is not known."""
        context = self._settled.context
        if None not in observation.key:
            return self._partition(instance_identity(context, observation))
        known = context.with_generation(observation)
        return 0 if known is None else self._partition(instance_identity(context, known))

    def _divided_columns(
        self, columns: ObservationColumns
    ) -> Iterator[tuple[int, ObservationColumns]]:
        numpy, context = load_numpy(), self._settled.context
        process = context.process_by_unit[columns.file, None]

        def partition_of(instance: InstanceKey) -> int:
            owner, key = instance
            return self._partition((owner, reporting_process(context, owner, process), key))

        folded: dict[int, list[FoldedSteps]] = defaultdict(list)
        for steps in columns.folded:
            folded[partition_of(steps.instance)].append(steps)
        partitions = numpy.fromiter(map(partition_of, columns.instances), numpy.int64)
        by_line = partitions[columns.instance_codes]
        for partition in {*numpy.unique(by_line).tolist(), *folded}:
            part = columns.part(by_line == partition)
            yield partition, evolve(part, folded=tuple(folded[partition]))

    def _partition(self, who: InstanceIdentity) -> int:
        """Return the partition of an instance; on every worker the same."""
        if who not in self._by_instance:
            if len(self._by_instance) >= self.MOST_INSTANCES:
                self._by_instance.clear()
            place = self._places.get(who)
            if place is None:
                place = zlib.crc32(repr(who).encode()) % self._partitions
            self._by_instance[who] = place
        return self._by_instance[who]
