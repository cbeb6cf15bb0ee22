"""What is claimed of a row, or of the rows around a step: evaluated once for what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.models.decision_forests import (
    WHOLE,
    DecisionForest,
    LookRecorder,
    whole_view,
)
from statemachines.explore.models.event_memos import EventMemo, partial_snapshot
from statemachines.explore.models.linked_steps import LinkedSteps
from statemachines.explore.models.part_blocks import PartBlock, PartKind
from statemachines.explore.models.row_columns import Row, column_places
from statemachines.explore.models.system_sources import recorded_state
from statemachines.explore.properties.enabled_queries import EnabledEvents
from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.language.expression_nodes import (
    ENABLED,
    BooleanOperation,
    Conditional,
    Enabled,
    Expression,
    Implies,
    NameKind,
    Not,
    walk,
)
from statemachines.semantics.evaluation.compiler import Evaluator

ValueNumber = Callable[[Any], int]
"""What stands for the values of an expression: whether they are true, or numbers."""


@frozen(eq=False)
class RowCondition:
    """Something that holds in a row, or of a step, or a number that stands for what it is there."""

    forest: DecisionForest[int]
    """With one question, about a part or a whole row, followed by the same before the step."""
    bound: Mapping[str, Value]
    """What names stand for of which it is claimed for each value."""
    is_truth: bool
    """Whether it holds or not; else it is a number."""
    columns: range
    """The columns of a row that it is about: of a part, or all but those of clocks."""
    claim: PartClaim | None = None
    """What is claimed, where that is of a part; else it may look at the whole row."""

    def value_in(self, row: Row) -> int:
        """Return the number of what it is in a row."""
        return self.forest.answer(0, row[self.columns.start : self.columns.stop])

    def holds_in(self, row: Row) -> bool:
        """Tell whether it holds in a row."""
        return bool(self.value_in(row))

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether it holds of a step."""
        begin, end = self.columns.start, self.columns.stop
        return bool(self.forest.answer(0, after[begin:end] + before[begin:end]))


def system_condition(
    steps: LinkedSteps, node: Expression, bound: Mapping[str, Value], number: ValueNumber
) -> RowCondition:
    """Return an expression over a system."""
    layout, is_enabled = steps.layout, EnabledEvents(steps).is_enabled
    evaluate = layout.tables.behaviour.evaluator(node)

    def ask(_: int, recorder: LookRecorder) -> int:
        now = recorded_state(layout, recorder)
        old = recorded_state(layout, recorder, len(layout.columns))
        earlier = Snapshot("", old.names, old.parameters)
        given = {ENABLED: partial(is_enabled, recorder)}
        return number(evaluate("", now.names, now.parameters, bound, earlier, given))

    forest, columns = DecisionForest(ask, layout.view, [None]), range(len(layout.columns))
    return RowCondition(forest, bound, number is bool, columns)


def part_conditions(
    blocks: Sequence[PartBlock], node: Expression, bound: Mapping[str, Value], number: ValueNumber
) -> Iterator[RowCondition]:
    """Yield an expression over a machine, as a condition over each of some parts that are it."""
    claim = PartClaim(blocks[0].kind, node, bound, number)
    for block in blocks:
        yield RowCondition(claim.forest, bound, number is bool, block.columns, claim)


@define(eq=False)
class PartClaim:
    """An expression over the snapshot of a machine, or over two of them: it is known at which
    columns it looks.
    """

    kind: PartKind
    node: Expression
    bound: Mapping[str, Value]
    number: ValueNumber
    evaluate: Evaluator = field(init=False)
    memos: dict[str, EventMemo] = field(init=False)
    """The events of which it asks whether they are enabled."""
    reads: Row = field(init=False)
    reads_before: Row = field(init=False)
    """The columns of the snapshot before a step at which it looks."""
    forest: DecisionForest[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        tables, kind = self.kind.tables, self.kind
        places = column_places(tables, kind.columns)
        events = {part.event for part in walk(self.node) if isinstance(part, Enabled)}
        self.memos = {memo.event: memo for memo in kind.memos if memo.event in events}
        queried = (memo.reads for memo in self.memos.values())
        self.reads = tuple(sorted(places.read_by([self.node]).union(*queried)))
        names = tables.behaviour.compiler.all_used_names([self.node])
        before = (name.name for name in names if name.kind is NameKind.BEFORE)
        old = set[int]().union(*(places.places[name, name == "state"] for name in before))
        self.reads_before = tuple(sorted(old))
        self.evaluate = tables.behaviour.evaluator(self.node)
        self.forest = DecisionForest(self._ask, whole_view, [None])

    def value(self, now: Row, old: Row) -> int:
        """Return what it is where its columns hold these numbers (`old`: before the step)."""
        after = self._snapshot(self.reads, now)
        earlier = self._snapshot(self.reads_before, old) if self.reads_before else None
        given = {ENABLED: partial(self._is_enabled, after)} if self.memos else {}
        values = after.state, after.variables, after.parameters
        return self.number(self.evaluate(*values, self.bound, earlier, given))

    def _ask(self, _: int, recorder: LookRecorder) -> int:
        now = (recorder.see(column, WHOLE) for column in self.reads)
        old = (recorder.see(self.kind.width + column, WHOLE) for column in self.reads_before)
        numbers: list[Any] = [*now, *old]
        many = len(self.reads)
        return self.value(tuple(numbers[:many]), tuple(numbers[many:]))

    def _snapshot(self, columns: Row, numbers: Row) -> Snapshot:
        held = {0: 0, **dict(zip(columns, numbers, strict=True))}
        return partial_snapshot(self.kind.tables, self.kind.columns, held)

    def _is_enabled(self, now: Snapshot, event: str, given: NamedValues) -> bool:
        """Tell whether something takes an event with some arguments given."""
        memo = self.memos.get(event)
        return memo is not None and memo.is_enabled(now, given)

    def choice(self) -> ClaimChoice | None:
        """Take it apart at its outermost operator; None where that is none of logic."""
        match self.node:
            case BooleanOperation(operator=operator, operands=(first, *others)):
                rest = evolve(self.node, operands=tuple(others)) if len(others) > 1 else others[0]
                ends, following = operator == "or", self._part(rest)
                chosen = (True, following) if ends else (following, False)
                return self._part(first), *chosen
            case Not():
                return self._part(self.node.operand), False, True
            case Implies():
                return self._part(self.node.condition), self._part(self.node.consequence), True
            case Conditional():
                yes, no = self._part(self.node.yes), self._part(self.node.no)
                return self._part(self.node.test), yes, no
        return None

    def _part(self, node: Expression) -> PartClaim:
        return PartClaim(self.kind, node, self.bound, self.number)


ClaimChoice = tuple[PartClaim, "PartClaim | bool", "PartClaim | bool"]
"""One of two, by a third: the other one is not looked at, so that what makes an expression safe is
looked at before it.
"""
