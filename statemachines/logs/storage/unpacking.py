"""Archives and encodings: whatever a file holds, as plain UTF-8 bytes in a temporary file."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Protocol

from statemachines.logs.search.scanner import Buffer
from statemachines.logs.storage.packed_members import PackedMembers
from statemachines.logs.storage.zstandard_frames import open_frames
from statemachines.model.extras import install_command

_BLOCK_BYTES = 1 << 20
_MOST_EXPANSION = 100
"""How many times its size an archive may unpack to: logs shrink to a tenth or a thirtieth, files
made to fill a disk to a thousandth.
"""
ALWAYS_ALLOWED_BYTES = 128 << 20
"""What an archive may unpack to however small it is (128 MiB)."""
HEAD_BYTES = 1 << 16
"""Bytes of a file that tell what it is (64 KiB)."""
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BZIP2 = re.compile(rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72\x45\x38\x50\x90)")
"""A block follows, or the end: nothing is packed."""
_ZSTANDARD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
"""What is packed, or a frame that holds no data, with which those begin who pack in parallel."""
_WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end.

        Args:
            size: in bytes.

        Returns:
            The next bytes of the stream.
        """


class Archive(Protocol):
    """A compressed stream of bytes."""

    def read1(self, size: int, /) -> bytes | memoryview:
        """What is there without waiting for more, so that nothing is lost where the stream breaks
        off; none at the end. What comes next may overwrite it.

        Args:
            size: in bytes, at most.

        Returns:
            The next bytes of what is packed.
        """


def temporary_file() -> IO[bytes]:
    """A file that nobody else sees and that is gone when it is closed."""
    return tempfile.TemporaryFile(prefix="statemachines-")


def spool(stream: Readable) -> IO[bytes]:
    """A stream, copied to where it can be read more than once.

    Args:
        stream: read to its end.

    Returns:
        A temporary file, at its beginning.
    """
    file = temporary_file()
    while block := stream.read(_BLOCK_BYTES):
        file.write(block)
    file.flush()
    return file


def archive_opener(head: bytes) -> Callable[[IO[bytes]], Archive] | None:
    """Return how to read an archive, by its first bytes, not its name; None for anything else.

    Args:
        head: the first bytes of the file.

    Returns:
        A function from the packed file to what it holds.
    """
    if head.startswith(b"\x1f\x8b\x08"):
        return lambda file: gzip.GzipFile(fileobj=file)
    if _ZSTANDARD.match(head):
        return _open_zstandard
    if _BZIP2.match(head):
        return lambda file: PackedMembers(file, bz2.BZ2Decompressor)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lambda file: PackedMembers(file, lzma.LZMADecompressor)
    return None


def _open_zstandard(file: IO[bytes]) -> Archive:
    try:
        return open_frames(file)
    except ImportError:
        return _open_arrow_zstandard(file)


def _open_arrow_zstandard(file: IO[bytes]) -> Archive:
    """The same by a library that workers of a cluster have; of a frame that is cut, less of the end
    may be read.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError("zstandard") from None
    stream: Archive = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd")
    return stream


def unpack(
    packed: IO[bytes], opener: Callable[[IO[bytes]], Archive]
) -> tuple[IO[bytes], str | None]:
    """What an archive holds, and what is wrong with it where it is cut or broken; closes the
    archive.

    Args:
        packed: the archive.
        opener: as `archive_opener` has it.

    Returns:
        A temporary file with all that could be read, and a sentence about what could not.
    """
    file = temporary_file()
    most = max(ALWAYS_ALLOWED_BYTES, _MOST_EXPANSION * packed.seek(0, os.SEEK_END))
    packed.seek(0)
    with packed:
        try:
            wrong = _copy_blocks(opener(packed), file, most)
        except ImportError:
            wrong = f"needs the package zstandard to be read: {install_command('zstandard')}"
        except MemoryError:
            wrong = "cut archive: it needs more memory to be unpacked than the system allows"
    file.flush()
    return file, wrong


def _copy_blocks(stream: Archive, file: IO[bytes], most: int) -> str | None:
    """Copy as far as the archive is whole, and no more bytes than it may have."""
    copied = 0
    for block in (blocks := _ArchiveBlocks(stream)):
        file.write(block[: most - copied])
        copied += len(block)
        if copied > most:
            return (
                f"the archive swells more than {_MOST_EXPANSION}-fold: its first {most >> 20:,} MB"
                " are read; if it is a log, unpack it and check the file"
            )
    return blocks.problem


class _ArchiveBlocks:
    """The blocks of an archive as far as it is whole, then what is wrong with it."""

    def __init__(self, stream: Archive) -> None:
        self._stream = stream
        self.problem: str | None = None

    def __iter__(self) -> Iterator[bytes | memoryview]:
        while block := self._next_block():
            yield block

    def _next_block(self) -> bytes | memoryview:
        try:
            return self._stream.read1(_BLOCK_BYTES)
        except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
            self.problem = f"cut archive: {error}"
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "zstandard":
                raise
            self.problem = f"cut archive: {error}"
        return b""


def detect_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, by its mark or by the zeros that plain letters leave in it; None for
    anything else.

    Args:
        head: the first bytes of the file.

    Returns:
        A name of Python's codecs.
    """
    marked = next(
        (encoding for order_mark, encoding in _BYTE_ORDER_MARKS if head.startswith(order_mark)),
        None,
    )
    half = len(head) // 2
    if marked or half < 2:
        return marked
    even, odd = head[: half * 2 : 2].count(0), head[1 : half * 2 : 2].count(0)
    if odd > half * 0.4 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.4 and odd < half * 0.1 else None


def ends_lines_with_returns(head: bytes) -> bool:
    """Whether a file ends its lines with carriage returns alone.

    Args:
        head: its first bytes.

    Returns:
        False too where no line ends in them.

    >>> ends_lines_with_returns(b"open\\rshut\\r"), ends_lines_with_returns(b"open\\r\\n")
    (True, False)
    """
    return b"\r" in head.rstrip(b"\r") and b"\n" not in head


def with_line_feeds(source: IO[bytes]) -> IO[bytes]:
    """A file with a line feed for each carriage return.

    Args:
        source: a file; it is closed.

    Returns:
        A temporary file.
    """
    file = temporary_file()
    with source:
        while block := source.read(_BLOCK_BYTES):
            file.write(block.replace(b"\r", b"\n"))
    file.flush()
    return file


def is_web_page(head: bytes) -> bool:
    """Whether a file is a page of HTML, as two layouts write logs.

    Args:
        head: its first bytes.

    Returns:
        Whether it begins as such a page does.
    """
    return bool(_WEB_PAGE.match(head))


def transcode(source: IO[bytes], encoding: str) -> IO[bytes]:
    """A file in another encoding as UTF-8; what it cannot mean is U+FFFD; closes the source.

    Args:
        source: at its beginning.
        encoding: a name of Python's codecs.

    Returns:
        A temporary file, at its beginning.
    """
    file = temporary_file()
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with source:
        while block := source.read(_BLOCK_BYTES):
            file.write(decoder.decode(block).encode("utf-8", "replace"))
    file.write(decoder.decode(b"", final=True).encode("utf-8", "replace"))
    file.flush()
    return file


_SEVERAL_FILES = (b"PK\x03\x04", b"PK\x05\x06", b"Rar!", b"7z\xbc\xaf")
"""With what archives begin that are no tar."""


def holds_several_files(buffer: Buffer) -> bool:
    """Whether this is an archive of several files, which may hold text as it is.

    Args:
        buffer: the whole file.

    Returns:
        True where nothing is read of it.
    """
    return buffer[257:262] == b"ustar" or bytes(buffer[:4]) in _SEVERAL_FILES


def is_text(buffer: Buffer) -> bool:
    """Whether what follows leading zero bytes looks like text: hardly a control character in its
    first 64 KiB.

    Args:
        buffer: the whole file.

    Returns:
        True where it is worth reading.
    """
    first = next(
        (
            at
            for at in range(0, len(buffer), HEAD_BYTES)
            if bytes(buffer[at : at + HEAD_BYTES]).strip(b"\x00")
        ),
        None,
    )
    if first is None:
        return len(buffer) == 0
    first += next(at for at, byte in enumerate(bytes(buffer[first : first + HEAD_BYTES])) if byte)
    sample = bytes(buffer[first : first + HEAD_BYTES])
    return len(_CONTROL.findall(sample)) <= len(sample) // 20
