"""Rows as whole numbers: each column has some of 64 bits, and gets more when it needs them."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row

RowCodes = Any
"""An array of numpy: int64, one row of the model each."""
_MOST_BITS = 62


@define(eq=False)
class Packing:
    """Where each column of one copy lies within a number; the copies lie one above the other."""

    bits: tuple[int, ...]
    shifts: tuple[int, ...] = ()
    width: int = field(default=0)
    """Bits of one copy."""

    def __attrs_post_init__(self) -> None:
        offsets, width = [], 0
        for bits in self.bits:
            offsets.append(width)
            width += bits
        self.shifts, self.width = tuple(offsets), width

    def code(self, row: Row) -> int:
        """Return the number of a row."""
        columns, code = len(self.bits), 0
        for index, number in enumerate(row):
            copy, column = divmod(index, columns)
            code |= number << (copy * self.width + self.shifts[column])
        return code

    def row(self, code: int, copies: int) -> Row:
        """Return the row of a number."""
        return tuple(
            self.column_id(code >> copy * self.width, column)
            for copy in range(copies)
            for column in range(len(self.bits))
        )

    def column_id(self, code: int, column: int) -> int:
        """Return the number in a column of the first copy."""
        return (code >> self.shifts[column]) & ((1 << self.bits[column]) - 1)

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

    def mask(self, columns: tuple[int, ...], copy: int) -> int:
        """Return the bits of a row in which columns of a copy lie."""
        within = sum(((1 << self.bits[one]) - 1) << self.shifts[one] for one in columns)
        return within << (copy * self.width)

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

    def column_ids(self, codes: RowCodes, column: int) -> RowCodes:
        """Return the numbers in a column of the first copy, of many rows at once."""
        return (codes >> self.shifts[column]) & ((1 << self.bits[column]) - 1)

    def keys(self, codes: RowCodes, runs: list[tuple[int, int, int]], copy: int) -> RowCodes:
        """Gather columns of many rows at once."""
        base, found = copy * self.width, None
        for shift, mask, offset in runs:
            part = (codes >> (base + shift)) & mask
            found = (
                (part << offset if offset else part) if found is None else found | (part << offset)
            )
        return codes & 0 if found is None else found

    def repacked(self, codes: RowCodes, other: Packing, copies: int) -> RowCodes:
        """Return the same rows in another packing."""
        repacked = codes & 0
        for copy in range(copies):
            for column, shift in enumerate(self.shifts):
                part = (codes >> (copy * self.width + shift)) & ((1 << self.bits[column]) - 1)
                repacked |= part << (copy * other.width + other.shifts[column])
        return repacked


def _new_packing(model: Model, spare: int = 0) -> Packing | None:
    """Return a packing for the values that are known now; None where 62 bits do not do.

    Args:
        model: its columns.
        spare: bits to grow, for each column that has not all its values at the beginning.
    """
    fixed = model.fixed_columns
    bits = [
        (
            (len(column.values) - 1).bit_length()
            if index in fixed
            else max(len(column.values) - 1, 1).bit_length() + spare
        )
        for index, column in enumerate(model.columns)
    ]
    return Packing(tuple(bits)) if sum(bits) * model.copies <= _MOST_BITS else None


def roomy_packing(model: Model) -> Packing | None:
    """Return a packing with bits to grow, as many as there are; None where 62 bits do not do
    without any.
    """
    return next(
        (packing for spare in (2, 1, 0) if (packing := _new_packing(model, spare)) is not None),
        None,
    )
