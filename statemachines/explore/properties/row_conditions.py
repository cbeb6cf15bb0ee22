"""Properties over rows: each looks at some columns only, so it is evaluated once for what they
hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.event_memos import (
    EventMemo,
    column_picker,
    partial_snapshot,
)
from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import Column, Row, column_places
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import (
    ENABLED,
    Enabled,
    Expression,
    NameKind,
    walk,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.machine.machine_tables import MachineTables

NOTHING_BOUND: Mapping[str, Value] = FrozenMap()


@define(eq=False)
class RowCondition:
    """An expression over the snapshot of one machine, or over two of them."""

    tables: MachineTables
    columns: tuple[Column, ...]
    node: Expression
    evaluate: Evaluator
    reads: tuple[int, ...]
    reads_before: tuple[int, ...]
    """The columns of the snapshot before a step that it looks at."""
    bound: Mapping[str, Value]
    """What names stand for of which it is claimed for each value."""
    number: Callable[[Any], int] = bool
    """What stands for its values: whether they are true, or numbers."""
    memos: Mapping[str, EventMemo] = FrozenMap()
    """The events of which it asks whether they are enabled."""
    known_values: dict[Row, int] = field(factory=dict)

    def value_for(self, now: Row, old: Row) -> int:
        """Return what it is where its columns hold these values (`old`: before the step)."""
        key = now + old
        value = self.known_values.get(key)
        if value is None:
            value = self.known_values[key] = self.compute(now, old)
        return value

    def compute(self, now: Row, old: Row) -> int:
        """Return the same, without keeping it."""
        after = self._partial_snapshot(self.reads, now)
        earlier = self._partial_snapshot(self.reads_before, old) if self.reads_before else None
        given = {ENABLED: partial(self._is_enabled, after)} if self.memos else {}
        return self.number(
            self.evaluate(
                after.state, after.variables, after.parameters, self.bound, earlier, given
            )
        )

    def _is_enabled(self, now: Snapshot, event: str, given: Mapping[str, Value]) -> bool:
        """Tell whether something takes an event with some arguments given."""
        memo = self.memos.get(event)
        return memo is not None and memo.is_enabled(now, given)

    def _partial_snapshot(self, columns: tuple[int, ...], numbers: Row) -> Snapshot:
        return partial_snapshot(
            self.tables, self.columns, {0: 0, **dict(zip(columns, numbers, strict=True))}
        )


@frozen(eq=False)
class PartCondition:
    """A condition over one part."""

    condition: RowCondition
    block: PartBlock
    pick_after: Callable[[Row], Row]
    pick_before: Callable[[Row], Row]

    @property
    def bound(self) -> Mapping[str, Value]:
        """What names stand for of which it is claimed for each value."""
        return self.condition.bound

    def holds_in(self, row: Row) -> bool:
        """Tell whether it holds in a row."""
        return bool(self.value_in(row))

    def value_in(self, row: Row) -> int:
        """Return the number of what it is in a row."""
        return self.condition.value_for(self.pick_after(row), ())

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether it holds of a step."""
        return bool(self.condition.value_for(self.pick_after(after), self.pick_before(before)))


def build_condition(
    tables: MachineTables,
    columns: tuple[Column, ...],
    node: Expression,
    bound: Mapping[str, Value] = NOTHING_BOUND,
    number: Callable[[Any], int] = bool,
    memos: Iterable[EventMemo] = (),
) -> RowCondition:
    """Return an expression as a condition over the rows of one machine; see `Model.conditions`."""
    places = column_places(tables, columns)
    names = tables.behaviour.compiler.all_used_names([node])
    events = {part.event for part in walk(node) if isinstance(part, Enabled)}
    queried = {memo.event: memo for memo in memos if memo.event in events}
    reads = places.read_by([node]).union(*(memo.reads for memo in queried.values()))
    old = set[int]().union(
        *(
            places.places[name.name, name.name == "state"]
            for name in names
            if name.kind is NameKind.BEFORE
        )
    )
    return RowCondition(
        tables,
        columns,
        node,
        tables.behaviour.evaluator(node),
        tuple(sorted(reads)),
        tuple(sorted(old)),
        bound,
        number,
        queried,
    )


def part_condition(condition: RowCondition, block: PartBlock) -> PartCondition:
    """Return a condition over one part."""
    return PartCondition(
        condition,
        block,
        column_picker(condition.reads, block.offset),
        column_picker(condition.reads_before, block.offset),
    )
