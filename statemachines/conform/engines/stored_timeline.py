"""A timeline of any length: in memory while it is short, on disk beyond."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from typing import IO

from statemachines.model.evidence.reports import TimelineStep

IN_MEMORY = 100_000


class StoredTimeline:
    """Rows in the order in which they were added; may be iterated again and again."""

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._memory_limit = in_memory
        self._in_memory: list[TimelineStep] = []
        self._disk: IO[bytes] | None = None
        self._count = 0

    def add(self, row: TimelineStep) -> None:
        """Put a row at the end."""
        self._in_memory.append(row)
        self._count += 1
        if len(self._in_memory) >= self._memory_limit:
            self._disk = self._disk or tempfile.TemporaryFile(prefix="statemachines-")
            self._disk.seek(0, 2)
            pickle.dump(self._in_memory, self._disk, 5)
            self._in_memory = []

    def __del__(self) -> None:
        if self._disk is not None:
            self._disk.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TimelineStep]:
        offset = 0
        while self._disk is not None:
            self._disk.seek(offset)
            try:
                rows = pickle.load(self._disk)
            except EOFError:
                break
            offset = self._disk.tell()
            yield from rows
        yield from self._in_memory
