"""Reading files by several processes, in the order in which one process would read them.

A task is given to the process that was given the fewest bytes so far. What it yields waits in its
pipe until all tasks before have been taken: so nobody runs far ahead, and nothing depends on who is
faster.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import Pipe, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Protocol

from attrs import evolve, frozen

from statemachines.conform.engines.file_reader import (
    FileReader,
    FileSummary,
    ReadChunk,
    make_summary,
)
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.engines.reading_tasks import (
    ReadEnd,
    ReadTask,
    TaskResult,
    plan_tasks,
    read_task,
)
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner

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


@frozen
class _Process:
    """A process that reads, and the pipe to it."""

    process: BaseProcess
    pipe: Connection
    is_copy: bool
    """Whether it began as a copy of this process, and has the plan."""

    def give(self, task: ReadTask) -> None:
        """Send it a task; one that is dead is found out when its results are asked for."""
        with suppress(OSError):
            self.pipe.send(task)

    def results(self) -> Iterator[TaskResult]:
        """Receive what the oldest task yields that it was given."""
        while True:
            result: TaskResult = self.pipe.recv()
            yield result
            if isinstance(result, ReadEnd):
                return

    def stop(self) -> None:
        """End it, whatever it does."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


class ParallelFileReader:
    """Reads files as a `FileReader` does, and gives the same; other processes do the reading."""

    def __init__(
        self, reader: FileReader, workers: Sequence[ReadingWorker], inputs: Sequence[Input]
    ) -> None:
        self._reader, self._workers = reader, workers
        self._planned = (
            task for number, entry in enumerate(inputs) for task in plan_tasks(number, entry.path)
        )
        self._given = list[tuple[ReadTask, ReadingWorker]]()
        self._given_bytes = [0] * len(workers)
        self._give_tasks()

    def read(self, number: int, path: Path, progress: Callable[[int], None]) -> FileSummary:
        """Read one file into the store, as `FileReader.read` does.

        Raises:
            OSError: the file cannot be opened.
        """
        while self._given and self._given[0][0].number < number:
            self._drop_oldest()
        if not self._has_task(number):
            return self._reader.read(number, path, progress)
        facts, ends = list[FileFacts](), list[ReadEnd]()
        profile, interrupted = self._reader.gather(self._chunks(number, facts, ends), progress)
        reason = next((end.incomplete_reason for end in ends if end.incomplete_reason), None)
        known = facts[0] if facts else FileFacts()
        return make_summary(profile, known, reason, interrupted=interrupted)

    def _chunks(
        self, number: int, facts: list[FileFacts], ends: list[ReadEnd]
    ) -> Iterator[ReadChunk]:
        """Yield the chunks of a file; what else its tasks say goes into the lists."""
        while self._has_task(number):
            for result in self._oldest_results():
                if isinstance(result, ReadChunk):
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
            yield from islice(read_task(self._reader, task), taken, None)
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


@contextmanager
def parallel_reader(
    reader: FileReader, inputs: Sequence[Input], processes: int
) -> Iterator[ParallelFileReader]:
    """Start processes that read files, and end them.

    Args:
        reader: whose store takes the observations.
        inputs: the files, in their order.
        processes: how many.
    """
    workers = list[_Process]()
    try:
        with _interrupts_held_back():
            for _ in range(processes):
                workers.append(_start_process(reader, workers))
        _send_plan(reader, [worker for worker in workers if not worker.is_copy])
        yield ParallelFileReader(reader, workers, inputs)
    finally:
        for worker in workers:
            worker.stop()


def _may_copy() -> bool:
    """Whether a process can begin as a copy of this one, which has loaded and compiled all that it
    needs: where nothing else runs in this one that could hold a lock.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:  # no Linux
        return False


def _start_process(reader: FileReader, others: Sequence[_Process]) -> _Process:
    ours, theirs = Pipe()
    process: BaseProcess
    if copied := _may_copy():
        ends = [ours, *(other.pipe for other in others)]
        process = get_context("fork").Process(
            target=_serve_copied, args=(theirs, reader, ends), daemon=True
        )
    else:
        process = get_context("spawn").Process(target=_serve_tasks, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Process(process, ours, copied)


def _send_plan(reader: FileReader, workers: Sequence[_Process]) -> None:
    """Give what reading needs to processes that have all begun: not as arguments, for starting a
    process waits for ever for one that dies before it has read them.
    """
    if not workers:
        return
    plan = ForkingPickler.dumps((reader.plan, reader.layouts, reader.columns_from))
    for worker in workers:
        with suppress(OSError):
            worker.pipe.send_bytes(plan)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: a terminal sends it to all of them, and only
    this one shall end the check.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if not _may_copy():
        resource_tracker.ensure_running()  # else it starts with a process, and lets signals in
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve_copied(pipe: Connection, reader: FileReader, copied: Sequence[Connection]) -> None:
    """Serve in a process that began as a copy of another, with its reader.

    Args:
        pipe: the tasks come through it.
        reader: of that process.
        copied: that process's ends of pipes, by whose closing it is known that it ended.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for end in copied:
        end.close()
    _serve_tasks(pipe, reader)


def _serve_tasks(pipe: Connection, reader: FileReader | None = None) -> None:
    """Do the tasks that come through a pipe until it is closed: the whole life of a process.

    Args:
        pipe: the tasks come through it; where no reader is given, the plan and the layouts first.
        reader: reads as this process does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), ObservationStore() as store:
        mine = evolve(reader, store=store) if reader else _received_reader(pipe, store)
        while True:
            for result in read_task(mine, pipe.recv()):
                pipe.send(result)


def _received_reader(pipe: Connection, store: ObservationStore) -> FileReader:
    plan, layouts, least = pipe.recv()
    catalogue = CatalogueReader(plan)
    return FileReader(plan, catalogue, Scanner(catalogue.scan_literals), layouts, store, least)
