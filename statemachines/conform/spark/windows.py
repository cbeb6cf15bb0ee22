"""A piece of a file, open on a worker, with the neighbouring lines that reading it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen

from statemachines.conform.spark.files import is_remote, remote_stream
from statemachines.conform.spark.pieces import Piece
from statemachines.logs import NOT_TEXT, Log, open_log, pieces
from statemachines.logs.buffers import CUT

BEFORE = 1 << 16
"""Bytes before a piece that may tell whether its first line begins a record."""

AFTER = 1 << 17
"""Bytes after the line that ends a piece: the rest of its last record."""

BLOCK = 1 << 20


@frozen
class Window:
    """What reading a piece needs."""

    buffer: Any
    """The file, or the part of it that lies around the piece."""
    ranges: tuple[tuple[int, int], ...]
    """Byte ranges of the buffer that make the piece: one, or several where a file cannot be divided among workers."""
    ends: Any
    """The file, or its first and last bytes: where the times of its beginning and its end are looked for."""
    problems: tuple[str, ...] = ()
    shorter: bool = False
    """Whether the file is shorter than when it was listed."""
    log: Log | None = None

    @property
    def lost(self) -> str | None:
        """Why not all of the piece was there to be read, as far as it was by now."""
        return CUT if self.shorter else self.log.lost if self.log else None


@contextmanager
def window(piece: Piece) -> Iterator[Window]:
    """Open a piece.

    Raises:
        OSError: The file cannot be read.
    """
    if is_remote(piece.file.path):
        with remote_stream(piece.file.path) as stream, _remote(piece, stream) as found:
            yield found
        return
    with open_log(piece.file.path) as log:
        yield of_log(piece, log)


def of_log(piece: Piece, log: Log) -> Window:
    """Return the window of a file that is open as a whole; where it grew meanwhile, its last piece does not."""
    ranges = ((piece.start, min(piece.end, log.size)),) if piece.file.divisible else tuple(pieces(log.size))
    is_shorter = piece.file.divisible and log.size < piece.end and NOT_TEXT not in log.problems
    return Window(log.buffer, tuple(r for r in ranges if r[0] < r[1]), log.buffer, log.problems, is_shorter, log)


@contextmanager
def _remote(piece: Piece, stream: Any) -> Iterator[Window]:
    """Read the part of a remote file that a piece needs; one that is read as a whole is copied to the worker's disk first."""
    if not piece.file.divisible or (piece.start, piece.end) == (0, piece.file.size):
        with open_log(stream, name=piece.file.path) as log:
            yield of_log(piece, log)
        return
    first = max(0, piece.start - BEFORE)
    content = bytearray(_range(stream, first, piece.end))
    while piece.end < piece.file.size and b"\n" not in content[piece.end - first - 1 :]:
        content += _range(stream, first + len(content), min(piece.file.size, first + len(content) + BLOCK))
    content += _range(stream, first + len(content), min(piece.file.size, first + len(content) + AFTER))
    yield Window(bytes(content), ((piece.start - first, piece.end - first),), _ends(piece, stream))


def _ends(piece: Piece, stream: Any) -> bytes:
    """Read the first and the last bytes of a file, for its first piece; the others are not asked."""
    if piece.number:
        return b""
    last = _range(stream, max(BLOCK, piece.file.size - BLOCK), piece.file.size)
    return _range(stream, 0, min(BLOCK, piece.file.size)) + last


def _range(stream: Any, start: int, end: int) -> bytes:
    """Read a byte range of a remote file."""
    return bytes(stream.read_at(max(0, end - start), start))
