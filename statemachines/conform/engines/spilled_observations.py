"""Observations on disk: batches of what was observed of each instance, one behind the other."""

from __future__ import annotations

import pickle
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from typing import NamedTuple

from statemachines.conform.columns.column_lines import ColumnInstance
from statemachines.conform.interchange.observations import KeyValues, Observation, from_columns
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    ObservationOrder,
    observation_order,
    reporting_process,
)
from statemachines.conform.settle.processes import Unit
from statemachines.model.values import frozen

MOST_IN_BATCH = 10_000
"""Observations that are written, and read again, at once."""
FEW_BYTES = 32 << 10
"""Of observations on disk that are few: some dozen."""


class _Batch(NamedTuple):
    """Where some observations lie in the file."""

    offset: int
    size: int


class _Source(NamedTuple):
    """Which lines tell of an instance, as far as it is known before all files are read."""

    owner: int
    key: KeyValues
    unit: Unit


class SpilledObservations:
    """Observations in the order in which they were read, by the source that tells them.

    Complexity: linear; in memory are the places of the batches, some for each instance, and while
    an instance is read one batch of each file that tells of it.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="statemachines-")
        self._batches: dict[_Source, list[_Batch]] = defaultdict(list)
        self._end = 0
        self._is_unfinished = False
        self._settled_stores: list[SpilledObservations] = []
        self._last_lines = dict[int, int]()
        """Of each file, of what was written."""
        self._is_mixed = False
        """Whether lines came that stand before others of their file which came before them."""

    def write(self, observations: Iterable[Observation]) -> None:
        """Put observations behind the others; where this is interrupted, none of them is there."""
        if self._is_unfinished:
            self._drop_unfinished()
        self._is_unfinished = True
        gathered: dict[tuple[int, KeyValues, int, str | None], list[Observation]]
        gathered = defaultdict(list)
        for observation in observations:
            gathered[observation[0], observation[1], observation[3], observation[4]].append(
                observation
            )  # sooner than by their names
        self._file.seek(self._end)
        before = dict(self._last_lines)
        for (owner, key, file, unit), mine in gathered.items():
            source = _Source(owner, key, (file, unit))
            mine.sort(key=_line_of)
            self._is_mixed |= mine[0].line < before.get(file, 0)
            self._last_lines[file] = max(self._last_lines.get(file, 0), mine[-1].line)
            for start in range(0, len(mine), MOST_IN_BATCH):
                batch = self._write_batch(mine[start : start + MOST_IN_BATCH])
                self._batches[source].append(batch)
        self._end = self._file.tell()
        self._is_unfinished = False

    def _write_batch(self, observations: Sequence[Observation]) -> _Batch:
        """Write some observations column by column: half the time of one after the other."""
        columns = list(zip(*observations, strict=True))
        return _Batch(self._file.tell(), self._file.write(pickle.dumps(columns, 5)))

    def _drop_unfinished(self) -> None:
        """Forget the batches of a write that was interrupted."""
        for source, batches in self._batches.items():
            self._batches[source] = [batch for batch in batches if batch.offset < self._end]

    def read(self, batches: Iterable[_Batch]) -> Iterator[Observation]:
        """Return the observations of some batches of one source in the order of its lines: with one
        batch in memory, where they came so.
        """
        read = map(self._read_batch, batches)
        return merge(*read, key=_line_of) if self._is_mixed else chain.from_iterable(read)

    def _read_batch(self, batch: _Batch) -> list[Observation]:
        self._file.seek(batch.offset)
        return from_columns(pickle.loads(self._file.read(batch.size)))

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
        for settled in self._settled_stores:
            settled.close()

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            context: what all files say together.
            lost: takes those whose generation no line told.
        """
        streams_by_instance: dict[InstanceIdentity, list[_Stream]] = defaultdict(list)
        units: dict[InstanceIdentity, set[Unit]] = defaultdict(set)
        for store in (self, self._with_generations(context, lost)):
            for source, batches in store._batches.items():
                if None not in source.key and batches:
                    process = context.process_by_unit[source.unit]
                    reporting = reporting_process(context, source.owner, process)
                    who = source.owner, reporting, source.key
                    streams_by_instance[who].append(_Stream(store, batches))
                    units[who].add(source.unit)
        return {
            who: StoredInstance(context, streams, frozenset(units[who]))
            for who, streams in streams_by_instance.items()
        }

    def _with_generations(
        self, context: JudgingContext, lost: list[Observation]
    ) -> SpilledObservations:
        """Return those whose generation an earlier line told, each with that one."""
        settled, unknown = SpilledObservations(), list[Observation]()
        self._settled_stores.append(settled)
        for source, batches in self._batches.items():
            if None in source.key:
                known = self._settled(context, batches, unknown)
                while some := list(islice(known, MOST_IN_BATCH)):
                    settled.write(some)
        lost += sorted(unknown, key=lambda observation: (observation.file, observation.line))
        return settled

    def _settled(
        self, context: JudgingContext, batches: Iterable[_Batch], unknown: list[Observation]
    ) -> Iterator[Observation]:
        for observation in self.read(batches):
            known = context.with_generation(observation)
            if known is None:
                unknown.append(observation)
            else:
                yield known


def _line_of(observation: Observation) -> int:
    return observation.line


@frozen
class _Stream:
    """Observations of one source, in the order of its lines."""

    store: SpilledObservations
    batches: Sequence[_Batch]

    def __iter__(self) -> Iterator[Observation]:
        return self.store.read(self.batches)


@frozen
class StoredInstance:
    """The observations of one instance on disk; may be iterated again."""

    context: JudgingContext
    streams: Sequence[_Stream]
    units: frozenset[Unit]
    """The files, and the processes in them, that tell of it."""

    def __iter__(self) -> Iterator[Observation]:
        if len(self.streams) == 1:
            return iter(self.streams[0])
        return merge(*self.streams, key=self._order)

    def few(self) -> list[Observation] | None:
        """Return all of them where they are of one file and not many, in the order of its lines."""
        if (
            len(self.streams) > 1
            or sum(batch.size for batch in self.streams[0].batches) > FEW_BYTES
        ):
            return None
        return list(self)

    def _order(self, observation: Observation) -> ObservationOrder:
        return observation_order(self.context, observation)


def units_of(observations: Iterable[Observation]) -> frozenset[Unit]:
    """Return the files, and the processes in them, that observations are from."""
    if isinstance(observations, (StoredInstance, ColumnInstance)):
        return observations.units
    return frozenset((observation.file, observation.unit) for observation in observations)
