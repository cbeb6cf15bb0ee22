"""Sorted numbers in less than eight bytes each: blocks that are looked up, and levels that are only
read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from statemachines.explore.arrays.distinct_numbers import NumberArray, in_chunks

BLOCK_NUMBERS = 1 << 16
"""Numbers of a block at most."""
_LEAST_NUMBERS = 1 << 11
"""Numbers up to which a block is not cut further where they lie far apart."""
_MOST_OFFSET = (1 << 32) - 2
"""The largest distance from the first number of a block that four bytes hold; one more stands for
what lies beyond.
"""
_EXCEPTION_BYTES = 12
"""What a difference takes that has no room among the others."""


@frozen(eq=False)
class PackedBlock:
    """Sorted numbers, each once, by how far they lie from the first."""

    numpy: Any
    first: int
    offsets: Any
    """Of four bytes, or of eight where the numbers lie far apart."""

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return int(self.offsets.nbytes)

    def numbers(self) -> NumberArray:
        """Return all numbers."""
        numbers = self.offsets.astype(self.numpy.int64)
        numbers += self.first
        return numbers

    def has(self, numbers: NumberArray) -> Any:
        """Tell of each of some sorted numbers, none below the first, whether it stands here."""
        numpy, offsets = self.numpy, numbers - self.first
        if self.offsets.dtype == numpy.uint32:
            offsets = numpy.minimum(offsets, _MOST_OFFSET + 1).astype(numpy.uint32)
        places = numpy.searchsorted(self.offsets, offsets)
        numpy.minimum(places, len(self.offsets) - 1, out=places)
        return self.offsets.take(places) == offsets


def packed_blocks(numpy: Any, numbers: NumberArray) -> Iterator[PackedBlock]:
    """Yield sorted numbers as blocks: smaller ones where the numbers lie far apart."""
    pending = [*in_chunks(numbers, BLOCK_NUMBERS)][::-1]
    while pending:
        some = pending.pop()
        first, last = int(some[0]), int(some[-1])
        if last - first <= _MOST_OFFSET:
            yield PackedBlock(numpy, first, (some - first).astype(numpy.uint32))
        elif len(some) <= _LEAST_NUMBERS:
            yield PackedBlock(numpy, first, some - first)
        else:
            half = len(some) // 2
            pending += [some[half:], some[:half]]


@frozen(eq=False)
class PackedPiece:
    """Sorted numbers, by how far each lies from the one before: they are read from the beginning
    on.
    """

    numpy: Any
    first: int
    differences: Any
    """Of one byte, two, four or eight, the first being nothing."""
    places: Any
    """Where a difference stands that has no room among the others."""
    large: NumberArray
    """These differences."""

    def __len__(self) -> int:
        return len(self.differences)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return int(self.differences.nbytes + self.places.nbytes + self.large.nbytes)

    def numbers(self) -> NumberArray:
        """Return all numbers."""
        numbers = self.differences.astype(self.numpy.int64)
        numbers[self.places] = self.large
        numbers[0] = self.first
        return self.numpy.cumsum(numbers, out=numbers)


def packed_piece(numpy: Any, numbers: NumberArray) -> PackedPiece:
    """Return sorted numbers, of which there are some, in as few bytes as differences take."""
    differences = numpy.diff(numbers, prepend=numbers[:1])
    kinds = [numpy.uint8, numpy.uint16, numpy.uint32, numpy.int64]
    limits = [numpy.iinfo(kind).max for kind in kinds]
    beyond = [int((differences > limit).sum()) for limit in limits]
    sizes = [
        len(numbers) * numpy.dtype(kind).itemsize + _EXCEPTION_BYTES * many
        for kind, many in zip(kinds, beyond, strict=True)
    ]
    best = sizes.index(min(sizes))
    places = numpy.flatnonzero(differences > limits[best])
    return PackedPiece(
        numpy,
        int(numbers[0]),
        differences.astype(kinds[best]),
        places.astype(numpy.uint32),
        differences.take(places),
    )
