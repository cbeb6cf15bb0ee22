"""Numbers in files: added at the end, and read again in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import define, frozen

from statemachines.explore.arrays.distinct_numbers import NumberArray

_NUMBER_BYTES = 8


@define(eq=False)
class NumberFile:
    """Numbers in the order in which they were added; what an interrupt cuts off is written over."""

    numpy: Any
    path: Path
    size: int = 0

    def __attrs_post_init__(self) -> None:
        self.path.touch()

    def append(self, numbers: NumberArray) -> FilePart:
        """Add numbers, of which there are some, at the end; return where they stand.

        Raises:
            OSError: they cannot be written.
        """
        begin = self.size
        with self.path.open("r+b") as file:
            file.seek(begin * _NUMBER_BYTES)
            file.write(memoryview(numbers).cast("B"))
        self.size = begin + len(numbers)
        return FilePart(self, begin, len(numbers), int(numbers[0]))


@frozen(eq=False)
class FilePart:
    """Numbers that stand next to each other in a file."""

    file: NumberFile
    begin: int
    size: int
    first: int
    nbytes = 0
    """What they take in memory."""

    def __len__(self) -> int:
        return self.size

    def numbers(self) -> NumberArray:
        """Return all numbers."""
        numpy, begin = self.file.numpy, self.begin * _NUMBER_BYTES
        return numpy.fromfile(self.file.path, dtype=numpy.int64, count=self.size, offset=begin)

    def has(self, numbers: NumberArray) -> Any:
        """Tell of each of some numbers whether it stands here, where these are sorted."""
        return is_among(self.file.numpy, numbers, self.numbers())


def is_among(numpy: Any, numbers: NumberArray, known: NumberArray) -> Any:
    """Tell of each number whether it is a known one; these are sorted."""
    if not len(known):
        return numpy.zeros(len(numbers), dtype=bool)
    places = numpy.minimum(numpy.searchsorted(known, numbers), len(known) - 1)
    return known.take(places) == numbers
