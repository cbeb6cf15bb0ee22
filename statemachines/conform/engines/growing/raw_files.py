"""The bytes of a file as they lie on disk, a range at a time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from statemachines.logs.storage.listed_files import ListedFile


@frozen
class RawFile:
    """An open file, read by ranges; what is packed in it stays packed."""

    handle: int
    size: int

    def __len__(self) -> int:
        return self.size

    def read_range(self, start: int, end: int) -> bytes:
        """Return a range, less where the file has less by now."""
        blocks, at = [], start
        while at < end and (block := os.pread(self.handle, end - at, at)):
            blocks.append(block)
            at += len(block)
        return b"".join(blocks)


@contextmanager
def open_raw(path: str | Path | ListedFile) -> Iterator[RawFile | None]:
    """Open a file to look at some of its bytes; None for what is no regular file.

    Raises:
        OSError: it is not there, or may not be read.
    """
    if isinstance(path, ListedFile):
        with path.open() as file:
            yield RawFile(file.fileno(), os.fstat(file.fileno()).st_size)
        return
    if not stat.S_ISREG(os.stat(path).st_mode):
        yield None
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        yield RawFile(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)
