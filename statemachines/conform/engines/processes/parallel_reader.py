"""Reading files by several processes, in the order in which one process would read them.

A task is given to the process that was given the fewest bytes so far. What its lines tell is
written to files, divided by who will judge it; what else it yields waits in its pipe until all
tasks before have been taken: so nobody runs far ahead, and nothing depends on who is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from statemachines.conform.engines.file_reader import (
    FileReader,
    FileSummary,
    join_chunks,
    make_summary,
)
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.processes.part_files import PartWriter, PlacedBlock
from statemachines.conform.engines.processes.reading_tasks import (
    ReadEnd,
    ReadTask,
    TaskResult,
    WrittenChunk,
    do_task,
    plan_tasks,
)
from statemachines.conform.interchange.profiles import Shift
from statemachines.conform.join.report_sources import FileFacts
from statemachines.logs.storage.listed_files import ListedFile

_TASKS_AHEAD = 2
"""Tasks of each process that are known to it, the one that it reads included."""


class ReadingWorker(Protocol):
    """Does tasks one after the other."""

    def give(self, task: ReadTask) -> None:
        """Let it do a task."""

    def results(self) -> Iterator[TaskResult]:
        """Yield what the oldest task yields that it was given.

        Raises:
            EOFError, OSError: it is dead.
        """


class ParallelFileReader:
    """Reads files as a `FileReader` does, and gives the same; other processes do the reading."""

    def __init__(
        self,
        reader: FileReader,
        writer: PartWriter,
        workers: Sequence[ReadingWorker],
        inputs: Sequence[Input],
        take: Callable[[PlacedBlock], None],
    ) -> None:
        """Give the first tasks.

        Args:
            reader: reads what nobody else does.
            writer: takes what that tells.
            workers: read the rest.
            inputs: the files, in their order.
            take: called with what was written, in the order in which one process would read it.
        """
        self._reader, self._writer, self._workers, self._take = reader, writer, workers, take
        self._planned = (
            task for number, entry in enumerate(inputs) for task in plan_tasks(number, entry.log)
        )
        self._given = list[tuple[ReadTask, ReadingWorker]]()
        self._given_bytes = [0] * len(workers)
        self._give_tasks()

    def read(
        self, number: int, path: Path | ListedFile, progress: Callable[[int], None]
    ) -> FileSummary:
        """Read one file, as `FileReader.read` does.

        Raises:
            OSError: the file cannot be opened.
        """
        while self._given and self._given[0][0].number < number:
            self._drop_oldest()
        facts, ends = list[FileFacts](), list[ReadEnd]()
        chunks = self._chunks(self._results(number, path), facts, ends)
        profile, interrupted = join_chunks(chunks, self._take_chunk, progress)
        reason = next((end.incomplete_reason for end in ends if end.incomplete_reason), None)
        known = facts[0] if facts else FileFacts()
        return make_summary(profile, known, reason, interrupted=interrupted)

    def _take_chunk(self, chunk: WrittenChunk, shift: Shift) -> None:
        self._take(PlacedBlock(chunk.block, shift))

    def _results(self, number: int, path: Path | ListedFile) -> Iterator[TaskResult]:
        """Yield what the tasks of a file yield; of one that has none, what reading it here does."""
        if not self._has_task(number):
            yield from do_task(self._reader, ReadTask(number, path), self._writer)
        while self._has_task(number):
            yield from self._oldest_results()

    def _chunks(
        self, results: Iterable[TaskResult], facts: list[FileFacts], ends: list[ReadEnd]
    ) -> Iterator[WrittenChunk]:
        """Yield the chunks of a file, up to one that could not be read, for what stands behind it
        follows from it; what else its tasks say goes into the lists.
        """
        for result in results:
            if isinstance(result, WrittenChunk):
                if not any(end.incomplete_reason for end in ends):
                    yield result
            elif isinstance(result, FileFacts):
                facts.append(result)
            elif result.error is not None:
                raise result.error
            else:
                ends.append(result)

    def _has_task(self, number: int) -> bool:
        return bool(self._given) and self._given[0][0].number == number

    def _oldest_results(self) -> Iterator[TaskResult]:
        """Yield what the oldest task yields; what its process left undone is done here."""
        task, worker = self._given.pop(0)
        taken = 0
        try:
            for result in worker.results():
                taken += 1
                yield result
        except (EOFError, OSError):
            yield from islice(do_task(self._reader, task, self._writer), taken, None)
        self._give_tasks()

    def _drop_oldest(self) -> None:
        """Pass over a task of a file that could not be read to its end."""
        for _ in self._oldest_results():
            pass

    def _give_tasks(self) -> None:
        ahead = _TASKS_AHEAD * len(self._workers) - len(self._given)
        for task in islice(self._planned, ahead):
            chosen = self._given_bytes.index(min(self._given_bytes))
            self._given_bytes[chosen] += task.byte_count
            worker = self._workers[chosen]
            worker.give(task)
            self._given.append((task, worker))
