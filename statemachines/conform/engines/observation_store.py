"""Observations by instance, and a timeline of any length: in memory while they are few, then in a
temporary file.
"""

from __future__ import annotations

import pickle
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice
from pathlib import Path
from typing import IO, Self

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.columns.stored_columns import StoredColumns
from statemachines.conform.engines.ordered_instances import OrderedInstances
from statemachines.conform.engines.spilled_observations import SpilledObservations
from statemachines.conform.engines.stored_rows import (
    ModelsAtHand,
    RowBlock,
    RowsInMemory,
    RowsOnDisk,
)
from statemachines.conform.interchange.instance_steps import InstanceSteps, StepRuns
from statemachines.conform.interchange.judgements import StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.packed_rows import PackedRows, RowModel, RowPacker
from statemachines.conform.join.report_sources import named_key, run_number, timeline_steps
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
)
from statemachines.model.evidence.packed_steps import PackedSteps, StepModel
from statemachines.model.evidence.reports import InstanceKey, TimelineStep

IN_MEMORY = 100_000

_Run = tuple[InstanceIdentity, int]
"""An instance, and how many rows of it come together."""
_Written = tuple[int, RowBlock]
"""Where the runs of a block stand in the file, and its rows."""
_AT_ONCE = 10_000
"""Rows of an instance that are read at once."""


class StoredTimeline:
    """Rows in the order in which they were added; may be iterated again and again, and gets its
    names then: most of it is asked for once, or never.
    """

    def __init__(self, context: JudgingContext, in_memory: int = IN_MEMORY) -> None:
        self._context, self._memory_limit = context, in_memory
        self._runs, self._packer = list[_Run](), RowPacker()
        self._count = 0
        self._disk: IO[bytes] | None = None
        self._written = list[_Written]()
        self._models_at_hand: ModelsAtHand = {}

    def add(self, who: InstanceIdentity, rows: Iterable[StepRow]) -> None:
        """Put rows of an instance at the end."""
        for count in self._packer.add(rows):
            self._runs.append((who, count))
            self._count += count
            if len(self._packer) >= self._memory_limit:
                self._write()

    def _write(self) -> None:
        self._disk = self._disk or tempfile.TemporaryFile(prefix="statemachines-")
        offset = self._disk.seek(0, 2)
        pickle.dump(self._runs, self._disk, 5)
        self._runs, packed = [], self._packer.take()
        block = RowsOnDisk(self._disk, packed, self._models_at_hand)
        self._written.append((offset, block))

    def __del__(self) -> None:
        if self._disk is not None:
            self._disk.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TimelineStep]:
        for runs, block in self._blocks():
            rows = iter(block.rows(0, len(block)))
            for who, count in runs:
                key = named_key(self._context, who[0], who[2])
                yield from timeline_steps(self._context, who[0], key, islice(rows, count))

    def packed_steps(self) -> Iterator[PackedSteps]:
        """Yield the rows as columns, some of one instance at a time."""
        context, owners = self._context, self._context.plan.owners
        for runs, block in self._blocks():
            packed = block.rows(0, len(block))
            models, start = step_models(context, packed.models), 0
            for (owner, _, values), count in runs:
                rows = slice(start, start := start + count)
                yield PackedSteps(
                    owners[owner].name,
                    named_key(context, owner, values),
                    models,
                    packed.codes[rows],
                    packed.at[rows],
                    packed.lines[rows],
                    packed.source_since[rows],
                )

    def instance_steps(self, machines: Container[str]) -> Iterator[InstanceSteps]:
        """Yield the instances of some machines, in their order, with steps that are made when they
        are asked for.

        Args:
            machines: by their names.
        """
        context, owners = self._context, self._context.plan.owners
        pieces = (
            (who, block, start, start + count)
            for runs, block in self._blocks()
            for (who, count), start in zip(
                runs, accumulate((count for _, count in runs), initial=0), strict=False
            )
            if count and owners[who[0]].name in machines
        )
        for who, mine in groupby(pieces, key=lambda piece: piece[0]):
            key = named_key(context, who[0], who[2])
            yield StoredSteps(context, who[0], key, [piece[1:] for piece in mine])

    def _blocks(self) -> Iterator[tuple[list[_Run], RowBlock]]:
        for offset, block in self._written:
            assert self._disk is not None
            self._disk.seek(offset)
            yield pickle.load(self._disk), block
        yield self._runs, RowsInMemory(self._packer.packed())


def step_models(context: JudgingContext, models: Iterable[RowModel]) -> list[StepModel]:
    """Return what rows have in common, by the names of files and processes."""
    files, processes = context.files, context.processes
    return [
        StepModel(
            processes[model.process].name,
            model.incarnation,
            model.source,
            model.target,
            model.how,
            files[model.file].name,
            model.zone,
            model.is_timed,
            model.has_source_since,
            model.values,
        )
        for model in models
    ]


class StoredSteps(InstanceSteps):
    """The steps of one instance of a stored timeline."""

    def __init__(
        self,
        context: JudgingContext,
        owner: int,
        key: InstanceKey,
        pieces: Sequence[tuple[RowBlock, int, int]],
    ) -> None:
        self._context, self._owner, self._pieces = context, owner, pieces
        self._ends = list(accumulate(stop - start for _, start, stop in pieces))
        processes = dict.fromkeys(
            context.processes[model.process].name
            for block, start, stop in pieces
            for model in block.models_of(start, stop)
        )
        super().__init__(context.plan.owners[owner].name, key, tuple(processes))

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[TimelineStep]:
        for block, start, stop in self._pieces:
            for some in range(start, stop, _AT_ONCE):
                yield from self._steps(block, some, min(stop, some + _AT_ONCE))

    def columns(self) -> Iterator[tuple[PackedSteps, StepRuns | None]]:
        """Yield all of them as columns, some at a time."""
        for block, start, stop in self._pieces:
            for some in range(start, stop, _AT_ONCE):
                rows = block.rows(some, min(stop, some + _AT_ONCE))
                models = step_models(self._context, rows.models)
                yield (
                    PackedSteps(
                        self.machine, self.instance, models,
                        rows.codes, rows.at, rows.lines, rows.source_since,
                    ),
                    self._runs(rows),
                )  # fmt: skip

    def _runs(self, rows: PackedRows) -> StepRuns | None:
        processes = {rows.models[code].process for code in set(rows.codes)}
        if not any(self._context.processes[process].possible_starts for process in processes):
            return None
        return (run_number(self._context, row) for row in rows)

    def step(self, number: int) -> TimelineStep:
        """Return one of them."""
        place = bisect_right(self._ends, number)
        block, start, _ = self._pieces[place]
        at = start + number - (self._ends[place - 1] if place else 0)
        return next(self._steps(block, at, at + 1))

    def _steps(self, block: RowBlock, start: int, stop: int) -> Iterator[TimelineStep]:
        return timeline_steps(self._context, self._owner, self.instance, block.rows(start, stop))


class ObservationStore:
    """Takes observations as they are read, and gives them back instance by instance; a context
    manager.

    Complexity: a sort of the observations; memory for at most `in_memory` of them, and for one key
    an instance.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._memory_limit = in_memory
        self._in_memory: list[Observation] = []
        self._disk: SpilledObservations | None = None

    def add(self, observations: Iterable[Observation]) -> None:
        """Take observations in.

        Args:
            observations: of one file, in its order.
        """
        more = iter(observations)
        while some := list(islice(more, max(1, self._memory_limit - len(self._in_memory)))):
            self._in_memory += some
            if len(self._in_memory) >= self._memory_limit:
                self._disk = self._disk or SpilledObservations()
                self._disk.write(self._in_memory)
                self._in_memory.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._disk is not None:
            self._disk.close()

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            context: what all files say together.
            lost: takes those whose generation no line common.

        Returns:
            The observations by instance.
        """
        if self._disk is None:
            return _gather_in_memory(context, self._in_memory, lost)
        self._disk.write(self._in_memory)
        self._in_memory.clear()
        return self._disk.instances(context, lost)


def _gather_in_memory(
    context: JudgingContext, observations: Iterable[Observation], lost: list[Observation]
) -> dict[InstanceIdentity, Iterable[Observation]]:
    gathered: dict[InstanceIdentity, list[Observation]] = defaultdict(list)
    reporting: dict[tuple[int, int, str | None], int] = {}
    for observation in observations:
        owner, key, _, file, unit, *_ = observation
        if None in key:
            generation = context.with_generation(observation)
            if generation is None:
                lost.append(observation)
                continue
            observation, key = generation, generation.key
        process = reporting.get((owner, file, unit))
        if process is None:
            process = reporting[owner, file, unit] = instance_identity(context, observation)[1]
        gathered[owner, process, key].append(observation)
    return {who: order_observations(context, mine) for who, mine in gathered.items()}


class ColumnStore(ObservationStore):
    """Takes observations and columns of them, and gives them back instance by instance; a context
    manager.
    """

    def __init__(self, in_memory: int = IN_MEMORY, text_files: Sequence[Path] = ()) -> None:
        """Begin with nothing.

        Args:
            in_memory: observations.
            text_files: as `StoredTexts` takes them.
        """
        super().__init__(in_memory)
        self._text_files = text_files
        self._columns: StoredColumns | None = None

    def add_columns(self, columns: Iterable[ObservationColumns]) -> None:
        """Take columns in."""
        for column in columns:
            self._columns = self._columns or StoredColumns(self._text_files)
            self.add(self._columns.add(column))

    def __exit__(self, *_: object) -> None:
        super().__exit__(*_)
        if self._columns is not None:
            self._columns.close()

    def instances(
        self, context: JudgingContext, lost: list[Observation], *, more: bool = False
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            lost: takes those whose generation no line common.
            more: whether others come in later.
        """
        others = super().instances(context, lost)
        if self._columns is None:
            return others
        if not more:
            self._columns.forget_codes()
        return OrderedInstances(context, self._columns, others)
