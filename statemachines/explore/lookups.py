"""What rules and conditions say, as arrays: asked once for a key, then looked up for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from statemachines.explore.columns import Row
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.rules import Rule
from statemachines.explore.watching import Condition

DENSE = 20
"""Bits of a key up to which every key has its place in an array."""
Array = Any


@define(eq=False)
class Index:
    """Keys to places, given in the order in which keys are met."""

    numpy: Any
    bits: int
    fill: Callable[[int], None]
    """Is told each new key, in order."""
    dense: Array = None
    known: dict[int, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if self.bits <= DENSE:
            self.dense = self.numpy.full(1 << self.bits, -1, dtype=self.numpy.intp)

    def places(self, keys: Codes) -> Array:
        """Return the place of each key; new keys get one."""
        if self.dense is None:
            return self._sparse(keys)
        places = self.dense[keys]
        if len(places) and places.min() < 0:
            for key in self.numpy.unique(keys[places < 0]).tolist():
                self.dense[key] = self._new(key)
            places = self.dense[keys]
        return places

    def _sparse(self, keys: Codes) -> Array:
        distinct, back = self.numpy.unique(keys, return_inverse=True)
        found = [self.known[key] if key in self.known else self._new(key) for key in distinct.tolist()]
        return self.numpy.array(found, dtype=self.numpy.intp)[back]

    def _new(self, key: int) -> int:
        place = self.known[key] = len(self.known)
        self.fill(key)
        return place


@define(eq=False)
class Steps:
    """What some events that look at the same columns do, for one copy."""

    numpy: Any
    packing: Packing
    rules: tuple[Rule, ...]
    reads: tuple[int, ...]
    runs: list[tuple[int, int, int]] = field(factory=list)
    index: Index = field(init=False)
    deltas: list[list[int]] = field(factory=list)
    """By key: what each step adds to a code."""
    turned_down: list[int] = field(factory=list)
    wrong: list[bool] = field(factory=list)
    leaves: bool = False
    _made: tuple[int, Array, Array, Array, Array, Array] = field(default=(-1, None, None, None, None, None))

    def __attrs_post_init__(self) -> None:
        self.runs = self.packing.runs(self.reads)
        self.index = Index(self.numpy, self.packing.key_bits(self.reads), self._fill)

    def _fill(self, key: int) -> None:
        numbers = self.packing.numbers(key, self.reads)
        before = dict(zip(self.reads, numbers, strict=True))
        deltas, turned_down, wrong = [], 0, False
        for rule in self.rules:
            doings = rule.doings(numbers)
            turned_down += doings.turned_down
            wrong = wrong or bool(doings.wrong)
            for outcome in doings.outcomes:
                self.leaves = self.leaves or outcome.leaves
                deltas.append(sum((after - before[column]) << self.packing.shifts[column] for column, after in outcome.sets))
        self.deltas.append(deltas)
        self.turned_down.append(turned_down)
        self.wrong.append(wrong)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array]:
        """By place: how many steps, what each adds (a row a step), whether one changes something, how many are turned down, faults."""
        if self._made[0] != len(self.deltas):
            numpy, counts = self.numpy, [len(one) for one in self.deltas]
            added = numpy.zeros((max(counts, default=0), len(counts)), dtype=numpy.int64)
            for place, one in enumerate(self.deltas):
                added[: len(one), place] = one
            changes = added.any(axis=0) if len(added) else numpy.zeros(len(counts), dtype=bool)
            made = numpy.array(counts), added, changes, numpy.array(self.turned_down), numpy.array(self.wrong, dtype=bool)
            self._made = (len(counts), *made)
        return self._made[1:]

    def places(self, codes: Codes, copy: int) -> Array:
        """Return the place of each row's key."""
        return self.index.places(self.packing.keys(codes, self.runs, copy))


@define(eq=False)
class Answers:
    """What a condition says of many rows at once."""

    numpy: Any
    packing: Packing
    condition: Condition
    now: list[tuple[int, int, int]] = field(init=False)
    old: list[tuple[int, int, int]] = field(init=False)
    index: Index = field(init=False)
    said: list[bool] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.now, self.old = self.packing.runs(self.condition.reads), self.packing.runs(self.condition.before)
        bits = self.packing.key_bits(self.condition.reads) + self.packing.key_bits(self.condition.before)
        self.index = Index(self.numpy, bits, self._fill)

    def _fill(self, key: int) -> None:
        shift = self.packing.key_bits(self.condition.reads)
        now: Row = self.packing.numbers(key & ((1 << shift) - 1), self.condition.reads)
        self.said.append(self.condition.of(now, self.packing.numbers(key >> shift, self.condition.before)))

    def of(self, codes: Codes, copy: int, before: Codes | None = None) -> Array:
        """Tell of each row whether the condition holds (`before`: the row before the step)."""
        keys = self.packing.keys(codes, self.now, copy)
        if before is not None and self.old:
            keys = keys | self.packing.keys(before, self.old, copy) << self.packing.key_bits(self.condition.reads)
        places = self.index.places(keys)
        return self.numpy.array(self.said, dtype=bool)[places]
