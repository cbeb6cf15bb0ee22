"""Rows as whole numbers: each column has some of 64 bits, and gets more when it needs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import GrowingArray, LookupIndex
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartBlock, PartKind
from statemachines.explore.models.row_columns import Row
from statemachines.explore.resources.interrupts import DelayedInterrupts

RowCodes = Any
"""An array of numpy: int64, one row of the model each."""
_MOST_BITS = 62
_NUMBER_BITS = 31
"""Bits of a number that stands for a word."""
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1


@define(eq=False)
class WordNumbers:
    """Words, each with a number that stands for it."""

    numpy: Any
    index: LookupIndex = field(init=False)
    held: GrowingArray = field(init=False)
    """By number: the word."""

    def __attrs_post_init__(self) -> None:
        self.held = GrowingArray(self.numpy, self.numpy.int64)
        self.index = LookupIndex(self.numpy, 2 * _NUMBER_BITS, self._keep)

    def numbers(self, words: RowCodes) -> RowCodes:
        """Return the number of each word; new words get one."""
        with DelayedInterrupts():  # or a number might stand for two words
            return self.index.indices(words)

    def _keep(self, words: RowCodes) -> None:
        self.held.size = self.index.count
        self.held.add(words)


@define(eq=False)
class Packing:
    """Where each column lies within a number.

    Rows of more than 62 bits have several words; each of these has a number, and so has each pair
    of numbers but the last. Nothing is ever taken for something else. Words come again in many
    rows, so their numbers take little room beside the rows.
    """

    bits: tuple[int, ...]
    numpy: Any = None
    """Of several words."""
    spans: tuple[tuple[int, int], ...] = ()
    """Columns (from, to) that lie in one word: those of each part, and each other one; none: all
    lie in one.
    """
    words: tuple[int, ...] = ()
    """Of each column, the word in which it lies."""
    shifts: tuple[int, ...] = ()
    """Of each column, where it lies within its word."""
    word_count: int = 0
    width: int = 0
    """Bits of a row."""
    own: list[WordNumbers] = field(factory=list)
    """Numbers of each word but the first."""
    before: list[WordNumbers] = field(factory=list)
    """Numbers of all words before each but the first."""

    def __attrs_post_init__(self) -> None:
        words, shifts, word, used = list[int](), list[int](), 0, 0
        for begin, end in self.spans or ((0, len(self.bits)),):
            if self.spans and used + sum(self.bits[begin:end]) > _MOST_BITS:
                word, used = word + 1, 0
            for bits in self.bits[begin:end]:
                words.append(word)
                shifts.append(used)
                used += bits
        self.words, self.shifts, self.word_count = tuple(words), tuple(shifts), word + 1
        self.width = 2 * _NUMBER_BITS if word else used
        self.own, self.before = ([WordNumbers(self.numpy) for _ in range(word)] for _ in range(2))

    def split(self, codes: RowCodes) -> list[RowCodes]:
        """Return the words of rows."""
        words = []
        for own, before in zip(reversed(self.own), reversed(self.before), strict=True):
            words.append(own.held.room.take(codes & _NUMBER_MASK))
            codes = before.held.room.take(codes >> _NUMBER_BITS)
        return [codes, *reversed(words)]

    def joined(self, words: Sequence[RowCodes]) -> RowCodes:
        """Return the rows of words."""
        codes = words[0]
        for word, own, before in zip(words[1:], self.own, self.before, strict=True):
            codes = before.numbers(codes) << _NUMBER_BITS | own.numbers(word)
        return codes

    def packed(self, columns: Sequence[RowCodes]) -> RowCodes:
        """Return rows, given the numbers in each column."""
        words = [columns[0] & 0 for _ in range(self.word_count)]
        for column, word, shift in zip(columns, self.words, self.shifts, strict=True):
            words[word] |= column << shift
        return self.joined(words)

    def columns(self, codes: RowCodes) -> list[RowCodes]:
        """Return the numbers in each column, of one row or of many at once."""
        words, places = self.split(codes), zip(self.words, self.shifts, self.bits, strict=True)
        return [(words[word] >> shift) & ((1 << bits) - 1) for word, shift, bits in places]

    def column_ids(self, codes: RowCodes, column: int) -> RowCodes:
        """Return the numbers in a column, of many rows at once."""
        word = self.split(codes)[self.words[column]]
        return (word >> self.shifts[column]) & ((1 << self.bits[column]) - 1)

    def code(self, row: Row) -> int:
        """Return the number of a row."""
        words = [0] * self.word_count
        for number, word, shift in zip(row, self.words, self.shifts, strict=True):
            words[word] |= number << shift
        if not self.own:
            return words[0]
        return int(self.joined([self.numpy.array([word]) for word in words])[0])

    def row(self, code: int) -> Row:
        """Return the row of a number."""
        return tuple(map(int, self.columns(code)))

    def key_runs(self, columns: tuple[int, ...]) -> list[tuple[int, int, int]]:
        """Return how to gather columns into a key: (shift, mask, place) of neighbours together."""
        key_runs: list[tuple[int, int, int]] = []
        offset, last = 0, -2
        for column in columns:
            if column == last + 1:
                shift, mask, at = key_runs[-1]
                key_runs[-1] = (
                    shift,
                    mask | ((1 << self.bits[column]) - 1) << (self.shifts[column] - shift),
                    at,
                )
            else:
                key_runs.append((self.shifts[column], (1 << self.bits[column]) - 1, offset))
            offset, last = offset + self.bits[column], column
        return key_runs

    def mask(self, columns: Iterable[int]) -> int:
        """Return the bits of a row in which columns lie."""
        return sum(((1 << self.bits[column]) - 1) << self.shifts[column] for column in columns)

    def key_bits(self, columns: tuple[int, ...]) -> int:
        """Return how many bits a key of these columns has."""
        return sum(self.bits[column] for column in columns)

    def ids(self, keys: RowCodes, columns: tuple[int, ...]) -> list[Row]:
        """Return the numbers that each of many keys was gathered from."""
        if not columns:
            return [()] * len(keys)
        parts = []
        for column in columns:
            parts.append((keys & ((1 << self.bits[column]) - 1)).tolist())
            keys = keys >> self.bits[column]
        return list(zip(*parts, strict=True))

    def keys(self, codes: RowCodes, runs: list[tuple[int, int, int]]) -> RowCodes:
        """Gather columns of many rows at once."""
        gathered = None
        for shift, mask, offset in runs:
            part = (codes >> shift) & mask
            gathered = (
                (part << offset if offset else part)
                if gathered is None
                else gathered | (part << offset)
            )
        return codes & 0 if gathered is None else gathered


def repacked(old: Packing, codes: RowCodes, new: Packing) -> RowCodes:
    """Return rows in another packing."""
    return new.packed(old.columns(codes))


def column_bits(model: Model, spare: int) -> tuple[int, ...]:
    """Return bits for the values of each column that are known now.

    Args:
        model: its columns.
        spare: bits to grow, for each column that has not all its values at the beginning.
    """
    return tuple(
        (
            (len(column.values) - 1).bit_length()
            if column.is_fixed
            else max(len(column.values) - 1, 1).bit_length() + spare
        )
        for column in model.columns
    )


def roomy_packing(model: Model) -> Packing | None:
    """Return a packing with bits to grow, as many as there are; None where 62 bits do not do
    without any.
    """
    for spare in (2, 1, 0):
        bits = column_bits(model, spare)
        if sum(bits) <= _MOST_BITS:
            return Packing(bits)
    return None


def suitable_packing(model: Model, numpy: Any, *, is_kept: bool) -> Packing | None:
    """Return a packing: of several words for what needs them, where no file keeps the search; None
    where there is none, as a part needs more than one.
    """
    packing = roomy_packing(model)
    if packing is not None or is_kept:
        return packing
    bits = column_bits(model, 2)
    parts = [(block.columns.start, block.columns.stop) for block in model.blocks]
    beside = range(parts[-1][1] if parts else 0, len(bits))
    spans = (*parts, *((column, column + 1) for column in beside))
    fits = all(sum(bits[begin:end]) <= _MOST_BITS for begin, end in spans)
    return Packing(bits, numpy, spans) if fits else None


@frozen(eq=False)
class BlockPlace:
    """Where a part lies within the words of a row, as if it were a row of its own."""

    block: PartBlock
    word: int
    shift: int
    packing: Packing
    """Of the part alone; the same for all of a kind."""
    is_all: bool
    """Whether there is nothing else."""

    def codes(self, words: Sequence[RowCodes]) -> RowCodes:
        """Return the part of each row, given as words."""
        if self.is_all:
            return words[self.word]
        return (words[self.word] >> self.shift) & ((1 << self.packing.width) - 1)


def block_places(model: Model, packing: Packing) -> list[BlockPlace]:
    """Return where each part lies."""
    packings, places = dict[PartKind, Packing](), list[BlockPlace]()
    for block in model.blocks:
        first = block.offset
        own = packings.get(block.kind)
        if own is None:
            own = packings[block.kind] = Packing(packing.bits[first : block.columns.stop])
        is_all = block.kind.width == len(packing.bits)
        places.append(BlockPlace(block, packing.words[first], packing.shifts[first], own, is_all))
    return places
