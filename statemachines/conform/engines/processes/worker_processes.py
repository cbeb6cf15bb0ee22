"""Processes that read what they are told to, and then judge a part of what all have read."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from multiprocessing import Pipe, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from attrs import evolve, frozen

from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.observation_store import ColumnStore, ObservationStore
from statemachines.conform.engines.parts.result_rows import PartRow, judge_part
from statemachines.conform.engines.processes.part_files import (
    PartFolder,
    PartWriter,
    PlacedBlock,
)
from statemachines.conform.engines.processes.reading_tasks import (
    ReadEnd,
    ReadTask,
    TaskResult,
    do_task,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.logs import Scanner
from statemachines.model.end_signals import HANGUP

_TO_ALL = {signal.SIGINT, HANGUP or signal.SIGINT}
"""Signals that a terminal sends to all processes of a command."""


@frozen
class JudgingTask:
    """What judging a part needs to know beside what was read of it."""

    context: JudgingContext
    blocks: Sequence[PlacedBlock]
    timeline: bool
    writers: int
    """Who have written the blocks."""

    def rows(self, folder: PartFolder, part: int) -> Iterator[PartRow]:
        """Judge a part.

        Raises:
            OSError: what was read of it is not there any more.
        """
        with ColumnStore(text_files=folder.texts(self.writers)) as store:
            folder.fill(store, self.blocks, part)
            yield from judge_part(self.context, store, timeline=self.timeline)

    def packed(self) -> bytes:
        """Return it as bytes, without its plan, which every process has."""
        written = BytesIO()
        _Packer(written, self.context.plan).dump(self)
        return written.getvalue()

    @staticmethod
    def unpacked(body: bytes, plan: CheckPlan) -> JudgingTask:
        """Turn such bytes back."""
        task: JudgingTask = _Unpacker(BytesIO(body), plan).load()
        return task


class _Packer(pickle.Pickler):
    def __init__(self, file: BytesIO, plan: CheckPlan) -> None:
        super().__init__(file, 5)
        self._plan = plan

    def persistent_id(self, value: object) -> str | None:
        """Return what stands for a value instead of it."""
        return "plan" if value is self._plan else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, plan: CheckPlan) -> None:
        super().__init__(file)
        self._plan = plan

    def persistent_load(self, _: object) -> CheckPlan:
        """Return what the plan's sign stands for."""
        return self._plan


@frozen
class WorkerProcess:
    """A process that reads and judges, and the pipes to it."""

    process: BaseProcess
    reading: Connection
    """Takes tasks, and gives what they yield; who reads no more closes it."""
    judging: Connection
    """Takes a `JudgingTask`, and gives what comes of it."""
    is_copy: bool
    """Whether it began as a copy of this process, and has the plan."""

    def give(self, task: ReadTask) -> None:
        """Send it a task; one that is dead is found out when its results are asked for."""
        with suppress(OSError):
            self.reading.send(task)

    def results(self) -> Iterator[TaskResult]:
        """Receive what the oldest task yields that it was given.

        Raises:
            EOFError, OSError: it is dead.
        """
        while True:
            result: TaskResult = self.reading.recv()
            yield result
            if isinstance(result, ReadEnd):
                return

    def stop(self) -> None:
        """End it, whatever it does."""
        self.reading.close()
        self.judging.close()
        self.process.terminate()
        self.process.join()


@contextmanager
def worker_processes(
    reader: FileReader, folder: PartFolder, processes: int
) -> Iterator[list[WorkerProcess]]:
    """Start processes, and end them.

    Args:
        reader: reads as they shall.
        folder: takes what they read; the numbers of those who write count from 0.
        processes: how many.
    """
    workers = list[WorkerProcess]()
    try:
        with _interrupts_held_back():
            for _ in range(processes):
                workers.append(start_process(reader, folder, workers))
        _send_plan(reader, [worker for worker in workers if not worker.is_copy])
        yield workers
    finally:
        for worker in workers:
            worker.stop()


def may_copy() -> bool:
    """Whether a process can begin as a copy of this one, which has loaded and compiled all that it
    needs: where nothing else runs in this one that could hold a lock.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:  # no Linux
        return False


@frozen
class _Served:
    """What a process has from the beginning: its number, where it writes, and its ends of pipes."""

    number: int
    folder: PartFolder
    reading: Connection
    judging: Connection


def start_process(
    reader: FileReader, folder: PartFolder, others: Sequence[WorkerProcess]
) -> WorkerProcess:
    """Start a process.

    Args:
        reader: as for all.
        folder: as for all.
        others: those that were started before.
    """
    reading, theirs_reading = Pipe()
    judging, theirs_judging = Pipe()
    served = _Served(len(others), folder, theirs_reading, theirs_judging)
    process: BaseProcess
    if copied := may_copy():
        ends = [reading, judging]
        ends += [end for other in others for end in (other.reading, other.judging)]
        arguments = served, reader, ends
        process = get_context("fork").Process(target=_serve_copied, args=arguments, daemon=True)
    else:
        process = get_context("spawn").Process(target=_serve, args=(served,), daemon=True)
    process.start()
    theirs_reading.close()
    theirs_judging.close()
    return WorkerProcess(process, reading, judging, copied)


def _send_plan(reader: FileReader, workers: Sequence[WorkerProcess]) -> None:
    """Give what reading needs to processes that have all begun: not as arguments, for starting a
    process waits for ever for one that dies before it has read them.
    """
    if not workers:
        return
    plan = ForkingPickler.dumps((reader.plan, reader.layouts, reader.columns_from))
    for worker in workers:
        with suppress(OSError):
            worker.reading.send_bytes(plan)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes that neither Ctrl-C nor the end of a terminal reaches: it goes to all of
    them, and only this one shall end the check.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if not may_copy():
        resource_tracker.ensure_running()  # else it starts with a process, and lets signals in
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _TO_ALL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve_copied(served: _Served, reader: FileReader, copied: Sequence[Connection]) -> None:
    """Serve in a process that began as a copy of another, with its reader.

    Args:
        served: what it has.
        reader: of that process.
        copied: that process's ends of pipes, by whose closing it is known that it ended.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for end in copied:
        end.close()
    _serve(served, reader)


def _serve(served: _Served, reader: FileReader | None = None) -> None:
    """Do what comes through the pipes until they are closed: the whole life of a process.

    Args:
        served: what it has.
        reader: reads as this process does; where none is given, what it needs comes first.
    """
    for kind in _TO_ALL:
        signal.signal(kind, signal.SIG_IGN)
    try:
        with suppress(EOFError, OSError):
            reader = evolve(reader, store=ObservationStore()) if reader else _received(served)
            _do_tasks(served, reader)
            _judge(served, reader.plan)
    finally:
        _forget_files(served)


def _do_tasks(served: _Served, reader: FileReader) -> None:
    """Do tasks until nobody gives any more."""
    with (
        PartWriter(served.folder, served.number, reader.plan) as writer,
        suppress(EOFError, OSError),
    ):
        while True:
            for result in do_task(reader, served.reading.recv(), writer):
                served.reading.send(result)
    served.reading.close()


def _judge(served: _Served, plan: CheckPlan) -> None:
    """Judge the part that has the number of this process, and send what comes of it."""
    task = JudgingTask.unpacked(served.judging.recv_bytes(), plan)
    for kind, row in task.rows(served.folder, served.number):
        served.judging.send((kind, pack_row(row)))
    served.judging.send(None)


def pack_row(row: Any) -> bytes:
    """Turn what a row says into bytes."""
    return pickle.dumps(row, 5)


def _forget_files(served: _Served) -> None:
    """Remove what was read, if the process that would do it is not there any more."""
    began_this = parent_process()
    if began_this is not None and not began_this.is_alive():
        shutil.rmtree(served.folder.path, ignore_errors=True)


def _received(served: _Served) -> FileReader:
    plan, layouts, least = served.reading.recv()
    catalogue = CatalogueReader(plan)
    scanner, store = Scanner(catalogue.scan_literals), ObservationStore()
    return FileReader(plan, catalogue, scanner, layouts, store, least)
