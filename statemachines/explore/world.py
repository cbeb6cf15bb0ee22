"""A machine, or several interleaved copies of one, within a scope: where it begins and what every event does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from attrs import define, frozen

from statemachines.explore.columns import Column, Row, columns_of
from statemachines.explore.rules import Doings, Outcome, Rule, picker, rules_of, snapshot_of
from statemachines.explore.scopes import Scope, beginnings, extent
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot
from statemachines.semantics.choices import Extent
from statemachines.semantics.tables import Tables, tables_of


@frozen(eq=False)
class Event:
    """An event of one copy."""

    copy: int
    offset: int
    """The first column of the copy."""
    rule: Rule
    pick: Callable[[Row], Row]

    def doings(self, row: Row) -> Doings:
        """Return what it does in a row."""
        numbers = self.pick(row)
        return self.rule.known.get(numbers) or self.rule.doings(numbers)


@define(eq=False)
class World:
    """All that is explored."""

    tables: Tables
    extent: Extent
    scope: Scope
    columns: tuple[Column, ...]
    """Of one machine; all copies share the numbers."""
    rules: tuple[Rule, ...]
    events: tuple[Event, ...]
    """Of all copies: those of the first one first, each in the author's order."""
    copies: int
    begins: tuple[Row, ...]
    cut: tuple[str, ...] = ()
    """Beginnings that were left out because there are too many."""

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self.tables.machine

    @property
    def width(self) -> int:
        """The columns of one copy."""
        return len(self.columns)

    def snapshots(self, row: Row) -> tuple[Snapshot, ...]:
        """Return the snapshots of all copies in a row."""
        parts = [row[copy * self.width : (copy + 1) * self.width] for copy in range(self.copies)]
        return tuple(snapshot_of(self.tables, self.columns, dict(enumerate(part))) for part in parts)

    def row(self, snapshot: Snapshot) -> Row:
        """Return the numbers of one copy's snapshot."""
        values = {**snapshot.parameters, **snapshot.variables}
        return (self.columns[0].number(snapshot.state), *(column.number(values[column.name]) for column in self.columns[1:]))

    def steps(self, row: Row) -> Iterator[tuple[Event, Outcome, Row]]:
        """Yield every step from a row, in order, with the row after it."""
        for event in self.events:
            for outcome in event.doings(row).outcomes:
                yield event, outcome, outcome.apply(row, event.offset)

    def is_outside(self, row: Row) -> bool:
        """Tell whether an integer without bounds lies outside the range that is explored."""
        columns = itertools.cycle(self.columns)
        return any(column.outside[number] for column, number in zip(columns, row, strict=False))


def world_of(machine: Machine, scope: Scope, copies: int = 1) -> World:
    """Return a machine's world.

    Args:
        machine: in one release.
        scope: what is said beside the spec's own.
        copies: how many of it are explored side by side, each stepping alone.

    Raises:
        ArgumentsError: the scope does not fit the machine, or nothing may begin.
    """
    tables = tables_of(machine)
    within = extent(tables.behaviour, scope)
    columns = columns_of(machine, within.integers)
    rules = rules_of(tables, within, columns)
    width = len(columns)
    events = tuple(Event(copy, copy * width, rule, picker(rule.reads, copy * width)) for copy in range(copies) for rule in rules)
    world = World(tables, within, scope, columns, rules, events, copies, ())
    cut = list[str]()
    rows = [world.row(snapshot) for snapshot in beginnings(tables.behaviour, within, scope, cut)]
    world.cut = tuple(cut)
    for row in rows:
        for column, number in zip(columns, row, strict=True):
            column.outside[number] = False  # what an instance begins with was not reached by counting
    world.begins = tuple(tuple(itertools.chain(*chosen)) for chosen in itertools.product(dict.fromkeys(rows), repeat=copies))
    return world
