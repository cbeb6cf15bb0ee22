"""What conditions say of many rows at once: each is asked once for what it looks at. One of a part
is taken apart at `and`, `or`, `not` and their kin, where it looks at many columns and a piece at
fewer.
"""

from __future__ import annotations

from typing import Any, Protocol

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import MOST_DENSE_BITS, GrowingArray, LookupIndex
from statemachines.explore.arrays.forest_tables import ForestTable
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.models.row_columns import Row
from statemachines.explore.properties.row_conditions import PartClaim

_MOST_KEY_BITS = 62
"""Bits that a key may have."""


class ConditionAnswers(Protocol):
    """Answers for many rows at once."""

    def values(self, codes: RowCodes, before: RowCodes | None) -> Array:
        """Return what a condition is in each row (`before`: the row before the step)."""
        ...


def claim_table(numpy: Any, packing: Packing, claim: PartClaim | bool) -> ConditionAnswers:
    """Return what answers for a claim: one table where there are few keys, or nothing to take
    apart; else its pieces.
    """
    if isinstance(claim, bool):
        return _SameAnswer(numpy, claim)
    bits = packing.key_bits(claim.reads) + packing.key_bits(claim.reads_before)
    if bits > MOST_DENSE_BITS and claim.number is bool and _has_narrower_piece(claim, claim):
        test, yes, no = (claim_table(numpy, packing, piece) for piece in claim.choice() or ())
        return _ChoiceTable(numpy, test, yes, no)
    if bits > _MOST_KEY_BITS:
        kind = bool if claim.number is bool else numpy.int64
        return TreeAnswers(numpy, packing, ForestTable(numpy, claim.forest), kind)
    return _ClaimTable(numpy, packing, claim)


def _has_narrower_piece(whole: PartClaim, claim: PartClaim) -> bool:
    """Tell whether a piece of a claim looks at fewer columns than the whole."""
    pieces = [piece for piece in claim.choice() or () if isinstance(piece, PartClaim)]
    reads = whole.reads, whole.reads_before
    return any(
        (piece.reads, piece.reads_before) != reads or _has_narrower_piece(whole, piece)
        for piece in pieces
    )


@frozen(eq=False)
class _SameAnswer:
    """The same for all rows."""

    numpy: Any
    answer: bool

    def values(self, codes: RowCodes, before: RowCodes | None) -> Array:
        """Return it for each row."""
        return self.numpy.full(len(codes), self.answer)


@frozen(eq=False)
class _ChoiceTable:
    """One of two answers, by a third."""

    numpy: Any
    test: ConditionAnswers
    yes: ConditionAnswers
    no: ConditionAnswers

    def values(self, codes: RowCodes, before: RowCodes | None) -> Array:
        """Return what a condition is in each row: of each row only one of the two is asked."""
        values = self.test.values(codes, before)
        for places, answers in (
            (self.numpy.flatnonzero(values), self.yes),
            (self.numpy.flatnonzero(~values), self.no),
        ):
            earlier = None if before is None else before.take(places)
            values[places] = answers.values(codes.take(places), earlier)
        return values


@define(eq=False)
class _ClaimTable:
    """A claim, by what its columns hold."""

    numpy: Any
    packing: Packing
    claim: PartClaim
    runs: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]] = field(init=False)
    shift: int = field(init=False)
    """Where what stood before a step lies in a key."""
    index: LookupIndex = field(init=False)
    answers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        packing, now, old = self.packing, self.claim.reads, self.claim.reads_before
        self.runs, self.shift = (
            (packing.key_runs(now), packing.key_runs(old)),
            packing.key_bits(now),
        )
        self.index = LookupIndex(self.numpy, self.shift + packing.key_bits(old), self._fill)
        kind = bool if self.claim.number is bool else self.numpy.int64
        self.answers = GrowingArray(self.numpy, kind)

    def _fill(self, keys: RowCodes) -> None:
        now = self.packing.ids(keys, self.claim.reads)
        old = self.packing.ids(keys >> self.shift, self.claim.reads_before)
        self.answers.add([self.claim.value(*pair) for pair in zip(now, old, strict=True)])

    def values(self, codes: RowCodes, before: RowCodes | None) -> Array:
        """Return what it is in each row (`before`: the row before the step)."""
        now, old = self.runs
        keys = self.packing.keys(codes, now)
        if old and before is not None:
            keys = keys | self.packing.keys(before, old) << self.shift
        places = self.index.indices(keys)
        return self.answers.room.take(places)


@frozen(eq=False)
class TreeAnswers:
    """What may look at anything, by its tree."""

    numpy: Any
    packing: Packing
    tree: ForestTable
    kind: Any
    """Of its answers: truth values or numbers."""

    def values(self, codes: RowCodes, before: RowCodes | None) -> Array:
        """Return what it is in each row (`before`: the row before the step)."""
        packing, tree = self.packing, self.tree

        def row(place: int) -> Row:
            now = packing.row(int(codes[place]))
            return now if before is None else now + packing.row(int(before[place]))

        tree.use(packing)
        words = packing.split(codes) + ([] if before is None else packing.split(before))
        leaves = tree.leaves(words, None, row)
        return self.numpy.array(tree.forest.leaves, dtype=self.kind).take(leaves)
