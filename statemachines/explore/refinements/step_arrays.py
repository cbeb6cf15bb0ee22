"""Many steps at once, looked at as steps of an abstract machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import define, field

from statemachines.explore.arrays.forest_tables import GrowingArray
from statemachines.explore.arrays.lookup_tables import LookupIndex
from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.refinements.refined_steps import RefinedSteps

_MOST_KEY_BITS = 62
"""Bits of a number that stands for several values together."""
_PREFIX_BITS = 31
"""Bits of a number that stands for what the first columns hold."""


class ConditionValues(Protocol):
    """What conditions are, under one packing."""

    def __call__(self, condition: Condition, codes: Any, before: Any | None = None) -> Any:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""


@define(eq=False)
class RefinedStepTables:
    """What is known of the steps of abstract machines, looked up for many steps at once."""

    numpy: Any
    tables: dict[int, _PairTable] = field(factory=dict)
    """By `id` of a claim."""

    def hold(self, claim: RefinedSteps, before: Any, after: Any, values: ConditionValues) -> Any:
        """Tell of steps whether they are steps of an abstract machine: each of its steps is asked
        once.

        Complexity: as for a condition over each of its columns, and a look-up of the steps that
            change something there.
        """
        numpy = self.numpy
        old = [values(value, before) for value in claim.mapped]
        new = [values(value, after) for value in claim.mapped]
        holds = numpy.ones(len(before), dtype=bool)
        changed = numpy.zeros(len(before), dtype=bool)
        for mine, theirs in zip(old, new, strict=True):
            changed |= mine != theirs
        if claim.guard is not None:
            changed &= values(claim.guard, after)
        positions = numpy.flatnonzero(changed)
        if len(positions):
            pairs = [column.take(positions) for column in (*old, *new)]
            holds[positions] = self._table(claim).are_steps(pairs)
        return holds

    def _table(self, claim: RefinedSteps) -> _PairTable:
        if id(claim) not in self.tables:
            self.tables[id(claim)] = _PairTable(self.numpy, claim)
        return self.tables[id(claim)]


@define(eq=False)
class _PairTable:
    """Pairs of rows of an abstract machine: whether one leads to the other."""

    numpy: Any
    claim: RefinedSteps
    bits: list[int] = field(factory=list)
    """Of each column of both rows: the bits that its numbers have in a key."""
    prefixes: list[LookupIndex] = field(factory=list)
    """Numbers for what the first columns hold, where a key would have too many bits."""
    index: LookupIndex = field(init=False)
    answers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.prefixes = []
        self.index = LookupIndex(self.numpy, _MOST_KEY_BITS)
        self.answers = GrowingArray(self.numpy, bool)

    def are_steps(self, columns: Sequence[Any]) -> Any:
        """Tell of each pair, given as the columns of the first rows and of the second, whether it
        is a step.
        """
        self._make_room([int(column.max()).bit_length() for column in columns])
        places = self.index.indices(self._keys(columns))
        if self.index.count > self.answers.size:
            self._ask(columns, places)
        return self.answers.room.take(places)

    def _make_room(self, bits: list[int]) -> None:
        """Make all keys anew where a number has more bits than any before."""
        if not self.bits or any(more > had for more, had in zip(bits, self.bits, strict=True)):
            self.bits = [max(one) for one in zip(bits, self.bits or bits, strict=True)]
            self._begin()

    def _keys(self, columns: Sequence[Any]) -> Any:
        """Return a number for each combination of columns."""
        keys, used, prefixes = self.numpy.zeros(len(columns[0]), dtype=self.numpy.int64), 0, 0
        for column, bits in zip(columns, self.bits, strict=True):
            if used + bits > _MOST_KEY_BITS:
                keys, used = self._prefix(prefixes).indices(keys), _PREFIX_BITS
                prefixes += 1
            keys, used = keys << bits | column, used + bits
        return keys

    def _prefix(self, number: int) -> LookupIndex:
        if number == len(self.prefixes):
            self.prefixes.append(LookupIndex(self.numpy, _MOST_KEY_BITS))
        return self.prefixes[number]

    def _ask(self, columns: Sequence[Any], places: Any) -> None:
        """Ask of pairs that were not met before, in the order of their places."""
        numpy, width = self.numpy, len(columns) // 2
        new = numpy.flatnonzero(places >= self.answers.size)
        firsts = new.take(numpy.unique(places.take(new), return_index=True)[1])
        for one in zip(*(column.take(firsts).tolist() for column in columns), strict=True):
            self.answers.append(self.claim.is_step(one[:width], one[width:]))
