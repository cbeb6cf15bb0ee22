"""The files of a check, and which of them are parts of one log."""

from __future__ import annotations

import os
from collections import defaultdict

from attrs import frozen

Unit = tuple[int, "str | None"]
"""A file's number and a prefix in it."""


@frozen
class CheckedFile:
    """A log file of a check."""

    name: str
    """As reports call it."""
    stem: str
    """The name without its rotation suffix."""
    age: tuple[object, ...] = ()
    """Sorts the files of a stem, oldest first."""

    @property
    def folder(self) -> str:
        """The folder that the file lies in."""
        return os.path.dirname(self.name)

    def system_below(self, root: str) -> str:
        """Return the first folder of its name below a root: where systems are kept apart, all in
        that folder is one.

        Args:
            root: with what the names of all files begin; empty: with nothing in common.
        """
        name = self.name.removeprefix(root)
        return name.partition("/")[0] if "/" in name else ""


def rotation_indexes(files: tuple[CheckedFile, ...]) -> tuple[int, ...]:
    """Number the files of each stem, oldest first."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        by_stem[file.stem].append(number)
    parts = [0] * len(files)
    for numbers in by_stem.values():
        for part, number in enumerate(sorted(numbers, key=lambda n: (files[n].age, files[n].name))):
            parts[number] = part
    return tuple(parts)
