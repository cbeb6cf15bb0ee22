"""Many whole numbers at once: each of them once, and a place for each."""

from __future__ import annotations

from typing import Any

from attrs import define, field

Numbers = Any
"""An array of numpy: int64, none below zero."""
FACTOR = 0x9E3779B97F4A7C15
"""Spreads numbers over 64 bits: 2**64 divided by the golden ratio."""
FIRST = 10
"""Bits of the number of slots at the beginning."""


def distinct(numpy: Any, numbers: Numbers) -> Numbers:
    """Return each number once, in order.

    Complexity: one sort; `numpy.unique` gathers whole numbers in a hash table since numpy 2.3, which takes some thirty times as long.
    """
    found = numpy.sort(numbers)
    if len(found) < 2:
        return found
    first = numpy.empty(len(found), dtype=bool)
    first[0] = True
    numpy.not_equal(found[1:], found[:-1], out=first[1:])
    return found.compress(first)


def slots_of(numpy: Any, numbers: Numbers, shift: int) -> Numbers:
    """Return for each number a slot below 2**(64 - shift)."""
    return ((numbers.view(numpy.uint64) * numpy.uint64(FACTOR)) >> numpy.uint64(shift)).view(numpy.int64)


@define(eq=False)
class Places:
    """A table from numbers to places: many are looked up at once, one is added at a time.

    It may be read from several threads while one adds: what is being added is found, or not yet.
    """

    numpy: Any
    many: int = 0
    table: tuple[Numbers, Numbers, int] = field(init=False)
    """By slot its number, or -1, and its place; the shift that gives the slot."""

    def __attrs_post_init__(self) -> None:
        self.table = self._empty(FIRST)

    def of(self, numbers: Numbers) -> Numbers:
        """Return the place of each number, -1 where it has none."""
        numpy, (held, places, shift) = self.numpy, self.table
        slots = slots_of(numpy, numbers, shift)
        there = held.take(slots)
        same = there == numbers
        found = numpy.where(same, places.take(slots), -1)
        left = numpy.flatnonzero(~same & (there >= 0))
        while len(left):
            slots[left] = (slots.take(left) + 1) & (len(held) - 1)
            at = slots.take(left)
            there = held.take(at)
            same = there == numbers.take(left)
            found[left.compress(same)] = places.take(at.compress(same))
            left = left.compress(~same & (there >= 0))
        return found

    def add(self, number: int, place: int) -> None:
        """Give a new number its place."""
        if 2 * self.many >= len(self.table[0]):
            self._grow()
        self._put(self.table, number, place)
        self.many += 1

    def _empty(self, bits: int) -> tuple[Numbers, Numbers, int]:
        numpy = self.numpy
        return numpy.full(1 << bits, -1, dtype=numpy.int64), numpy.zeros(1 << bits, dtype=numpy.int64), 64 - bits

    def _put(self, table: tuple[Numbers, Numbers, int], number: int, place: int) -> None:
        held, places, shift = table
        slot = ((number * FACTOR) & 0xFFFF_FFFF_FFFF_FFFF) >> shift
        while held[slot] >= 0:
            slot = (slot + 1) & (len(held) - 1)
        places[slot] = place
        held[slot] = number

    def _grow(self) -> None:
        """Take four times the slots."""
        held, places, shift = self.table
        table = self._empty(64 - shift + 2)
        for slot in self.numpy.flatnonzero(held >= 0).tolist():
            self._put(table, int(held[slot]), int(places[slot]))
        self.table = table
