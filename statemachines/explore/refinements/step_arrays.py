"""Many steps at once, looked at as steps of an abstract machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import GrowingArray, LookupIndex
from statemachines.explore.arrays.packing import Packing, column_bits
from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.refinements.refined_steps import RefinedSteps

_MOST_KEY_BITS = 62
"""Bits of a key."""
_MOST_ROW_BITS = 31
"""Bits of a row of an abstract machine up to which it stands for itself in a pair of rows."""
_NUMBER_BITS = 31
"""Bits of the number that stands for a longer one."""
_SPARE_BITS = 2
"""Bits to grow of a column."""
ALL_BITS = -1
"""The bits of a row where it is not known which of them the abstract machine looks at."""


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

    def hold(
        self,
        claim: RefinedSteps,
        before: Any,
        after: Any,
        values: ConditionValues,
        looked_at: int = ALL_BITS,
    ) -> Any:
        """Tell of steps whether they are steps of an abstract machine: each of its steps is asked
        once.

        Args:
            claim: what they are claimed to be.
            before: the rows that they leave.
            after: the rows that they lead to.
            values: what conditions are in rows.
            looked_at: the bits of a row at which the abstract machine's columns look: a step that
                changes none of them is no step there.

        Complexity: of the steps that change such a bit, as for a condition over each of its
            columns, and a look-up of those that change something there.
        """
        numpy = self.numpy
        holds = numpy.ones(len(before), dtype=bool)
        places = numpy.flatnonzero((before ^ after) & looked_at)
        if not len(places):
            return holds
        before, after = before.take(places), after.take(places)
        if claim.guard is not None:
            guarded = values(claim.guard, after)
            before, after = before.compress(guarded), after.compress(guarded)
            places = places.compress(guarded)
        old = [values(mapped, before) for mapped in claim.mapped]
        new = [values(mapped, after) for mapped in claim.mapped]
        holds[places] = self._table(claim).are_steps(old, new)
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
    packing: Packing = field(init=False)
    """Of the rows."""
    rows: LookupIndex = field(init=False)
    """Numbers for rows that are too long to stand for themselves."""
    index: LookupIndex = field(init=False)
    answers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        bits = column_bits(self.claim.abstract.model, _SPARE_BITS)
        single = tuple((column, column + 1) for column in range(len(bits)))
        self.packing = Packing(bits, self.numpy, single)
        self.rows = LookupIndex(self.numpy, _MOST_KEY_BITS)
        row_bits = _NUMBER_BITS if self._is_numbered else self.packing.width
        self.index = LookupIndex(self.numpy, 2 * row_bits)
        self.answers = GrowingArray(self.numpy, bool)

    @property
    def _is_numbered(self) -> bool:
        """Whether rows are too long to stand for themselves."""
        return self.packing.width > _MOST_ROW_BITS

    def are_steps(self, old: Sequence[Any], new: Sequence[Any]) -> Any:
        """Tell of each pair, given as the columns of the first rows and of the second, whether it
        is a step, or no change.
        """
        numpy, columns = self.numpy, self.claim.abstract.model.columns
        pairs = zip(columns, self.packing.bits, strict=True)
        if any(len(column.values) > 1 << bits for column, bits in pairs):
            self._begin()
        before, after = (self._numbers(self.packing.packed(side)) for side in (old, new))
        steps = numpy.ones(len(before), dtype=bool)
        changed = numpy.flatnonzero(before != after)
        if len(changed):
            places = self.index.indices(
                before.take(changed) << self.index.bits // 2 | after.take(changed)
            )
            if self.index.count > self.answers.size:
                self._ask([column.take(changed) for column in (*old, *new)], places)
            steps[changed] = self.answers.room.take(places)
        return steps

    def _numbers(self, codes: Any) -> Any:
        return self.rows.indices(codes) if self._is_numbered else codes

    def _ask(self, columns: Sequence[Any], places: Any) -> None:
        """Ask of pairs that were not met before, in the order of their places."""
        numpy, width = self.numpy, len(columns) // 2
        new = numpy.flatnonzero(places >= self.answers.size)
        firsts = new.take(numpy.unique(places.take(new), return_index=True)[1])
        pairs = zip(*(column.take(firsts).tolist() for column in columns), strict=True)
        self.answers.add([self.claim.is_step(pair[:width], pair[width:]) for pair in pairs])
