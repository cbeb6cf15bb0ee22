"""A check by several processes: they read, this one settles what all of it says together, they
judge a part each, and this one joins that.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.processes.parallel_reader import ParallelFileReader
from statemachines.conform.engines.processes.part_files import (
    PartFolder,
    PartWriter,
    PlacedBlock,
)
from statemachines.conform.engines.processes.prepared_copies import prepare_copies
from statemachines.conform.engines.processes.worker_processes import (
    JudgingTask,
    WorkerProcess,
    pack_row,
    worker_processes,
)


@contextmanager
def reading_processes(
    reader: FileReader, inputs: Sequence[Input], processes: int
) -> Iterator[ParallelFileReader]:
    """Start processes that read into the store of a reader, and end them.

    Args:
        reader: reads as they shall.
        inputs: the files, in their order.
        processes: how many.
    """
    with _part_folder(1) as folder:

        def take(block: PlacedBlock) -> None:
            folder.fill(reader.store, [block], 0)

        with _reading(reader, folder, inputs, processes, take) as (reading, _):
            yield reading


@contextmanager
def judging_processes(
    reader: FileReader, inputs: Sequence[Input], processes: int
) -> Iterator[JudgingProcesses]:
    """Start processes that read, and judge what they have read, and end them.

    Args:
        reader: reads as they shall.
        inputs: the files, in their order.
        processes: how many.
    """
    blocks = list[PlacedBlock]()
    with (
        _part_folder(processes) as folder,
        _reading(reader, folder, inputs, processes, blocks.append) as (reading, workers),
    ):
        yield JudgingProcesses(folder, reading, workers, blocks)


@contextmanager
def _part_folder(parts: int) -> Iterator[PartFolder]:
    with tempfile.TemporaryDirectory(prefix="statemachines-", ignore_cleanup_errors=True) as path:
        yield PartFolder(Path(path), parts)


@contextmanager
def _reading(
    reader: FileReader,
    folder: PartFolder,
    inputs: Sequence[Input],
    processes: int,
    take: Callable[[PlacedBlock], None],
) -> Iterator[tuple[ParallelFileReader, list[WorkerProcess]]]:
    prepare_copies(reader, inputs)
    with (
        worker_processes(reader, folder, processes) as workers,
        PartWriter(folder, processes, reader.plan) as writer,
    ):
        yield ParallelFileReader(reader, writer, workers, inputs, take), workers


class JudgingProcesses:
    """Processes that have read, or still do; afterwards each judges a part."""

    def __init__(
        self,
        folder: PartFolder,
        reading: ParallelFileReader,
        workers: Sequence[WorkerProcess],
        blocks: Sequence[PlacedBlock],
    ) -> None:
        self.reading, self._folder, self._workers = reading, folder, workers
        self._blocks = blocks

    def judge(self, results: JudgedResults, *, timeline: bool) -> None:
        """Judge all that was read.

        Args:
            results: takes what was judged.
            timeline: whether the steps are wanted.

        Raises:
            OSError: what was read cannot be read again.
        """
        task = JudgingTask(results.context, self._blocks, timeline, len(self._workers) + 1)
        body = task.packed()
        for worker in self._workers:
            worker.reading.close()  # it reads no more
        for worker in self._workers:
            with suppress(OSError):
                worker.judging.send_bytes(body)
        for part in self._undone(results):
            results.drop(part)
            for kind, row in task.rows(self._folder, part):
                results.add(kind, part, pack_row(row))

    def _undone(self, results: JudgedResults) -> list[int]:
        """Take what comes from all processes, and return the parts of those that have died."""
        parts: dict[Connection, int] = {
            worker.judging: part for part, worker in enumerate(self._workers)
        }
        undone = list[int]()
        while parts:
            for pipe in wait(list(parts)):
                assert isinstance(pipe, Connection)
                try:
                    row = pipe.recv()
                except (EOFError, OSError):
                    undone.append(parts.pop(pipe))
                    continue
                if row is None:
                    del parts[pipe]
                else:
                    results.add(row[0], parts[pipe], row[1])
        return undone


unpack_row = pickle.loads
