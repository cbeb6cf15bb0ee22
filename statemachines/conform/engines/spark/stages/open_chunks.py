"""A piece of a file, open on a worker, with the neighbouring lines that reading it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen

from statemachines.conform.engines.inputs import is_remote
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk
from statemachines.conform.engines.spark.stages.worker_files import remote_stream
from statemachines.logs import OpenLog, chunk_ranges, open_log, unread_reason
from statemachines.logs.search.buffers import CUT

_BYTES_BEFORE = 1 << 16
"""Bytes before a piece that may tell whether its first line begins a record."""

_BYTES_AFTER = 1 << 17
"""Bytes after the line that ends a piece: the rest of its last record."""

BLOCK_BYTES = 1 << 20


@frozen
class OpenChunk:
    """What reading a piece needs."""

    buffer: Any
    """The file, or the part of it that lies around the piece."""
    ranges: tuple[tuple[int, int], ...]
    """Byte ranges of the buffer that make the piece: one, or several where a file cannot be divided
    among workers.
    """
    file_ends: Any
    """The file, or its first and last bytes: where the times of its beginning and its end are
    looked for.
    """
    problems: tuple[str, ...] = ()
    is_shorter: bool = False
    """Whether the file is shorter than when it was listed."""
    log: OpenLog | None = None

    @property
    def incomplete_reason(self) -> str | None:
        """Why not all of the piece was there to be read, as far as it was by now."""
        return CUT if self.is_shorter else self.log.incomplete_reason if self.log else None


@contextmanager
def open_chunk(chunk: FileChunk) -> Iterator[OpenChunk]:
    """Open a piece.

    Raises:
        OSError: The file cannot be read.
    """
    if is_remote(chunk.file.path):
        with remote_stream(chunk.file.path) as stream, _open_remote_chunk(chunk, stream) as opened:
            yield opened
        return
    with open_log(chunk.file.listed or chunk.file.path) as log:
        yield whole_log_chunk(chunk, log)


def whole_log_chunk(chunk: FileChunk, log: OpenLog) -> OpenChunk:
    """Return the window of a file that is open as a whole; where it grew meanwhile, its last piece
    does not.
    """
    ranges = (
        ((chunk.start, min(chunk.end, log.size)),)
        if chunk.file.divisible
        else tuple(chunk_ranges(log.size))
    )
    is_shorter = chunk.file.divisible and log.size < chunk.end and not unread_reason(log.problems)
    return OpenChunk(
        log.buffer,
        tuple(r for r in ranges if r[0] < r[1]),
        log.buffer,
        log.problems,
        is_shorter,
        log,
    )


@contextmanager
def _open_remote_chunk(chunk: FileChunk, stream: Any) -> Iterator[OpenChunk]:
    """Read the part of a remote file that a piece needs; one that is read as a whole is copied to
    the worker's disk first.
    """
    if not chunk.file.divisible or (chunk.start, chunk.end) == (0, chunk.file.size):
        with open_log(stream, name=chunk.file.path) as log:
            yield whole_log_chunk(chunk, log)
        return
    first = max(0, chunk.start - _BYTES_BEFORE)
    content = bytearray(_read_range(stream, first, chunk.end))
    while chunk.end < chunk.file.size and b"\n" not in content[chunk.end - first - 1 :]:
        content += _read_range(
            stream, first + len(content), min(chunk.file.size, first + len(content) + BLOCK_BYTES)
        )
    content += _read_range(
        stream, first + len(content), min(chunk.file.size, first + len(content) + _BYTES_AFTER)
    )
    yield OpenChunk(
        bytes(content), ((chunk.start - first, chunk.end - first),), _read_ends(chunk, stream)
    )


def _read_ends(chunk: FileChunk, stream: Any) -> bytes:
    """Read the first and the last bytes of a file, for its first chunk only."""
    if chunk.number:
        return b""
    last = _read_range(stream, max(BLOCK_BYTES, chunk.file.size - BLOCK_BYTES), chunk.file.size)
    return _read_range(stream, 0, min(BLOCK_BYTES, chunk.file.size)) + last


def _read_range(stream: Any, start: int, end: int) -> bytes:
    """Read a byte range of a remote file."""
    return bytes(stream.read_at(max(0, end - start), start))
