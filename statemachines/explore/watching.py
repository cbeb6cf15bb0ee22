"""Properties over rows: each looks at some columns only, so it is evaluated once for what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import define, field, frozen

from statemachines.explore.columns import Column, Row
from statemachines.explore.rules import columns_read, picker, snapshot_of
from statemachines.explore.world import World
from statemachines.model.data import Property
from statemachines.model.expressions import Expression, Kind
from statemachines.model.snapshots import Snapshot
from statemachines.semantics.compile import Evaluate
from statemachines.semantics.tables import Tables


@define(eq=False)
class Condition:
    """An expression over the snapshot of one machine, or over two of them."""

    tables: Tables
    columns: tuple[Column, ...]
    evaluate: Evaluate
    reads: tuple[int, ...]
    before: tuple[int, ...]
    """The columns of the snapshot before a step that it looks at."""
    known: dict[Row, bool] = field(factory=dict)

    def of(self, now: Row, old: Row) -> bool:
        """Tell whether it holds where its columns hold these values (`old`: before the step)."""
        key = now + old
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._look(now, old)
        return found

    def _look(self, now: Row, old: Row) -> bool:
        after = self._snapshot(self.reads, now)
        earlier = self._snapshot(self.before, old) if self.before else None
        return bool(self.evaluate(after.state, after.variables, after.parameters, None, earlier))

    def _snapshot(self, places: tuple[int, ...], numbers: Row) -> Snapshot:
        return snapshot_of(self.tables, self.columns, {0: 0, **dict(zip(places, numbers, strict=True))})


@frozen(eq=False)
class Watch:
    """A condition over one copy."""

    property: Property | None
    """None for a condition that is no property of its own."""
    condition: Condition
    copy: int
    now: Callable[[Row], Row]
    old: Callable[[Row], Row]

    def holds(self, row: Row) -> bool:
        """Tell whether it holds in a row."""
        return self.condition.of(self.now(row), ())

    def holds_of(self, before: Row, after: Row) -> bool:
        """Tell whether it holds of a step."""
        return self.condition.of(self.now(after), self.old(before))


def condition_of(world: World, node: Expression) -> Condition:
    """Return an expression as a condition over rows."""
    tables = world.tables
    parameters = len(tables.machine.data.parameters)
    place = {(column.name, position <= parameters): position for position, column in enumerate(world.columns)}
    names = tables.behaviour.compiler.names_of([node])
    old = {place[name.name, name.name == "state"] for name in names if name.kind is Kind.BEFORE}
    return Condition(
        tables, world.columns, tables.behaviour.evaluate(node), tuple(sorted(columns_read(tables, [node], place))), tuple(sorted(old))
    )


def watches_of(world: World, node: Expression, claimed: Property | None = None) -> Iterator[Watch]:
    """Yield the watches of a condition, one for each copy."""
    condition = condition_of(world, node)
    for copy in range(world.copies):
        offset = copy * world.width
        yield Watch(claimed, condition, copy, picker(condition.reads, offset), picker(condition.before, offset))
