"""A file as it was listed: opened again under whatever name it has by now, for logs are rotated
while they are checked.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from statemachines.logs.storage.rotated_files import rotation_key
from statemachines.model.values import frozen

_HEAD_BYTES = 4096
"""Of the beginning by which a file is known: a new one may get the number of a deleted one."""
_MOST_LOOKS = 3
"""At a folder whose files may be renamed while one of them is looked for."""
REPLACED = "it was replaced or removed after it was listed, and no file beside it is a copy"


def is_missed(listed: ListedFile | None, *, named: bool) -> bool:
    """Say whether not to read a file is an error: a person named it, or it had bytes when it was
    listed.

    Args:
        listed: what it was then; None of what cannot be found again.
        named: whether a person named this very file.

    Returns:
        False of an empty file in a folder.
    """
    return named or (listed is not None and listed.size > 0)


@frozen
class ListedFile:
    """What a file was when it was listed."""

    path: Path
    number: int
    """Its inode; 0 where the file system has none."""
    size: int
    head: bytes
    """A digest of how it began; nothing of a file that might not be read."""

    def open(self) -> BinaryIO:
        """Open the file that was listed, or a copy that holds what it held.

        Returns:
            The file at its first byte; its `name` is the one that it has by now.

        Raises:
            OSError: it is not in its folder any more, or may not be read.
        """
        for _ in range(_MOST_LOOKS):
            for path in self._places():
                with suppress(FileNotFoundError):
                    file = open(path, "rb")
                    if self._is_same(file) or (path == self.path and self._is_copied_to(file)):
                        return file
                    file.close()
        for path in self._places_of_copies():
            with suppress(OSError):
                file = open(path, "rb")
                if self.size and self.head and self._is_copied_to(file):
                    return file
                file.close()
        raise FileNotFoundError(errno.ENOENT, REPLACED, str(self.path))

    def _is_same(self, file: BinaryIO) -> bool:
        is_this = self.number != 0 and os.fstat(file.fileno()).st_ino == self.number
        return is_this and self._begins(file)

    def _is_copied_to(self, file: BinaryIO) -> bool:
        return os.fstat(file.fileno()).st_size >= self.size and self._begins(file)

    def _begins(self, file: BinaryIO) -> bool:
        return self.head in (b"", _head_digest(file, self.size))

    def _places(self) -> Iterator[Path]:
        """Yield where the file may be by now: its own place first, unless another file is there."""
        with suppress(OSError):
            if self.number in (0, os.stat(self.path).st_ino):
                yield self.path
        for entry in self._entries():
            if self.number != 0 and entry.inode() == self.number:
                yield Path(entry.path)
        yield self.path  # of a file system that numbers files anew

    def _places_of_copies(self) -> Iterator[Path]:
        stem, _ = rotation_key(self.path.name)
        names = (entry.path for entry in self._entries() if rotation_key(entry.name)[0] == stem)
        return map(Path, sorted(names))

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        folders = dict.fromkeys([self.path.parent, self.path.resolve().parent])
        for folder in folders:
            with suppress(OSError), os.scandir(folder) as entries:
                yield from entries


def list_file(path: Path) -> ListedFile | None:
    """Return what a file is now; None of one that cannot be opened again, such as a pipe.

    Args:
        path: of a file.

    Returns:
        The file, known by its inode and its first 4 KiB; by its inode alone where it may not be
        read, so that whoever reads it learns that.
    """
    with suppress(OSError):
        if not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                head = _head_digest(file, status.st_size)
        except PermissionError:
            status, head = path.stat(), b""
        return ListedFile(path, status.st_ino, status.st_size, head)
    return None


def _head_digest(file: BinaryIO, size: int) -> bytes:
    """Return a digest of how a file begins, which `size` bytes of it had when it was listed."""
    head = file.read(min(size, _HEAD_BYTES))
    file.seek(0)
    return blake2b(head, digest_size=16).digest()
