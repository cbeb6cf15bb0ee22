"""Texts of lines, each known by its place: in memory while they are few, then in a temporary file;
those that others have written to files stay there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
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
        self._own = tempfile.SpooledTemporaryFile(TEXT_IN_MEMORY, prefix="statemachines-")
        self._size = 0
        self._last: tuple[bytes, int] = b"", 0

    def add(self, texts: bytes) -> int:
        """Keep a text, and return its place; the one that came last is not kept twice."""
        if self._last[0] is not texts:
            self._last = texts, self._size
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
        file.seek(start)
        return file.read(size)

    def _file(self, number: int) -> IO[bytes]:
        if number not in self._files:
            self._files[number] = self._paths[number].open("rb")
        return self._files[number]

    def close(self) -> None:
        """Let the files go."""
        self._own.close()
        for file in self._files.values():
            file.close()
