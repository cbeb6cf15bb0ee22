"""Many whole numbers at once: each of them once, a place for each, and arrays that grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from attrs import define, field

NumberArray = Any
"""An array of numpy: int64, none below zero."""
Rows = TypeVar("Rows", bound=Any)
"""A sequence, or an array of numpy."""
_HASH_FACTOR = 0x9E3779B97F4A7C15
"""Spreads numbers over 64 bits: 2**64 divided by the golden ratio."""
MOST_DENSE_BITS = 20
"""Bits of a key up to which every key has its place in an array."""
_INITIAL_BITS = 10
"""Bits of the number of slots at the beginning."""
_MANY_SLOTS = 1 << 18
"""Slots that take some megabytes."""


def in_chunks(numbers: Rows, many: int) -> Iterator[Rows]:
    """Yield what stands in a sequence or an array, at most so many at once."""
    for begin in range(0, len(numbers), many):
        yield numbers[begin : begin + many]


def pair_slices(numpy: Any, counts: NumberArray, most: int) -> Iterator[slice]:
    """Yield some rows after others, given how many pairs each has: as many as have so many pairs
    together, and one at least.
    """
    ends, begin = numpy.cumsum(counts), 0
    while begin < len(counts):
        base = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(numpy.searchsorted(ends, base + most)))
        yield slice(begin, end)
        begin = end


def sorted_distinct(numpy: Any, numbers: NumberArray) -> NumberArray:
    """Return each number once, in order.

    Complexity: one sort; `numpy.unique` gathers whole numbers in a hash table since numpy 2.3,
    which takes some thirty times as long.
    """
    distinct = numpy.sort(numbers)
    if len(distinct) < 2:
        return distinct
    first = numpy.empty(len(distinct), dtype=bool)
    first[0] = True
    numpy.not_equal(distinct[1:], distinct[:-1], out=first[1:])
    return distinct.compress(first)


def hash_slots(numpy: Any, numbers: NumberArray, shift: int) -> NumberArray:
    """Return for each number a slot below 2**(64 - shift)."""
    return ((numbers.view(numpy.uint64) * numpy.uint64(_HASH_FACTOR)) >> numpy.uint64(shift)).view(
        numpy.int64
    )


@define(eq=False)
class HashIndex:
    """A table from numbers to places: many are looked up, and added, at once."""

    numpy: Any
    count: int = 0
    table: tuple[NumberArray, NumberArray, int] = field(init=False)
    """By slot its number, or -1, and its place; the shift that gives the slot."""

    def __attrs_post_init__(self) -> None:
        self.table = self._empty_table(_INITIAL_BITS)

    def indices(self, numbers: NumberArray) -> NumberArray:
        """Return the place of each number, -1 where it has none."""
        numpy, (held, stored_indices, shift) = self.numpy, self.table
        slots = hash_slots(numpy, numbers, shift)
        there = held.take(slots)
        same = there == numbers
        indices = numpy.where(same, stored_indices.take(slots), -1)
        left = numpy.flatnonzero(~same & (there >= 0))
        while len(left):
            slots[left] = (slots.take(left) + 1) & (len(held) - 1)
            at = slots.take(left)
            there = held.take(at)
            same = there == numbers.take(left)
            indices[left.compress(same)] = stored_indices.take(at.compress(same))
            left = left.compress(~same & (there >= 0))
        return indices

    def add(self, numbers: NumberArray) -> None:
        """Give new numbers, each of them once, the next places."""
        numpy, places = self.numpy, self.numpy.arange(self.count, self.count + len(numbers))
        while 2 * (self.count + len(numbers)) >= len(self.table[0]):
            self._grow()
        self._insert(self.table, numbers, numpy.asarray(places, dtype=numpy.int64))
        self.count += len(numbers)

    def _empty_table(self, bits: int) -> tuple[NumberArray, NumberArray, int]:
        numpy = self.numpy
        return (
            numpy.full(1 << bits, -1, dtype=numpy.int64),
            numpy.zeros(1 << bits, dtype=numpy.int64),
            64 - bits,
        )

    def _insert(
        self,
        table: tuple[NumberArray, NumberArray, int],
        numbers: NumberArray,
        places: NumberArray,
    ) -> None:
        """Put numbers into free slots: of those that want the same one, the last gets it."""
        held, indices, shift = table
        slots = hash_slots(self.numpy, numbers, shift)
        while len(numbers):
            free = held.take(slots) < 0
            wanted = slots.compress(free)
            held[wanted] = numbers.compress(free)
            won = held.take(slots) == numbers
            indices[slots.compress(won)] = places.compress(won)
            numbers, places = numbers.compress(~won), places.compress(~won)
            slots = (slots.compress(~won) + 1) & (len(held) - 1)

    def _grow(self) -> None:
        """Take four times the slots; twice as many where they are much of the memory."""
        held, indices, shift = self.table
        more = 2 if len(held) < _MANY_SLOTS else 1
        table, full = self._empty_table(64 - shift + more), held >= 0
        self._insert(table, held.compress(full), indices.compress(full))
        self.table = table


def _keep_nothing(_: NumberArray) -> None:
    """Keep nothing of keys."""


@define(eq=False)
class LookupIndex:
    """Keys to places, given in the order in which keys are met."""

    numpy: Any
    bits: int
    fill: Callable[[NumberArray], None] = _keep_nothing
    """Is told the new keys, in order."""
    dense: NumberArray = None
    sparse: HashIndex = field(init=False)
    count: int = 0

    def __attrs_post_init__(self) -> None:
        self.sparse = HashIndex(self.numpy)
        if self.bits <= MOST_DENSE_BITS:
            self.dense = self.numpy.full(1 << self.bits, -1, dtype=self.numpy.int32)

    def indices(self, keys: NumberArray) -> NumberArray:
        """Return the place of each key; new keys get one."""
        positions = self._lookup(keys)
        if len(positions) and positions.min() < 0:
            self._add(sorted_distinct(self.numpy, keys[positions < 0]))
            positions = self._lookup(keys)
        return positions

    def _lookup(self, keys: NumberArray) -> NumberArray:
        if self.dense is None:
            return self.sparse.indices(keys)
        return self.dense.take(keys).astype(self.numpy.intp)

    def _add(self, keys: NumberArray) -> None:
        self.fill(keys)
        if self.dense is None:
            self.sparse.add(keys)
        else:
            self.dense[keys] = self.numpy.arange(self.count, self.count + len(keys))
        self.count += len(keys)


@define(eq=False)
class GrowingArray:
    """An array to which numbers are added at the end."""

    numpy: Any
    dtype: Any
    fill: int = 0
    size: int = 0
    room: NumberArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.room = self.numpy.full(64, self.fill, dtype=self.dtype)

    def extend(self, many: int) -> int:
        """Make room for some numbers more; return where they begin."""
        begin, self.size = self.size, self.size + many
        if self.size > len(self.room):
            larger = self.numpy.full(2 * self.size, self.fill, dtype=self.dtype)
            larger[:begin] = self.room[:begin]
            self.room = larger
        return begin

    def append(self, number: int) -> None:
        """Add one number."""
        index = self.extend(1)
        self.room[index] = number

    def add(self, numbers: Sequence[int]) -> None:
        """Add numbers."""
        begin = self.extend(len(numbers))
        self.room[begin : self.size] = numbers
