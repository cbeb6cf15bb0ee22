"""A machine, or several interleaved copies of one, within a scope: where it begins and what every event does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import nullcontext

from attrs import define, field, frozen

from statemachines.explore.columns import Column, Row, columns_of
from statemachines.explore.limits import Budget, Ending, Limits, unlimited
from statemachines.explore.rules import Doings, Outcome, Rule, picker, rules_of, snapshot_of
from statemachines.explore.scopes import Scope, all_beginnings, extent, nothing_begins
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
    """Beginnings that were left out, and why: there are too many, or it took too long to find them."""
    stopped: Ending = field(factory=Ending)
    """Whether a limit was hit, or somebody ended it, before all beginnings were found."""

    def look_at(self, spend: Callable[[], None] = unlimited) -> None:
        """Call this now and then while arguments are drawn."""
        for rule in self.rules:
            rule.draws.spend = spend

    def forget(self) -> None:
        """Let go of what can be asked again, where no memory is left."""
        for rule in self.rules:
            rule.known.clear()

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


def world_of(machine: Machine, scope: Scope, copies: int = 1, limits: Limits | None = None) -> World:
    """Return a machine's world.

    Args:
        machine: in one release.
        scope: what is said beside the spec's own.
        copies: how many of it are explored side by side, each stepping alone.
        limits: where looking for beginnings ends early, which an interrupt does then too; the world says so.

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
    rows = _rows(world, cut, limits)
    world.cut = tuple(cut)
    for row in rows:
        for column, number in zip(columns, row, strict=True):
            column.outside[number] = False  # what an instance begins with was not reached by counting
    world.begins = tuple(tuple(itertools.chain(*chosen)) for chosen in itertools.product(dict.fromkeys(rows), repeat=copies))
    return world


def _rows(world: World, cut: list[str], limits: Limits | None) -> list[Row]:
    """Return the rows in which one copy begins.

    Raises:
        ArgumentsError: there is none.
    """
    world.stopped.bounds = cut
    budget, rows, behaviour = Budget.of_beginnings(limits, cut), list[Row](), world.tables.behaviour
    with nullcontext() if limits is None else world.stopped.noted():
        for snapshot in all_beginnings(behaviour, world.extent, world.scope, cut, lambda: budget.spend(0, 0, 0)):
            rows.append(world.row(snapshot))
    if not rows and not world.stopped.early:
        raise nothing_begins(behaviour)
    return rows
