"""Texts of lines, each known by its place: in memory while they are few, then in a temporary file;
those that others have written to files stay there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from statemachines.conform.columns.observation_columns import WrittenTexts

TEXT_IN_MEMORY = 64 << 20
_FILE_BITS = 44
"""The places of a file begin behind so many bytes of the one before; the first is our own."""


class StoredTexts:
    """Takes texts, and reads them again by their places."""

    def __init__(self, files: Sequence[Path] = ()) -> None:
        """Begin without texts.

        Args:
            files: those that `WrittenTexts` are in; each is opened when it is first read.
        """
        self._paths, self._files = files, dict[int, IO[bytes]]()
        self._memory = bytearray()
        self._own: IO[bytes] | None = None
        """Where our own are once they are many."""
        self._size = 0
        self._last: tuple[bytes, int] = b"", 0

    def add(self, texts: bytes) -> int:
        """Keep a text, and return its place; the one that came last is not kept twice."""
        if self._last[0] is not texts:
            self._last = texts, self._size
            if self._own is None and self._size + len(texts) > TEXT_IN_MEMORY:
                self._own = tempfile.TemporaryFile(prefix="statemachines-")
                self._own.write(self._memory)
                self._memory = bytearray()
            if self._own is None:
                self._memory += texts
            else:
                self._own.seek(self._size)
                self._own.write(texts)
            self._size += len(texts)
        return self._last[1]

    def place(self, written: WrittenTexts) -> int:
        """Return the place of texts that are in one of the files."""
        return ((written.file + 1) << _FILE_BITS) + written.start

    def read(self, place: int, size: int) -> bytes:
        """Return what is at a place.

        Raises:
            OSError: a file is not there any more.
        """
        number, start = place >> _FILE_BITS, place & ((1 << _FILE_BITS) - 1)
        file = self._file(number - 1) if number else self._own
        if file is None:
            return bytes(self._memory[start : start + size])
        file.seek(start)
        return file.read(size)

    def read_each(self, places: Sequence[int], sizes: Sequence[int]) -> Iterator[bytes]:
        """Yield what is at some places, as `read` does."""
        if self._own is not None or max(places) >> _FILE_BITS:
            yield from map(self.read, places, sizes)
            return
        with memoryview(self._memory) as texts:
            yield from (
                bytes(texts[at : at + size]) for at, size in zip(places, sizes, strict=True)
            )

    def _file(self, number: int) -> IO[bytes]:
        if number not in self._files:
            self._files[number] = self._paths[number].open("rb")
        return self._files[number]

    def close(self) -> None:
        """Let the files go."""
        if self._own is not None:
            self._own.close()
        for file in self._files.values():
            file.close()
