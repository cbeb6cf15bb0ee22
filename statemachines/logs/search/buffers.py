"""The bytes of an open file, read where they are looked at.

A file that is mapped into memory kills its reader where it is cut meanwhile, as copytruncate cuts a
log. So it is read.
"""

from __future__ import annotations

import os
from typing import Protocol

WINDOW = 4 << 20
"""Bytes that are kept at most (4 MiB): reading goes forward, with looks at what is near."""
_FIRST_WINDOW = 1 << 18
"""Bytes that are kept after a leap (256 KiB): perhaps only one place is looked at there."""
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
