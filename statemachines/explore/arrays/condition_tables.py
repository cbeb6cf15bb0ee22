"""What conditions say of many rows at once: each is asked once for what it looks at, taken apart at
`and`, `or`, `not` and their kin where a piece looks at fewer columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Protocol

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import MOST_DENSE_BITS, GrowingArray, LookupIndex
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.properties.row_conditions import RowCondition, build_condition
from statemachines.model.language.expression_nodes import (
    BooleanOperation,
    Conditional,
    Expression,
    Implies,
    Not,
)


@frozen(eq=False)
class ConditionChoice:
    """One of two conditions, by a third: the other one is not looked at, so that what makes a
    condition safe is looked at before it.
    """

    test: ConditionPiece
    yes: ConditionPiece
    no: ConditionPiece


ConditionPiece = RowCondition | ConditionChoice | bool


def split_condition(condition: RowCondition) -> ConditionChoice | None:
    """Take a condition apart at its outermost operator; None where that is none of logic, or no
    piece looks at fewer columns than the whole.
    """
    if condition.number is not bool:
        return None
    choice = _choice(condition, condition.node)
    if choice is None or all(_reads_all(condition, leaf) for leaf in _leaves(choice)):
        return None
    return choice


def _choice(whole: RowCondition, node: Expression) -> ConditionChoice | None:
    match node:
        case BooleanOperation(operator="and"):
            return _chain(whole, node.operands, ends_at=False)
        case BooleanOperation():
            return _chain(whole, node.operands, ends_at=True)
        case Not():
            return ConditionChoice(_piece(whole, node.operand), False, True)
        case Implies():
            return ConditionChoice(
                _piece(whole, node.condition), _piece(whole, node.consequence), True
            )
        case Conditional():
            return ConditionChoice(
                _piece(whole, node.test), _piece(whole, node.yes), _piece(whole, node.no)
            )
    return None


def _chain(
    whole: RowCondition, operands: Sequence[Expression], *, ends_at: bool
) -> ConditionChoice:
    """Return operands from left to right, up to the first one that is as named."""

    def before(rest: ConditionPiece, node: Expression) -> ConditionPiece:
        piece = _piece(whole, node)
        return (
            ConditionChoice(piece, True, rest) if ends_at else ConditionChoice(piece, rest, False)
        )

    start: ConditionPiece = not ends_at
    chosen = reduce(before, reversed(operands), start)
    assert isinstance(chosen, ConditionChoice)
    return chosen


def _piece(whole: RowCondition, node: Expression) -> RowCondition:
    return build_condition(
        whole.tables, whole.columns, node, whole.bound, memos=whole.memos.values()
    )


def _leaves(piece: ConditionPiece) -> list[RowCondition]:
    match piece:
        case ConditionChoice():
            return [leaf for part in (piece.test, piece.yes, piece.no) for leaf in _leaves(part)]
        case RowCondition():
            return [piece]
    return []


def _reads_all(whole: RowCondition, piece: RowCondition) -> bool:
    return (piece.reads, piece.reads_before) == (whole.reads, whole.reads_before)


_MOST_KEY_BITS = 62
"""Bits that a key may have."""
_NUMBER_BITS = 31
"""Bits of each of two numbers that stand for keys which together have more."""


class ConditionAnswers(Protocol):
    """Answers for many rows at once."""

    def values(self, codes: RowCodes, before: RowCodes | None = None) -> Array:
        """Return what a condition is in each row (`before`: the row before the step)."""
        ...


def build_condition_table(
    numpy: Any, packing: Packing, condition: ConditionPiece
) -> ConditionAnswers:
    """Return what answers for a condition: one table where there are few keys, or nothing to take
    apart; else its pieces.
    """
    if isinstance(condition, RowCondition):
        if not condition.reads and not condition.reads_before:
            return _SameAnswer(numpy, condition.compute((), ()))
        bits = packing.key_bits(condition.reads) + packing.key_bits(condition.reads_before)
        choice = split_condition(condition) if bits > MOST_DENSE_BITS else None
        return (
            ConditionTable(numpy, packing, condition)
            if choice is None
            else build_condition_table(numpy, packing, choice)
        )
    if isinstance(condition, ConditionChoice):
        test, yes, no = (
            build_condition_table(numpy, packing, branch)
            for branch in (condition.test, condition.yes, condition.no)
        )
        return _ChoiceTable(numpy, test, yes, no)
    return _SameAnswer(numpy, condition)


@frozen(eq=False)
class _SameAnswer:
    """The same for all rows."""

    numpy: Any
    answer: int

    def values(self, codes: RowCodes, before: RowCodes | None = None) -> Array:
        """Return it for each row."""
        return self.numpy.full(len(codes), self.answer)


@frozen(eq=False)
class _ChoiceTable:
    """One of two answers, by a third."""

    numpy: Any
    test: ConditionAnswers
    yes: ConditionAnswers
    no: ConditionAnswers

    def values(self, codes: RowCodes, before: RowCodes | None = None) -> Array:
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
class ConditionTable:
    """What a condition says of many rows at once."""

    numpy: Any
    packing: Packing
    condition: RowCondition
    after_runs: list[tuple[int, int, int]] = field(init=False)
    before_runs: list[tuple[int, int, int]] = field(init=False)
    numbered: tuple[LookupIndex, LookupIndex] | None = None
    """Numbers of what stands after a step and before, where both together have too many bits."""
    numbered_keys: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    index: LookupIndex = field(init=False)
    answers: GrowingArray = field(init=False)

    def __attrs_post_init__(self) -> None:
        numpy, packing, condition = self.numpy, self.packing, self.condition
        self.after_runs = packing.key_runs(condition.reads)
        self.before_runs = packing.key_runs(condition.reads_before)
        after, before = packing.key_bits(condition.reads), packing.key_bits(condition.reads_before)
        if self.before_runs and after + before > _MOST_KEY_BITS:
            now, old = self.numbered_keys
            self.numbered = (
                LookupIndex(numpy, after, lambda keys: now.extend(keys.tolist())),
                LookupIndex(numpy, before, lambda keys: old.extend(keys.tolist())),
            )
            after, before = _NUMBER_BITS, _NUMBER_BITS
        self.index = LookupIndex(numpy, after + before, self._fill)
        self.answers = GrowingArray(numpy, bool if condition.number is bool else numpy.int64)

    @property
    def _shift(self) -> int:
        """Where what stood before a step lies in a key."""
        if self.numbered is not None:
            return _NUMBER_BITS
        return self.packing.key_bits(self.condition.reads)

    def _fill(self, keys: RowCodes) -> None:
        now, old = keys & ((1 << self._shift) - 1), keys >> self._shift
        if self.numbered is not None:
            first, second = (self.numpy.array(codes) for codes in self.numbered_keys)
            now, old = first.take(now), second.take(old)
        condition, packing = self.condition, self.packing
        pairs = zip(
            packing.ids(now, condition.reads), packing.ids(old, condition.reads_before), strict=True
        )
        self.answers.add([condition.compute(*pair) for pair in pairs])

    def values(self, codes: RowCodes, before: RowCodes | None = None) -> Array:
        """Return what the condition is in each row (`before`: the row before the step)."""
        places = self.index.indices(self._keys(codes, before))
        return self.answers.room.take(places)

    def _keys(self, codes: RowCodes, before: RowCodes | None) -> Array:
        keys = self.packing.keys(codes, self.after_runs)
        if before is None or not self.before_runs:
            return keys
        earlier = self.packing.keys(before, self.before_runs)
        if self.numbered is not None:
            now, old = self.numbered
            keys, earlier = now.indices(keys), old.indices(earlier)
        return keys | earlier << self._shift
