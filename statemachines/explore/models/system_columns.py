"""The columns of a system: those of each part (each key of one), one for each shared variable, one
for the parameters and one for each queue in which events wait.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field

from statemachines.explore.checkpoints.encoded_values import decode_waiting, encode_waiting
from statemachines.explore.models.decision_forests import WHOLE
from statemachines.explore.models.part_blocks import PartBlock, PartKind, place_blocks
from statemachines.explore.models.row_columns import (
    Row,
    ValueColumn,
    is_never_outside,
    new_column,
)
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PendingEvent,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.channels import (
    EventQueue,
    queue_of,
    waiting_by_queue,
)
from statemachines.semantics.system.system_states import PartKey
from statemachines.semantics.system.system_tables import SystemTables

PRESENCE = "is it there"
"""The view of the column of a part's state that tells whether the part is there."""


@define(eq=False)
class SystemColumns:
    """Where what stands in the rows of a system."""

    tables: SystemTables
    blocks: dict[PartKey, PartBlock]
    """Each part, once for each key that it ever has, whether it is there or not."""
    columns: tuple[ValueColumn, ...]
    keys: dict[str, tuple[Value, ...]]
    """Part to the keys that have columns."""
    variable_places: dict[str, int]
    parameters_place: int
    queue_places: dict[EventQueue, int]
    """Where events may wait, to the column of what waits there."""
    kinds_at: dict[int, PartKind] = field(init=False)
    """By first column of a part: its machine."""
    always_there: frozenset[int] = frozenset()
    """The first columns of the parts that are there in every row."""
    known_views: dict[tuple[int, str, int], Hashable] = field(factory=dict)
    """A column (the `id` of its numbers), a view and a number, to what is seen."""
    same_values: dict[Hashable, Hashable] = field(factory=dict)
    """Equal values are one value: sets that are equal may be gone through in other orders."""

    @kinds_at.default
    def _kinds_by_column(self) -> dict[int, PartKind]:
        return {block.offset: block.kind for block in self.blocks.values()}

    def column_value(self, column: int, number: int) -> Any:
        """Return the value in a column that has a number."""
        return self.columns[column].values[number]

    def view(self, index: int, view: str, number: int) -> Hashable:
        """Return what is seen of a column: its number, whether its part is there, whether the state
        of a part is in a predicate, or a parameter.

        Args:
            index: of the column; beyond the last one, in the row before the step.
            view: see `decision_forests`.
            number: of the value.
        """
        if view == WHOLE:
            return number
        column = index % len(self.columns)
        key = id(self.columns[column]), view, number
        known = self.known_views.get(key)
        if known is None and key not in self.known_views:
            value = self._view_value(column, view, self.columns[column].values[number])
            known = self.known_views[key] = self.same_values.setdefault(value, value)
        return known

    def _view_value(self, column: int, view: str, value: Any) -> Hashable:
        if view == PRESENCE:
            return value is not None
        if column == self.parameters_place:
            seen_value: Hashable = value[view]
            return seen_value
        return self.kinds_at[column].tables.holds(view, value)

    def row(self, snapshot: SystemSnapshot) -> Row:
        """Return the numbers of a snapshot."""
        parts = (
            block.kind.row(_one_of(snapshot.parts[name], key))
            for (name, key), block in self.blocks.items()
        )
        held = waiting_by_queue(self.tables, snapshot.waiting)
        values = [
            *(snapshot.variables[name] for name in self.variable_places),
            snapshot.parameters,
            *(FrozenMap(held.get(queue, {})) for queue in self.queue_places),
        ]
        beside = self.columns[len(self.columns) - len(values) :]
        numbers = (column.value_id(value) for column, value in zip(beside, values, strict=True))
        return (*itertools.chain.from_iterable(parts), *numbers)

    def snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row; parts are in the author's order, as in every output."""
        parts: dict[str, PartSnapshots] = {}
        for name, part in self.tables.parts.items():
            held = {key: self.blocks[name, key].snapshot(row) for key in self.keys[name]}
            there = {key: snapshot for key, snapshot in held.items() if snapshot is not None}
            parts[name] = there.get(None) if part.each is None else FrozenMap(there)
        shared = {
            name: self.column_value(place, row[place])
            for name, place in self.variable_places.items()
        }
        queues = (self.column_value(place, row[place]) for place in self.queue_places.values())
        waiting = FrozenMap({place: given for queue in queues for place, given in queue.items()})
        at = self.parameters_place
        parameters = self.column_value(at, row[at])
        return SystemSnapshot(FrozenMap(parts), FrozenMap(shared), parameters, waiting)

    def present_parts(self, snapshot: SystemSnapshot) -> Iterator[tuple[PartKey, Snapshot]]:
        """Yield the parts that there are, with their keys."""
        for name, key in self.blocks:
            if (held := _one_of(snapshot.parts[name], key)) is not None:
                yield (name, key), held

    def begin_with(self, rows: Iterable[Row]) -> None:
        """Note what systems begin with: it was not reached by counting, and what is there at the
        beginning is there for ever.
        """
        absent = set[int]()
        for row in rows:
            for column, number in zip(self.columns, row, strict=True):
                column.out_of_range[number] = False
            absent.update(
                block.offset for block in self.blocks.values() if block.snapshot(row) is None
            )
        self.always_there = frozenset(block.offset for block in self.blocks.values()) - absent


def _one_of(held: PartSnapshots, key: Value) -> Snapshot | None:
    return held.get(key) if isinstance(held, Mapping) else held


def build_system_columns(
    tables: SystemTables,
    parts: Mapping[PartKey, PartKind],
    extent: DomainSizes,
) -> SystemColumns:
    """Return the columns of a system.

    Args:
        tables: of the system.
        parts: each part, once for each key that it ever has, with its machine.
        extent: of the system's own types.
    """
    blocks = dict(
        zip(parts, place_blocks((kind, key) for (_, key), kind in parts.items()), strict=True)
    )
    own = [column for block in blocks.values() for column in block.kind.columns]
    shared, queues = tables.system.data.variables, _event_queues(tables, tuple(parts))
    columns: tuple[ValueColumn, ...] = (
        *own,
        *(new_column(each.name, each.type, extent.integers) for each in shared),
        ValueColumn("parameters", leaves_range=is_never_outside, is_fixed=True),
        *(
            ValueColumn(
                f"to {queue.receiver[0]}",
                leaves_range=is_never_outside,
                write=encode_waiting,
                read=decode_waiting,
            )
            for queue in queues
        ),
    )
    parameters_place = len(own) + len(shared)
    return SystemColumns(
        tables,
        blocks,
        columns,
        {name: tuple(key for part, key in parts if part == name) for name in tables.parts},
        {variable.name: index for index, variable in enumerate(shared, len(own))},
        parameters_place,
        {queue: index for index, queue in enumerate(queues, parameters_place + 1)},
    )


def _event_queues(tables: SystemTables, part_keys: tuple[PartKey, ...]) -> tuple[EventQueue, ...]:
    """Return where events may wait, in the order of the links that send them."""
    event_queues: dict[EventQueue, None] = {}
    for link in tables.system.links:
        if link.send is None or not link.deferred:
            continue
        senders = [key for part, key in part_keys if part == link.on]
        receivers = [key for part, key in part_keys if part == link.send.part]
        for sender, receiver in itertools.product(senders, receivers):
            event_queues[queue_of(tables, PendingEvent(link.index, sender, receiver))] = None
    return tuple(event_queues)
