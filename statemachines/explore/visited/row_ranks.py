"""Which rows of a level count where they are too many: by a hash of what a row holds, the same
whichever engine numbered its values, and in whatever order it met them.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from statemachines.explore.checkpoints.value_fingerprints import fingerprint_values
from statemachines.explore.models.row_columns import Row, ValueColumn

_FACTOR = 0x9E3779B97F4A7C15
"""Odd: its powers tell the columns of a row apart."""
_WORD = (1 << 64) - 1
RANK_BITS = 63


@define(eq=False)
class RowRanks:
    """A number for each row: those with the least ones count."""

    columns: Sequence[ValueColumn]
    """Of a row; what stands beyond them (clocks) is a number itself."""
    hashes: dict[int, list[int]] = field(factory=dict)
    """By `id` of a column, which parts of a kind share: of each of its values."""

    def rank(self, row: Row) -> int:
        """Return the rank of a row."""
        many = len(self.columns)
        whole = sum(_factor(index) * number for index, number in enumerate(row[many:], many))
        for index, (column, number) in enumerate(zip(self.columns, row, strict=False)):
            whole += _factor(index) * self._hashes(column)[number]
        return (whole & _WORD) >> 1

    def terms(self, index: int) -> list[int]:
        """Return by number what a value in a column adds to twice the rank of a row."""
        return [_factor(index) * value & _WORD for value in self._hashes(self.columns[index])]

    def _hashes(self, column: ValueColumn) -> list[int]:
        known = self.hashes.setdefault(id(column), [])
        known += (int(fingerprint_values(new)[:16], 16) for new in column.values[len(known) :])
        return known


def _factor(index: int) -> int:
    return pow(_FACTOR, index + 1, 1 << 64)
