"""The bytes of an open file, read where they are looked at; where some bytes stand in a text, and
which of its lines were cut into parts.

A file that is mapped into memory kills its reader where it is cut meanwhile, as copytruncate cuts a
log. So it is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Protocol

_LEAST_BYTES = 1 << 12
"""In fewer bytes Python's own search is as fast."""


def is_fast() -> bool:
    """Say whether the library is there; without it all is found as well, more slowly."""
    return find_spec("stringzilla") is not None


def count_feeds(data: bytes, start: int = 0, end: int | None = None) -> int:
    """Return how many line feeds there are in a part of a text.

    >>> count_feeds(b"a\\nb\\nc", 2)
    1

    Args:
        data: the bytes that are searched.
        start: first byte that counts.
        end: first byte that does not count; None: all count.

    Returns:
        How many.
    """
    return count_bytes(data, b"\n", start, end)


def count_feeds_between(data: bytes, places: Sequence[int]) -> list[int]:
    """Return how many line feeds there are from each of some places to the next.

    >>> count_feeds_between(b"a\\nb\\nc\\n", [0, 2, 6])
    [1, 2]

    Args:
        data: the bytes that are searched.
        places: in order.

    Returns:
        One number fewer than places.
    """
    library, view = _library(), memoryview(data)
    return [
        data.count(b"\n", start, end)
        if end - start < _LEAST_BYTES or library is None
        else library.count(view[start:end], b"\n")
        for start, end in pairwise(places)
    ]


def count_bytes(data: bytes, text: bytes, start: int = 0, end: int | None = None) -> int:
    """Return how often a text stands in a part of another one.

    >>> count_bytes(b"door open, door shut", b"door", 1)
    1

    Args:
        data: the bytes that are searched.
        text: that is looked for.
        start: first byte that counts.
        end: first byte that does not count; None: all count.

    Returns:
        How often, one behind the other.
    """
    end = len(data) if end is None else end
    if end - start < _LEAST_BYTES or (library := _library()) is None:
        return data.count(text, start, end)
    times: int = library.count(memoryview(data)[start:end], text)
    return times


def find_bytes(data: bytes, text: bytes, start: int = 0) -> int:
    """Return where a text stands first at or after a place; -1 where it does not.

    >>> find_bytes(b"door open, door shut", b"door", 1)
    11

    Args:
        data: the bytes that are searched.
        text: that is looked for.
        start: first byte that counts.

    Returns:
        0-based place in bytes.
    """
    if len(text) == 1 or len(data) - start < _LEAST_BYTES or (library := _library()) is None:
        return data.find(text, start)
    position: int = library.find(memoryview(data)[start:], text)
    return position + start if position >= 0 else -1


def find_any_byte(data: bytes, signs: bytes, start: int = 0) -> int:
    """Return where one of some bytes stands first at or after a place; -1 where none does. All
    are looked for at once, which takes as long as two alone.

    >>> find_any_byte(b"door open, door shut", b",;", 1)
    9

    Args:
        data: the bytes that are searched.
        signs: the bytes that are looked for.
        start: first byte that counts.

    Returns:
        0-based place in bytes.
    """
    search = getattr(_library(), "find_first_of", None)
    if search is None or len(data) - start < _LEAST_BYTES:
        places = (data.find(sign, start) for sign in signs)
        return min((place for place in places if place >= 0), default=-1)
    position: int = search(memoryview(data)[start:], signs) if signs else -1
    return position + start if position >= 0 else -1


def lines_holding(
    data: bytes, text: bytes, find: Callable[[bytes, bytes, int], int] = find_bytes
) -> Iterator[int]:
    """Yield where the lines begin that hold a text, in order.

    Args:
        data: the bytes that are searched.
        text: that is looked for.
        find: looks for it; with `find_any_byte` the lines that hold one of its bytes.

    Yields:
        0-based places in bytes, each line once.
    """
    at = find(data, text, 0)
    while at >= 0:
        yield data.rfind(b"\n", 0, at) + 1
        feed = data.find(b"\n", at)
        at = find(data, text, feed + 1) if feed >= 0 else -1


@cache
def _library() -> Any:
    return import_module("stringzilla") if is_fast() else None


WINDOW = 4 << 20
"""Bytes that are kept at most (4 MiB): reading goes forward, with looks at what is near."""
_FIRST_WINDOW = 1 << 18
"""Bytes that are kept after a leap (256 KiB): perhaps only one place is looked at there."""
_LAST_BYTES = 1 << 13
"""Bytes that are looked at alone for the last of something in a range (8 KiB)."""
BEHIND = 1 << 17
"""Of them, so many before the place that was asked for (128 KiB)."""
CUT = "it was cut while it was read: the rest is not there any more"


class SeekableFile(Protocol):
    """A file of bytes, as far as a buffer needs it."""

    def seek(self, offset: int, whence: int = ..., /) -> int:
        """Go to a place.

        Args:
            offset: in bytes.
            whence: as of `io.IOBase.seek`.

        Returns:
            The place, from the beginning.
        """

    def read(self, size: int, /) -> bytes:
        """Return so many bytes from there, fewer at the end.

        Args:
            size: in bytes.

        Returns:
            At most that many bytes; none at the end.
        """


class FileBuffer:
    """A file's bytes as those of `bytes`, as far as searching lines needs it; its length is that at
    the beginning.

    Where the file turns out to be shorter, or cannot be read on, it ends there, and `lost` says
    why.
    """

    def __init__(self, file: SeekableFile, size: int | None = None) -> None:
        """Take a file.

        Args:
            file: what is read.
            size: how many of its bytes count; None: all that are there now.
        """
        self._file = file
        self._size = file.seek(0, os.SEEK_END) if size is None else size
        self._low, self._window = 0, b""
        self._step = _FIRST_WINDOW
        self.incomplete_reason: str | None = None
        """Why the file could not be read to its end; None where it could, or nobody tried."""

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return self[0 : self._size]

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a range, fewer where the file ends before."""
        low, high, _ = part.indices(self._size)
        if high - low > WINDOW:
            return self._read_range(low, high)
        if low < high:
            self._load_window(low, high)
        return self._window[low - self._low : high - self._low] if low < high else b""

    def up_to(self, size: int) -> FileBuffer:
        """Return the first bytes of the same file.

        Args:
            size: in bytes.

        Returns:
            A buffer over the same open file.
        """
        return FileBuffer(self._file, size)

    def read_range(self, low: int, high: int) -> bytes:
        """The bytes of a range, read for themselves: what lies near it is not looked at.

        Args:
            low: first byte.
            high: first byte behind it.

        Returns:
            `high - low` bytes, fewer at the end of the file.
        """
        low, high, _ = slice(low, high).indices(self._size)
        return self._read_range(low, high) if low < high else b""

    def find(self, byte: bytes, start: int = 0, end: int | None = None, /) -> int:
        """The first place of one byte in `[start, end)`; -1 where it is not.

        Args:
            byte: a single byte.
            start: first byte that counts.
            end: first byte that does not; None: the last of the file is the last.

        Returns:
            0-based place in the file.
        """
        end = self._size if end is None else min(end, self._size)
        while start < end:
            self._load_window(start, start + 1)
            position = self._window.find(byte, start - self._low, end - self._low)
            if position >= 0:
                return self._low + position
            start, end = self._low + len(self._window), min(end, self._size)
        return -1

    def rfind(self, byte: bytes, start: int, end: int, /) -> int:
        """The last place of one byte in `[start, end)`; -1 where it is not.

        Args:
            byte: a single byte.
            start: first byte that counts.
            end: first byte that does not; None: the last of the file is the last.

        Returns:
            0-based place in the file.
        """
        end = min(end, self._size)
        if not self._low < end <= self._low + len(self._window):
            low = max(start, end - _LAST_BYTES)
            position = self.read_range(low, end).rfind(byte)
            if position >= 0:
                return low + position
        while start < end:
            if not self._low < end <= self._low + len(self._window):
                self._adapt_step(end)
                self._move_window(max(start, end - self._step), end)
            position = self._window.rfind(byte, max(start - self._low, 0), end - self._low)
            if position >= 0:
                return self._low + position
            end = min(self._low, self._size)
        return -1

    def _load_window(self, low: int, high: int) -> None:
        """Have a range in the window."""
        if not self._low <= low < high <= self._low + len(self._window):
            self._adapt_step(low)
            begin = max(0, low - BEHIND)
            self._move_window(begin, min(max(high, begin + self._step), self._size))

    def _adapt_step(self, offset: int) -> None:
        """Read more at once where reading goes on beside what was read, little after a leap."""
        is_near = self._low - BEHIND <= offset <= self._low + len(self._window) + BEHIND
        self._step = min(4 * self._step, WINDOW) if is_near and self._window else _FIRST_WINDOW

    def _move_window(self, low: int, high: int) -> None:
        self._window, self._low = self._read_range(low, high), low

    def _read_range(self, low: int, high: int) -> bytes:
        """Read a range; the file ends where less of it is there."""
        try:
            self._file.seek(low)
            content = self._file.read(high - low)
        except OSError as error:
            content, self.incomplete_reason = b"", f"it could not be read on: {error.strerror}"
        if len(content) < high - low:
            self._size = low + len(content)
            self.incomplete_reason = self.incomplete_reason or CUT
        return content


_ANY_STREAM = b"std"
_STREAM_NAME = b" std"
_PARTS = (b" stdout P ", b" stderr P ")
"""What says of a part that it goes on in the next line of its stream, as Kubernetes writes them."""
_STREAM = b'","stream":"std'
_WHOLE = b'\\n","stream":"std'
"""Docker writes the line feed at the end of a whole line into its object, and none at the end of a
part.
"""
_SHORTEST_PART = 16_384
"""Bytes of a part that Docker cut off."""
PART_SIGNS = (*_PARTS, _STREAM)
"""One of these stands in every text that has a line that may be a part."""
_MARKED = re.compile(rb' std(?:out|err) P |(?<!\\n)(?P<docker>","stream":"std)')


def cut_line_starts(data: bytes) -> list[int]:
    """Return where the lines begin that may be parts and go on in a later line, in order.

    Args:
        data: whole lines.

    Returns:
        0-based places; a line that only looks so may be among them.

    >>> cut_line_starts(b"a stdout F x\\nb stdout P y\\nc stdout F z\\n")
    [13]
    """
    if find_bytes(data, _ANY_STREAM) < 0:
        return []
    if not _has_parts(data) and not _has_docker_parts(data):
        return []
    return sorted({start for sign in _MARKED.finditer(data) if (start := _part_start(sign)) >= 0})


def _has_parts(data: bytes) -> bool:
    stream = find_bytes(data, _STREAM_NAME)
    return stream >= 0 and any(find_bytes(data, text, stream) >= 0 for text in _PARTS)


def _has_docker_parts(data: bytes) -> bool:
    stream = find_bytes(data, _STREAM)
    return stream >= 0 and count_bytes(data, _STREAM, stream) > count_bytes(data, _WHOLE)


def _part_start(sign: re.Match[bytes]) -> int:
    """Return where the line of a sign begins; -1 where it is too short to have been cut."""
    start = sign.string.rfind(b"\n", 0, sign.start()) + 1
    return -1 if sign["docker"] and sign.start() - start < _SHORTEST_PART else start
