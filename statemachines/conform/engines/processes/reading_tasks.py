"""What one process reads at a time: a small file, a compressed one, or a range of a large one; and
what it says of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader, ReadChunk
from statemachines.conform.engines.growing.raw_files import open_raw
from statemachines.conform.engines.processes.part_files import Block, PartWriter
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.report_sources import FileFacts
from statemachines.logs import chunk_ranges, open_log
from statemachines.logs.search.buffers import CUT
from statemachines.logs.storage.listed_files import ListedFile
from statemachines.logs.storage.open_logs import is_divisible

CHUNKS_PER_TASK = 2
"""Pieces that a task reads at least, of a file that has as many."""
_MOST_CHUNKS_PER_TASK = 8
_TASKS_PER_PROCESSOR = 4
"""Of one file, so that no processor waits long for the last task."""


@frozen
class ReadTask:
    """A part of a file."""

    number: int
    """Of the file in the check."""
    path: Path | ListedFile
    start: int = 0
    end: int | None = None
    """Bytes; None: to the end of the file."""
    byte_count: int = 0
    """How much work it is."""


@frozen
class ReadEnd:
    """The last that is said of a task."""

    incomplete_reason: str | None = None
    """Why not all of it could be read."""
    error: OSError | None = None
    """Why nothing could."""


@frozen
class WrittenChunk:
    """What one piece of a file shows, and where what its lines tell was written."""

    profile: Profile
    block: Block
    size: int
    """Bytes."""


TaskResult = WrittenChunk | FileFacts | ReadEnd
"""What a task yields: facts of a file from its first one, chunks, and its end."""


def plan_tasks(number: int, path: Path | ListedFile) -> Iterator[ReadTask]:
    """Yield the tasks of one file; none for what is no regular file, such as a pipe, which must be
    opened once, and by who may wait for it.
    """
    try:
        if isinstance(path, Path) and not path.is_file():
            return
        with open_raw(path) as raw:
            assert raw is not None  # it is a file
            size, whole = raw.size, not is_divisible(path)
    except OSError:
        return
    ranges = chunk_ranges(size, _task_bytes(size))
    if whole or len(ranges) < 2:
        yield ReadTask(number, path, byte_count=size)
    else:
        yield from (ReadTask(number, path, start, end, end - start) for start, end in ranges)


def _task_bytes(size: int) -> int:
    """Return how much of a file one task reads: the more, the larger its pieces may grow."""
    piece = file_reader.READ_CHUNK_BYTES
    share = size // (_TASKS_PER_PROCESSOR * (os.cpu_count() or 1))
    return min(max(share, CHUNKS_PER_TASK * piece), _MOST_CHUNKS_PER_TASK * piece)


def do_task(reader: FileReader, task: ReadTask, writer: PartWriter) -> Iterator[TaskResult]:
    """Do a task. Its pieces may be others than those of a reader of the whole file, which no report
    shows.

    Args:
        reader: reads.
        task: what.
        writer: takes what the lines tell.
    """
    for result in _read(reader, task):
        if isinstance(result, ReadChunk):
            block = writer.write(result.observations, result.columns)
            yield WrittenChunk(result.profile, block, result.size)
        else:
            yield result


def _read(reader: FileReader, task: ReadTask) -> Iterator[ReadChunk | FileFacts | ReadEnd]:
    try:
        with open_log(task.path) as log:
            if task.start == 0:
                yield reader.facts(log)
            end = log.size if task.end is None else min(task.end, log.size)
            for chunk in reader.pieces(task.number, log.buffer, task.start, end):
                yield chunk._replace(size=log.stored_bytes(chunk.size))
            was_cut = task.end is not None and 0 < log.size < task.end
            yield ReadEnd(log.incomplete_reason or (CUT if was_cut else None))
    except OSError as problem:
        if task.start:
            yield ReadEnd(f"its end cannot be read: {problem.strerror}")
        else:
            yield ReadEnd(error=problem)
