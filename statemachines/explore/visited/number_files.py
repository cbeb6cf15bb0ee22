"""Numbers in files: added at the end and read in pieces, or sorted and looked up by blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import NumberArray

BLOCK_NUMBERS = 1 << 16
"""Numbers that are read at once."""
_NUMBER_BYTES = 8


@define(eq=False)
class NumberFile:
    """Numbers in the order in which they were added; what an interrupt cuts off is written over."""

    numpy: Any
    path: Path
    size: int = 0

    def __attrs_post_init__(self) -> None:
        self.path.touch()

    @property
    def bytes(self) -> int:
        """How long the file is."""
        return self.size * _NUMBER_BYTES

    def remove(self) -> None:
        """Remove it from the disk."""
        self.path.unlink(missing_ok=True)

    def append(self, numbers: NumberArray) -> FilePart:
        """Add numbers at the end; return where they stand.

        Raises:
            OSError: they cannot be written.
        """
        begin = self.size
        with self.path.open("r+b") as file:
            file.seek(begin * _NUMBER_BYTES)
            file.write(memoryview(numbers).cast("B"))
        self.size = begin + len(numbers)
        return FilePart(self, begin, self.size)

    def read(self, begin: int, end: int) -> NumberArray:
        """Return the numbers from one place to another."""
        return self.numpy.fromfile(
            self.path, dtype=self.numpy.int64, count=end - begin, offset=begin * _NUMBER_BYTES
        )


@frozen(eq=False)
class FilePart:
    """Numbers that stand next to each other in a file."""

    file: NumberFile
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def chunks(self, many: int) -> Iterator[NumberArray]:
        """Yield all numbers, so many at once."""
        for begin in range(self.begin, self.end, many):
            yield self.file.read(begin, min(begin + many, self.end))

    def without_first(self, many: int) -> FilePart:
        """Return all numbers but the first so many; there are more."""
        return FilePart(self.file, self.begin + many, self.end)


@define(eq=False)
class SortedFile:
    """Numbers in order, each once."""

    numpy: Any
    file: NumberFile
    firsts: list[int] = field(factory=list)
    """The first number of each block."""

    def __len__(self) -> int:
        return self.file.size

    def blocks(self) -> Iterator[NumberArray]:
        """Yield all numbers, block by block."""
        return FilePart(self.file, 0, self.file.size).chunks(BLOCK_NUMBERS)

    def without_known(self, numbers: NumberArray) -> NumberArray:
        """Return those of some numbers, sorted and each once, that do not stand here.

        Complexity: only blocks are read in which one of them could stand.
        """
        numpy = self.numpy
        if not self.firsts or not len(numbers):
            return numbers
        ends = numpy.searchsorted(numbers, numpy.array(self.firsts[1:], dtype=numpy.int64))
        new, begin = numpy.ones(len(numbers), dtype=bool), 0
        for block, end in enumerate([*ends.tolist(), len(numbers)]):
            if begin < end:
                new[begin:end] = ~is_among(numpy, numbers[begin:end], self._block(block))
            begin = end
        return numbers.compress(new)

    def _block(self, number: int) -> NumberArray:
        begin = number * BLOCK_NUMBERS
        return self.file.read(begin, min(begin + BLOCK_NUMBERS, self.file.size))


def is_among(numpy: Any, numbers: NumberArray, known: NumberArray) -> Any:
    """Tell of each number whether it is a known one; these are sorted."""
    if not len(known):
        return numpy.zeros(len(numbers), dtype=bool)
    places = numpy.minimum(numpy.searchsorted(known, numbers), len(known) - 1)
    return known.take(places) == numbers


def write_sorted(numpy: Any, path: Path, pieces: Iterator[NumberArray]) -> SortedFile:
    """Write pieces that are sorted, and come in order.

    Raises:
        OSError: they cannot be written.
    """
    file = SortedFile(numpy, NumberFile(numpy, path))
    for piece in pieces:
        offset = -file.file.size % BLOCK_NUMBERS
        file.firsts += piece[offset::BLOCK_NUMBERS].tolist()
        file.file.append(piece)
    return file


def merged_pieces(numpy: Any, *sources: Iterator[NumberArray]) -> Iterator[NumberArray]:
    """Yield what stands in two sorted sets, given block by block, in order; no number stands in
    both.
    """
    nothing = numpy.zeros(0, dtype=numpy.int64)
    held = [next(source, nothing) for source in sources]
    while len(held[0]) and len(held[1]):
        last = min(int(held[0][-1]), int(held[1][-1]))
        cuts = [int(numpy.searchsorted(run, last, side="right")) for run in held]
        piece = numpy.concatenate([run[:cut] for run, cut in zip(held, cuts, strict=True)])
        yield numpy.sort(piece, kind="stable")
        held = [
            run[cut:] if cut < len(run) else next(source, nothing)
            for run, cut, source in zip(held, cuts, sources, strict=True)
        ]
    for run, source in zip(held, sources, strict=True):
        if len(run):
            yield run
            yield from source
