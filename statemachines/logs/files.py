"""Open a log: whatever its compression and encoding, as one buffer of UTF-8 bytes."""

from __future__ import annotations

import os
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO

from attrs import field, frozen

from statemachines.logs.scanner import Buffer
from statemachines.logs.unpacking import HEAD, encoding_of, is_text, opener_of, spooled, transcoded, unpacked

PIECE = 64 << 20
"""Bytes of a piece, unless told otherwise (64 MiB)."""
NOT_TEXT = "not a text file"


@frozen(slots=True)
class Log:
    """An open log; a context manager. A file that is cut while it is open must not be read on."""

    name: str
    buffer: Buffer
    """The whole file, uncompressed, as UTF-8; empty where it is no text."""
    problems: tuple[str, ...] = ()
    """What a reader of the report should know of this file."""
    unreadable: str | None = None
    """Why the file could not be read to its end; what came before is in the buffer."""
    _files: tuple[IO[bytes], ...] = field(default=(), alias="files")

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return len(self.buffer)

    def close(self) -> None:
        """Let go of the buffer and of temporary files."""
        if isinstance(self.buffer, mmap):
            self.buffer.close()
        for file in self._files:
            file.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_log(path: str | Path | BinaryIO, *, name: str | None = None) -> Log:
    """Open a log.

    Args:
        path: a file, or a stream of bytes such as standard input (it is copied into a temporary file first).
        name: what to call it; the path, or `-` for a stream, if not given.

    Raises:
        OSError: for a file that is not there or may not be read.
    """
    file = _opened_path(path) if isinstance(path, str | Path) else spooled(path)
    called = name or (str(path) if isinstance(path, str | Path) else "-")
    try:
        return _opened(file, called)
    except BaseException:
        file.close()
        raise


def _opened_path(path: str | Path) -> IO[bytes]:
    """The file itself where it can be mapped, else (a pipe) a copy."""
    file = open(path, "rb")
    if os.path.isfile(path):
        return file
    with file:
        return spooled(file)


def _opened(file: IO[bytes], name: str) -> Log:
    problems: list[str] = []
    unreadable = None
    opener = opener_of(_head(file))
    if opener:
        file, unreadable = unpacked(file, opener)
    encoding = encoding_of(_head(file))
    if encoding:
        problems.append(f"{encoding.upper()[:6]}, read as UTF-8")
        file = transcoded(file, encoding)
    buffer = _mapped(file)
    if not is_text(buffer):
        problems.append(NOT_TEXT)
        buffer = b""
    return Log(name, buffer, (*problems, *([unreadable] if unreadable else [])), unreadable, (file,))


def is_divisible(path: str | Path) -> bool:
    """Whether a file can be read from any place: neither compressed nor in another encoding than UTF-8.

    Raises:
        OSError: for a file that is not there or may not be read.
    """
    with open(path, "rb") as file:
        return is_stored_as_read(file.read(HEAD))


def is_stored_as_read(head: bytes) -> bool:
    """Whether a file that begins so is neither compressed nor in another encoding than UTF-8."""
    return opener_of(head) is None and encoding_of(head) is None


def _head(file: IO[bytes]) -> bytes:
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    return head


def _mapped(file: IO[bytes]) -> Buffer:
    file.seek(0, os.SEEK_END)
    return mmap(file.fileno(), 0, access=ACCESS_READ) if file.tell() else b""


def pieces(size: int, piece: int = PIECE) -> list[tuple[int, int]]:
    """Cut a file into byte ranges; a piece owns the lines that begin in it. No piece of an empty file."""
    return [(start, min(start + piece, size)) for start in range(0, size, piece)]
