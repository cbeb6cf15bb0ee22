"""What is known of an event's arguments by the columns around them: the distinct ones, and where
these columns decide it, what is done with each and what that adds to a row.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from statemachines.explore.arrays.cell_tables import RowClassPairs
from statemachines.explore.arrays.forest_tables import GrowingArray
from statemachines.explore.arrays.lookup_tables import Array


@define(eq=False)
class ArgumentEntries:
    """Entries by key: one for each sign of the arguments that are there."""

    numpy: Any
    counts: GrowingArray = field(init=False)
    """By key: how many entries it has; -1 where nothing was drawn yet."""
    begins: GrowingArray = field(init=False)
    """By key: where its entries begin."""
    disabled: GrowingArray = field(init=False)
    """By key: how many arguments nothing takes, where that is known."""
    classes: GrowingArray = field(init=False)
    """By entry: the sign."""
    weights: GrowingArray = field(init=False)
    """By entry: how many arguments have it."""
    decided: GrowingArray = field(init=False)
    """By entry: what is decided, where that is known."""
    added: GrowingArray = field(init=False)
    """By entry: what the known part of its effects adds to a row."""
    most_weight: int = 1

    def __attrs_post_init__(self) -> None:
        numpy = self.numpy
        self.counts = GrowingArray(numpy, numpy.int64, fill=-1)
        self.begins, self.disabled, self.added = (
            GrowingArray(numpy, numpy.int64) for _ in range(3)
        )
        self.classes, self.weights, self.decided = (
            GrowingArray(numpy, numpy.int32) for _ in range(3)
        )

    def make_room(self, keys: int) -> None:
        """Make room for so many keys."""
        for one in (self.counts, self.begins, self.disabled):
            one.extend(max(keys - one.size, 0))

    def add(
        self,
        keys: Array,
        pairs: RowClassPairs,
        decided: Array | None = None,
        added: Array | None = None,
        disabled: Array | None = None,
    ) -> None:
        """Add the entries of keys.

        Args:
            keys: each once.
            pairs: entries, by the places of their keys, in order.
            decided: of each entry what is decided; None: that is not known.
            added: of each entry what is known to be added to a row.
            disabled: of each key how many arguments nothing takes.
        """
        numpy = self.numpy
        counts = numpy.bincount(pairs.rows, minlength=len(keys))
        self.begins.room[keys] = self.classes.size + numpy.cumsum(counts) - counts
        values = (pairs.classes, pairs.weights, decided, added)
        arrays = (self.classes, self.weights, self.decided, self.added)
        for array, new in zip(arrays, values, strict=True):
            if new is not None:
                array.add(new)
        if disabled is not None:
            self.disabled.room[keys] = disabled
        self.most_weight = max(self.most_weight, int(pairs.weights.max(initial=1)))
        self.counts.room[keys] = counts  # last: an interrupt before this has them learned again

    def paired(self, keys: Array, many: Array) -> tuple[Array, Array]:
        """Pair rows with the entries of their keys.

        Args:
            keys: of each row.
            many: of each row, how many entries its key has.

        Returns:
            Of each pair the place of its row, and the entry.
        """
        numpy = self.numpy
        rows = numpy.repeat(numpy.arange(len(keys)), many)
        offsets = self.begins.room.take(keys) - (numpy.cumsum(many) - many)
        return rows, numpy.arange(len(rows)) + offsets.take(rows)
