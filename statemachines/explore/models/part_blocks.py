"""The parts of a row: each is a machine, with a column for its state, each parameter and each
variable. A machine alone is one part, copies of it are several, a system has parts of many kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import define, field, frozen

from statemachines.explore.models.event_memos import (
    EventMemo,
    build_event_memos,
    column_picker,
    partial_snapshot,
)
from statemachines.explore.models.map_columns import NO_KEYS, MapKeys, listed_values
from statemachines.explore.models.row_columns import NO_VALUE, Column, Row, machine_columns
from statemachines.explore.models.successors import EventSuccessors, FairEvent, Successor
from statemachines.model.definitions.data_definitions import Fairness
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import Type
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.value_enumeration import DomainSizes

NO_EVENTS: frozenset[str] = frozenset()


@define(eq=False)
class PartKind:
    """A machine of which a row has one or several: all share their columns and what is known of
    its events.
    """

    name: str
    """Of the part; empty for a machine alone."""
    tables: MachineTables
    extent: DomainSizes
    columns: tuple[Column, ...]
    memos: tuple[EventMemo, ...]
    linked: frozenset[str] = NO_EVENTS
    """The events of which more may come than what the machine does."""
    key_type: Type | None = None
    """Of the keys that tell several apart; None: there is one."""
    known_snapshots: dict[Row, Snapshot | None] = field(factory=dict)
    places: dict[str, Row] = field(init=False)
    """Where each parameter and variable stands."""

    @places.default
    def _column_places(self) -> dict[str, Row]:
        places = dict[str, Row]()
        for place, column in enumerate(self.columns[1:], 1):
            places[column.name] = (*places.get(column.name, ()), place)
        return places

    @property
    def width(self) -> int:
        """How many columns one has."""
        return len(self.columns)

    @property
    def free_memos(self) -> Iterator[EventMemo]:
        """Yield the events of which nothing comes than what the machine does."""
        return (memo for memo in self.memos if memo.event not in self.linked)

    def row(self, snapshot: Snapshot | None) -> Row:
        """Return the numbers of one.

        Args:
            snapshot: of the machine; None: it is not there.

        Returns:
            A number a column.
        """
        state = self.columns[0]
        if snapshot is None:
            return (state.value_id(None), *(c.value_id(NO_VALUE) for c in self.columns[1:]))
        values = {**snapshot.parameters, **snapshot.variables}
        return (
            state.value_id(snapshot.state),
            *(column.value_id(column.part(values[column.name])) for column in self.columns[1:]),
        )

    def map_value(self, numbers: Mapping[int, int]) -> Value:
        """Return a map that is several columns.

        Args:
            numbers: by column, those of its keys.

        Returns:
            The keys that it has, with their values.
        """
        columns = self.columns
        held = ((columns[place], number) for place, number in numbers.items())
        items = ((column.key, column.values[number]) for column, number in held)
        return FrozenMap(item for item in items if item[1] != NO_VALUE)

    def snapshot(self, numbers: Row) -> Snapshot | None:
        """Return what the numbers of one stand for.

        Args:
            numbers: a number a column.

        Returns:
            The same value each time; None: it is not there.
        """
        if numbers not in self.known_snapshots:
            self.known_snapshots[numbers] = (
                None
                if self.columns[0].values[numbers[0]] is None
                else partial_snapshot(self.tables, self.columns, dict(enumerate(numbers)))
            )
        return self.known_snapshots[numbers]


def build_part_kind(
    tables: MachineTables,
    extent: DomainSizes,
    *,
    name: str = "",
    keys: MapKeys = NO_KEYS,
    linked: frozenset[str] = NO_EVENTS,
    key_type: Type | None = None,
    fair_events: Iterable[Fairness] = (),
) -> PartKind:
    """Return a machine as the parts of a row are it.

    Args:
        tables: of the machine.
        extent: how many values its types have.
        name: of the part.
        keys: the maps that are columns.
        linked: the events of which more may come.
        key_type: of the keys that tell several apart.
        fair_events: what is fair, of all parts.
    """
    columns = machine_columns(tables.machine, extent.integers, keys)
    for column in columns:  # all that the columns of keys may hold: they need no more bits later
        if column.is_item and column.type is not None:
            for value in listed_values(tables, extent, column.type):
                column.value_id(value)
    memos = build_event_memos(tables, extent, columns, _fair_arguments(fair_events, name))
    return PartKind(name, tables, extent, columns, memos, linked, key_type)


def _fair_arguments(fair_events: Iterable[Fairness], name: str) -> dict[str, tuple[str, ...]]:
    """Return the events of a part (empty: of a machine alone) that are fair for each value of an
    argument, with these.
    """
    fair = dict[str, tuple[str, ...]]()
    for declared in fair_events:
        part, _, event = declared.event.rpartition(".")
        is_key = bool(name) and declared.argument == "key"
        if part == name and declared.argument is not None and not is_key:
            fair[event] = (*fair.get(event, ()), declared.argument)
    return fair


@frozen(eq=False)
class PartBlock:
    """Where one part stands in a row."""

    kind: PartKind
    key: Value
    """Which of its kind; the number of a copy."""
    offset: int
    """Its first column: that of its state."""
    columns: range = field(init=False)

    @columns.default
    def _own_columns(self) -> range:
        return range(self.offset, self.offset + self.kind.width)

    def numbers(self, row: Row) -> Row:
        """Return what a row has of it."""
        return row[self.offset : self.offset + self.kind.width]

    def snapshot(self, row: Row) -> Snapshot | None:
        """Return what it is in a row; None: it is not there."""
        return self.kind.snapshot(self.numbers(row))


def place_blocks(parts: Iterable[tuple[PartKind, Value]]) -> tuple[PartBlock, ...]:
    """Return where parts stand, one after the other."""
    blocks, offset = list[PartBlock](), 0
    for kind, key in parts:
        blocks.append(PartBlock(kind, key, offset))
        offset += kind.width
    return tuple(blocks)


@frozen(eq=False)
class PartEvent:
    """An event of one part of which nothing comes than what its machine does."""

    block: PartBlock
    memo: EventMemo
    pick_columns: Callable[[Row], Row]

    @property
    def offset(self) -> int:
        """The first column of the part."""
        return self.block.offset

    @property
    def name(self) -> str:
        """The event's name."""
        return self.memo.event

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row, the same value each time."""
        numbers = self.pick_columns(row)
        return self.memo.known_successors.get(numbers) or self.memo.successors(numbers)

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing. Each copy
        of a machine is fair by itself.
        """
        kind, key = self.block.kind, self.block.key
        if (f"{kind.name}.{self.name}" if kind.name else self.name) != fair.event:
            return None
        if not kind.name:
            return (key,) if fair.argument is None else (key, taken.arguments[fair.argument])
        if fair.argument is None:
            return ()
        return (key if fair.argument == "key" else taken.arguments.get(fair.argument),)


def part_event(block: PartBlock, memo: EventMemo) -> PartEvent:
    """Return an event of one part."""
    return PartEvent(block, memo, column_picker(memo.reads, block.offset))
