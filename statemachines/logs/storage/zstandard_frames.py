"""Archives of zstandard: frames one after another, of which as much is read as is there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, Any

from statemachines.model.values import define

_PACKED_BYTES = 1 << 10
"""Bytes that are unpacked at once where a frame is cut or broken: they may become 32,768 times as
many, all of them in memory.
"""
_ROOM_BYTES = 1 << 20
"""Bytes of what is packed that are given at once (1 MiB)."""
_SKIPPED = b"\x2a\x4d\x18"
"""With what frames begin that hold no data, behind their first byte."""
_HEAD_BYTES, _BLOCK_HEAD_BYTES = 18, 3
_REPEATED_BYTE = 1
"""The kind of a block of which one byte is kept and how often it stands there."""


def open_frames(file: IO[bytes]) -> ZstandardFrames:
    """Return what reads an archive.

    Args:
        file: the archive, at its beginning.

    Returns:
        What gives its contents block by block.

    Raises:
        ImportError: the library is not installed.
    """
    return ZstandardFrames(file, in_room=_has_whole_frames(file))


class ZstandardFrames:
    """What is packed in a file.

    The library's own reader takes a cut frame for a whole one, and gives nothing of the megabyte in
    which a frame is broken. So it reads files whose frames are all there, up to what is broken.
    """

    def __init__(self, file: IO[bytes], *, in_room: bool) -> None:
        import zstandard

        self._file, self._library = file, zstandard
        self._frames = _CarefulFrames(file, zstandard.ZstdDecompressor().decompressobj)
        self._reader: Any = None
        self._room, self._given = memoryview(bytearray(_ROOM_BYTES if in_room else 0)), 0
        if in_room:
            decompressor = zstandard.ZstdDecompressor()
            self._reader = decompressor.stream_reader(file, read_across_frames=True)

    def read1(self, size: int, /) -> bytes | memoryview:
        """A block of any size, which the next one may overwrite; none at the end.

        Args:
            size: not heeded.

        Returns:
            The next bytes of what is packed.

        Raises:
            EOFError: where the file ends inside a frame.
        """
        if self._reader is None:
            return self._frames.next_block()
        try:
            count = self._reader.readinto(self._room)
        except self._library.ZstdError:
            self._reader = None
            self._file.seek(0)
            return self._rest_of_block()
        self._given += count
        return self._room[:count]

    def _rest_of_block(self) -> bytes:
        """Begin anew, up to the first block of which not all was given."""
        while block := self._frames.next_block():
            self._given -= len(block)
            if self._given < 0:
                return block[self._given :]
        return b""


@define
class _CarefulFrames:
    """Frames unpacked in small steps."""

    _file: IO[bytes]
    _make_decompressor: Callable[[], Any]
    _decompressor: Any = None
    _unused: bytes = b""

    def next_block(self) -> bytes:
        while data := self._unused or self._file.read(_PACKED_BYTES):
            self._decompressor = self._decompressor or self._make_decompressor()
            out: bytes = self._decompressor.decompress(data)
            self._unused = self._decompressor.unused_data if self._decompressor.eof else b""
            if self._decompressor.eof:
                self._decompressor = None
            if out:
                return out
        if self._decompressor is not None:
            raise EOFError("the file ends inside a frame")
        return b""


def _has_whole_frames(file: IO[bytes]) -> bool:
    """Say whether a file ends where a frame ends, by the heads of its frames and their blocks."""
    import zstandard

    size, place = file.seek(0, os.SEEK_END), 0
    while place < size:
        file.seek(place)
        head = file.read(_HEAD_BYTES)
        if head[1:4] == _SKIPPED:
            place += 8 + int.from_bytes(head[4:8], "little")
            continue
        try:
            known = zstandard.get_frame_parameters(head)
            place = _end_of_blocks(file, place + zstandard.frame_header_size(head))
        except (EOFError, zstandard.ZstdError):
            break
        place += 4 * known.has_checksum
    file.seek(0)
    return place == size


def _end_of_blocks(file: IO[bytes], place: int) -> int:
    """Return where the blocks of a frame end.

    Raises:
        EOFError: not all of them are there.
    """
    while True:
        file.seek(place)
        head = file.read(_BLOCK_HEAD_BYTES)
        if len(head) < _BLOCK_HEAD_BYTES:
            raise EOFError
        number = int.from_bytes(head, "little")
        place += _BLOCK_HEAD_BYTES + (1 if number >> 1 & 3 == _REPEATED_BYTE else number >> 3)
        if number & 1:
            return place
