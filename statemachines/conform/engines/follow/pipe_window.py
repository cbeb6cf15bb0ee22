"""What came through a pipe, as far as it may still be looked at."""

from __future__ import annotations

import os

HEAD_BYTES = 1 << 19
"""Bytes from the beginning that are kept (512 KiB): what a log is, and when it begins."""
_BEHIND_BYTES = 1 << 18
"""Bytes before what is settled that are kept (256 KiB): the lines before a line."""


class PipeWindow:
    """A pipe's bytes as a file that can be read from any place that may be looked at again; the
    bytes between its beginning and what was read last are gone, and read as zeros.
    """

    def __init__(self) -> None:
        self._head, self._window, self._low = bytearray(), bytearray(), 0
        self._at = 0

    def append(self, content: bytes) -> None:
        """Take what came."""
        self._head += content[: max(0, HEAD_BYTES - len(self._head))]
        self._window += content

    @classmethod
    def from_parts(cls, head: bytes, window: bytes, low: int) -> PipeWindow:
        """Make one of what `parts` gave."""
        made = cls()
        made._head, made._window, made._low = bytearray(head), bytearray(window), low
        return made

    @property
    def parts(self) -> tuple[bytes, bytes, int]:
        """What is kept: the beginning, the end, and where the end begins."""
        return bytes(self._head), bytes(self._window), self._low

    def settle(self, place: int) -> None:
        """Let go of what lies well before a place."""
        low = max(self._low, place - _BEHIND_BYTES)
        del self._window[: low - self._low]
        self._low = low

    @property
    def size(self) -> int:
        """Bytes that came in all."""
        return self._low + len(self._window)

    @property
    def kept_bytes(self) -> int:
        """Bytes in memory."""
        return len(self._head) + len(self._window)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, as files do."""
        self._at = self.size + offset if whence == os.SEEK_END else offset
        return self._at

    def read(self, size: int) -> bytes:
        """Return bytes from the place on."""
        start, end = self._at, min(self._at + size, self.size)
        self._at = max(start, end)
        return self.read_range(start, end)

    def read_range(self, start: int, end: int) -> bytes:
        """Return the bytes of a range."""
        known = bytes(self._head[start:end])
        gap = b"\0" * (min(end, self._low) - start - len(known))
        high = start + len(known) + len(gap)
        return known + gap + bytes(self._window[high - self._low : end - self._low])

    def close(self) -> None:
        """Do nothing; the pipe is somebody else's."""
