"""Cutting files into byte ranges, and the ranges into tasks and jobs of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from statemachines.logs.storage.listed_files import ListedFile

CHUNK_BYTES = 64 << 20
"""One worker reads so much at once; a file's records do not depend on it."""

_SMALLEST_TASK_BYTES = 4 << 20
"""Less is not worth a task of its own, even where cores are idle."""

_JOB_BYTES = 2 << 30
"""One job reads at least so much, where there is so much: what earlier jobs have read can be told
when a later one is interrupted.
"""

CHUNKS_PER_TASK = 4
"""One job gives every task that runs at once so many pieces, for at its end cores are idle."""


@frozen
class LogFile:
    """A file to read, as the workers find it."""

    number: int
    """Its number in the check."""
    path: str
    """A local path, or a URL of a file system that PyArrow knows."""
    size: int
    """Bytes as they are stored."""
    divisible: bool = True
    """False where a reader must begin at the start: compressed files, and those that are
    transcoded.
    """
    named: bool = True
    """Whether the person named this very file, so that not to read it is an error."""
    listed: ListedFile | None = None
    """What it was when it was listed, of a local one."""


@frozen
class FileChunk:
    """A byte range of a file: of the lines that begin in it."""

    file: LogFile
    number: int
    """0-based, in the file's order."""
    start: int
    end: int
    """The end of the file for its last piece."""


def cut_file(file: LogFile, chunk_bytes: int = CHUNK_BYTES) -> Iterator[FileChunk]:
    """Cut a file into ranges; an empty file is one empty range.

    >>> [(piece.start, piece.end) for piece in cut_file(LogFile(0, "door.log", 25), 10)]
    [(0, 10), (10, 20), (20, 25)]
    """
    step = chunk_bytes if file.divisible else max(1, file.size)
    for number, start in enumerate(range(0, max(1, file.size), step)):
        yield FileChunk(file, number, start, min(start + step, file.size))


def bundle_chunks(chunks: Iterable[FileChunk], bundle_bytes: int) -> list[tuple[FileChunk, ...]]:
    """Put pieces together, in their order, so that a task has enough to do; a bundle is at most so
    many bytes, or one piece.

    Starting a task costs as much as reading a small log.
    """
    made: list[list[FileChunk]] = []
    room = -1
    for chunk in chunks:
        size = chunk.end - chunk.start
        if room < size:
            made.append([])
            room = bundle_bytes
        made[-1].append(chunk)
        room -= size
    return [tuple(bundle) for bundle in made]


ReadJob = list[tuple[FileChunk, ...]]
"""Tasks, each a few pieces."""


def plan_jobs(
    files: Sequence[LogFile],
    *,
    chunk_bytes: int = CHUNK_BYTES,
    job_bytes: int | None = None,
    tasks: int = 1,
) -> list[ReadJob]:
    """Plan the reading of files: jobs of tasks of pieces; a file's pieces are all in one job.

    Args:
        files: What to read.
        chunk_bytes: The largest range.
        job_bytes: A job reads at most so much, or one file; None: by the number of tasks.
        tasks: How many tasks a job should at least have, where there are so many pieces: the cores
            of the cluster.

    Returns:
        One list of tasks a job; a task is a tuple of pieces.
    """
    planned = []
    for group in _group_files(
        files, job_bytes or max(_JOB_BYTES, CHUNKS_PER_TASK * tasks * CHUNK_BYTES)
    ):
        share = -(-sum(file.size for file in group) // max(1, tasks))
        most = min(CHUNK_BYTES, max(_SMALLEST_TASK_BYTES, share))
        planned.append(
            bundle_chunks(
                (chunk for file in group for chunk in cut_file(file, min(chunk_bytes, most))), most
            )
        )
    return planned


def _group_files(files: Sequence[LogFile], job_bytes: int) -> list[list[LogFile]]:
    """Put files together up to a number of bytes."""
    groups: list[list[LogFile]] = []
    room = -1
    for file in files:
        if room < file.size:
            groups.append([])
            room = job_bytes
        groups[-1].append(file)
        room -= file.size
    return groups
