"""Archives of bz2 and xz to their last byte: Python's own readers pass over what stands behind the
last member of one, and a log that a program went on writing there would be lost without a word.
"""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable
from typing import IO

_BLOCK_BYTES = 1 << 16
_CUT = "Compressed file ended before the end-of-stream marker was reached"


class PackedMembers:
    """What the members of an archive hold, one after the other."""

    def __init__(
        self,
        file: IO[bytes],
        unpacker: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor],
    ) -> None:
        """Begin at the first member.

        Args:
            file: the archive, at its beginning.
            unpacker: makes what unpacks a member.
        """
        self._file, self._new_unpacker = file, unpacker
        self._unpacker = unpacker()

    def read1(self, size: int, /) -> bytes:
        """What comes next.

        Args:
            size: in bytes, at most.

        Returns:
            Some bytes; none at the end.

        Raises:
            EOFError: the last member is cut.
            OSError, lzma.LZMAError: a member is broken, or what follows one is none; zeros may.
        """
        while True:
            packed = b""
            if self._unpacker.eof:
                if not (packed := self._next_member()):
                    return b""
                self._unpacker = self._new_unpacker()
            elif self._unpacker.needs_input and not (packed := self._file.read(_BLOCK_BYTES)):
                raise EOFError(_CUT)
            if block := self._unpacker.decompress(packed, size):
                return block

    def _next_member(self) -> bytes:
        """Return how the next member begins, without the zeros that may stand before it."""
        packed = self._unpacker.unused_data.lstrip(b"\0")
        while not packed and (more := self._file.read(_BLOCK_BYTES)):
            packed = more.lstrip(b"\0")
        return packed
