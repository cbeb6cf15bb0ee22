"""What rules say, as arrays: asked once for a key, then looked up for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import LookupIndex
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor

Array = Any


class PackingOverflow(Exception):
    """A value has a number for which its column has no bits."""


@define(eq=False)
class StepTable:
    """What some events that look at the same columns of a part do."""

    numpy: Any
    packing: Packing
    memos: tuple[EventMemo, ...]
    reads: tuple[int, ...]
    runs: list[tuple[int, int, int]] = field(factory=list)
    index: LookupIndex = field(init=False)
    deltas: list[list[int]] = field(factory=list)
    """By key: what each step adds to a code."""
    keys: list[Row] = field(factory=list)
    """What the columns hold, by key."""
    disabled: list[int] = field(factory=list)
    faulty: list[bool] = field(factory=list)
    leaves_range: bool = False
    _made: tuple[int, Array, Array, Array, Array, Array] = field(
        default=(-1, None, None, None, None, None)
    )

    def __attrs_post_init__(self) -> None:
        self.runs = self.packing.key_runs(self.reads)
        self.index = LookupIndex(self.numpy, self.packing.key_bits(self.reads), self._fill)

    def _fill(self, keys: RowCodes) -> None:
        for numbers in self.packing.ids(keys, self.reads):
            self._ask(numbers)

    def _ask(self, numbers: Row) -> None:
        before = dict(zip(self.reads, numbers, strict=True))
        deltas, disabled, wrong = [], 0, False
        for rule in self.memos:
            successors = rule.successors(numbers)
            disabled += successors.disabled
            wrong = wrong or bool(successors.faults)
            for outcome in successors.successors:
                self.leaves_range = self.leaves_range or outcome.leaves_range
                if any(after >> self.packing.bits[column] for column, after in outcome.changes):
                    raise PackingOverflow
                deltas.append(
                    sum(
                        (after - before[column]) << self.packing.shifts[column]
                        for column, after in outcome.changes
                    )
                )
        self.keys.append(numbers)
        self.deltas.append(deltas)
        self.disabled.append(disabled)
        self.faulty.append(wrong)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array]:
        """By place: how many steps, what each adds (a row a step), whether one changes something,
        how many are turned down, faults.
        """
        if self._made[0] == self.index.count:
            return self._made[1:]
        numpy, counts = self.numpy, [len(delta) for delta in self.deltas]
        added = numpy.zeros((max(counts, default=0), len(counts)), dtype=numpy.int64)
        for place, delta in enumerate(self.deltas):
            added[: len(delta), place] = delta
        changes = added.any(axis=0) if len(added) else numpy.zeros(len(counts), dtype=bool)
        wrong = numpy.array(self.faulty, dtype=bool)
        arrays = numpy.array(counts), added, changes, numpy.array(self.disabled), wrong
        self._made = len(counts), *arrays
        return arrays

    def labels(self, label: Callable[[EventMemo, Successor], int]) -> Array:
        """Return the labels of steps: by what `arrays` has of what they add."""
        labels = self.numpy.zeros(self.arrays[1].shape, dtype=self.numpy.int64)
        for place, numbers in enumerate(self.keys):
            taken = (
                label(rule, outcome)
                for rule in self.memos
                for outcome in rule.successors(numbers).successors
            )
            for number, step_label in enumerate(taken):
                labels[number, place] = step_label
        return labels

    def indices(self, codes: RowCodes) -> Array:
        """Return the place of each row's key."""
        return self.index.indices(self.packing.keys(codes, self.runs))
