"""Open a log: whatever its compression and encoding, as one buffer of UTF-8 bytes."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO

from attrs import field, frozen

from statemachines.logs.scanner import Buffer

PIECE = 64 << 20
"""Bytes of a piece, unless told otherwise (64 MiB)."""
_BLOCK = 1 << 20
_HEAD = 1 << 16
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
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
    file: IO[bytes] = open(path, "rb") if isinstance(path, str | Path) else _spooled(path)  # noqa: SIM115
    called = name or (str(path) if isinstance(path, str | Path) else "-")
    try:
        return _opened(file, called)
    except BaseException:
        file.close()
        raise


def _opened(file: IO[bytes], name: str) -> Log:
    problems: list[str] = []
    unreadable = None
    opener = _opener(_head(file))
    if opener:
        file, unreadable = _unpacked(file, opener)
    encoding = _encoding(_head(file))
    if encoding:
        problems.append(f"{encoding.upper()[:6]}, read as UTF-8")
        file = _transcoded(file, encoding)
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
        return is_stored_as_read(file.read(_HEAD))


def is_stored_as_read(head: bytes) -> bool:
    """Whether a file that begins so is neither compressed nor in another encoding than UTF-8."""
    return _opener(head) is None and _encoding(head) is None


def _head(file: IO[bytes]) -> bytes:
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(0)
    return head


def _mapped(file: IO[bytes]) -> Buffer:
    file.seek(0, os.SEEK_END)
    return mmap(file.fileno(), 0, access=ACCESS_READ) if file.tell() else b""


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="statemachines-")  # noqa: SIM115


def _spooled(stream: BinaryIO) -> IO[bytes]:
    file = _temporary()
    while block := stream.read(_BLOCK):
        file.write(block)
    file.flush()
    return file


def _zstandard(file: IO[bytes]) -> IO[bytes]:
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _opener(head: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    """By content, whatever the name says."""
    if head.startswith(b"\x1f\x8b\x08"):
        return lambda file: gzip.GzipFile(fileobj=file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstandard
    if re.match(rb"BZh[1-9]\x31\x41\x59\x26\x53\x59", head):
        return bz2.BZ2File
    return lzma.LZMAFile if head.startswith(b"\xfd7zXZ\x00") else None


def _unpacked(packed: IO[bytes], opener: Callable[[IO[bytes]], IO[bytes]]) -> tuple[IO[bytes], str | None]:
    """What an archive holds, and what is wrong with it where it is cut or broken."""
    file = _temporary()
    with packed:
        try:
            stream = opener(packed)
        except ImportError:
            return file, "needs the package zstandard to be read"
        wrong = None
        try:
            while block := stream.read(_BLOCK):
                file.write(block)
        except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
            wrong = f"cut archive: {error}"
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "zstandard":
                raise
            wrong = f"cut archive: {error}"
    file.flush()
    return file, wrong


def _encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, by its mark or by the zeros that plain letters leave in it."""
    for mark, encoding in ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            return encoding
    sample = head[: len(head) // 2 * 2]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half >= 2 and odd > half * 0.4 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if half >= 2 and even > half * 0.4 and odd < half * 0.1 else None


def _transcoded(source: IO[bytes], encoding: str) -> IO[bytes]:
    file = _temporary()
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with source:
        for block in iter(lambda: source.read(_BLOCK), b""):
            file.write(decoder.decode(block).encode("utf-8", "replace"))
    file.write(decoder.decode(b"", final=True).encode("utf-8", "replace"))
    file.flush()
    return file


def is_text(buffer: Buffer) -> bool:
    """Whether what follows leading zero bytes looks like text: hardly a control character in its first 64 KiB."""
    first = re.search(rb"[^\x00]", buffer)
    if first is None:
        return len(buffer) == 0
    sample = bytes(buffer[first.start() : first.start() + _HEAD])
    return len(_CONTROL.findall(sample)) <= len(sample) // 20


def pieces(size: int, piece: int = PIECE) -> list[tuple[int, int]]:
    """Cut a file into byte ranges; a piece owns the lines that begin in it. No piece of an empty file."""
    return [(start, min(start + piece, size)) for start in range(0, size, piece)]
