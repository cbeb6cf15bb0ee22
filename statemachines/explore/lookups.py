"""What rules and conditions say, as arrays: asked once for a key, then looked up for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from attrs import define, field

from statemachines.explore.columns import Row
from statemachines.explore.distinct import Places, distinct
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.rules import Rule
from statemachines.explore.watching import Condition

DENSE = 20
"""Bits of a key up to which every key has its place in an array."""
Array = Any
Lock = AbstractContextManager[object]
"""Held by the thread that asks a rule or a condition; the same one for all of a search."""


class NoRoom(Exception):
    """A value has a number for which its column has no bits."""


@define(eq=False)
class Index:
    """Keys to places, given in the order in which keys are met.

    Several threads may ask: one that meets a new key fills it while it holds the lock, the others read what is there.
    """

    numpy: Any
    bits: int
    fill: Callable[[int], None]
    """Is told each new key, in order."""
    lock: Lock
    dense: Array = None
    sparse: Places = field(init=False)
    known: dict[int, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.sparse = Places(self.numpy)
        if self.bits <= DENSE:
            self.dense = self.numpy.full(1 << self.bits, -1, dtype=self.numpy.intp)

    def places(self, keys: Codes) -> Array:
        """Return the place of each key; new keys get one."""
        places = self._look(keys)
        if len(places) and places.min() < 0:
            with self.lock:
                for key in distinct(self.numpy, keys[places < 0]).tolist():
                    self._new(key)
            places = self._look(keys)
        return places

    def _look(self, keys: Codes) -> Array:
        return self.sparse.of(keys) if self.dense is None else self.dense.take(keys)

    def _new(self, key: int) -> None:
        if key in self.known:
            return
        self.fill(key)
        place = self.known[key] = len(self.known)
        if self.dense is None:
            self.sparse.add(key, place)
        else:
            self.dense[key] = place


@define(eq=False)
class Steps:
    """What some events that look at the same columns do, for one copy."""

    numpy: Any
    packing: Packing
    rules: tuple[Rule, ...]
    reads: tuple[int, ...]
    lock: Lock
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
        self.index = Index(self.numpy, self.packing.key_bits(self.reads), self._fill, self.lock)

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
                if any(after >> self.packing.bits[column] for column, after in outcome.sets):
                    raise NoRoom
                deltas.append(sum((after - before[column]) << self.packing.shifts[column] for column, after in outcome.sets))
        self.deltas.append(deltas)
        self.turned_down.append(turned_down)
        self.wrong.append(wrong)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array]:
        """By place: how many steps, what each adds (a row a step), whether one changes something, how many are turned down, faults."""
        made = self._made
        if made[0] != len(self.index.known):
            with self.lock:
                made = self._made = self._make()
        return made[1:]

    def _make(self) -> tuple[int, Array, Array, Array, Array, Array]:
        numpy, counts = self.numpy, [len(one) for one in self.deltas]
        added = numpy.zeros((max(counts, default=0), len(counts)), dtype=numpy.int64)
        for place, one in enumerate(self.deltas):
            added[: len(one), place] = one
        changes = added.any(axis=0) if len(added) else numpy.zeros(len(counts), dtype=bool)
        wrong = numpy.array(self.wrong, dtype=bool)
        return len(counts), numpy.array(counts), added, changes, numpy.array(self.turned_down), wrong

    def places(self, codes: Codes, copy: int) -> Array:
        """Return the place of each row's key."""
        return self.index.places(self.packing.keys(codes, self.runs, copy))


@define(eq=False)
class Answers:
    """What a condition says of many rows at once."""

    numpy: Any
    packing: Packing
    condition: Condition
    lock: Lock
    now: list[tuple[int, int, int]] = field(init=False)
    old: list[tuple[int, int, int]] = field(init=False)
    index: Index = field(init=False)
    said: list[bool] = field(factory=list)
    _made: Array = None

    def __attrs_post_init__(self) -> None:
        self.now, self.old = self.packing.runs(self.condition.reads), self.packing.runs(self.condition.before)
        bits = self.packing.key_bits(self.condition.reads) + self.packing.key_bits(self.condition.before)
        self.index = Index(self.numpy, bits, self._fill, self.lock)

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
        return self._array(len(self.index.known)).take(places)

    def _array(self, many: int) -> Array:
        """Return what was said of keys, of `many` at least."""
        made = self._made
        if made is None or len(made) < many:
            made = self._made = self.numpy.array(self.said, dtype=bool)
        return made
