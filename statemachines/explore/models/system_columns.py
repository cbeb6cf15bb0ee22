"""The columns of a system: one for each part (each key of one), one for each shared variable, one
for the parameters and one for each queue in which events wait.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import define, field

from statemachines.explore.checkpoints.encoded_values import (
    decode_snapshot,
    decode_value,
    decode_waiting,
    encode_snapshot,
    encode_value,
    encode_waiting,
)
from statemachines.explore.models.decision_forests import WHOLE
from statemachines.explore.models.row_columns import Row, ValueColumn, leaves_integer_range
from statemachines.model.definitions.data_definitions import Variable
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
    Waiting,
    queue_of,
    waiting_by_queue,
)
from statemachines.semantics.system.system_states import PartKey
from statemachines.semantics.system.system_tables import SystemTables

PRESENCE = "is it there"
"""The view of a part's column that tells whether the part is there."""


@define(eq=False)
class SystemColumns:
    """Where what stands in the rows of a system."""

    tables: SystemTables
    part_keys: tuple[PartKey, ...]
    columns: tuple[ValueColumn, ...]
    """Those of one part share their numbers, whatever the key."""
    keys: dict[str, tuple[Value, ...]]
    """Part to the keys that have a column, whether the part is there or not."""
    part_places: dict[PartKey, int]
    variable_places: dict[str, int]
    queue_places: dict[EventQueue, int]
    """Where events may wait, to the column of what waits there."""
    always_there: frozenset[int] = frozenset()
    """The columns of the parts that are there in every row."""
    known_views: dict[tuple[int, str, int], Hashable] = field(factory=dict)
    """A column (the `id` of its numbers), a view and a number, to what is seen."""
    same_values: dict[Hashable, Hashable] = field(factory=dict)
    """Equal values are one value: sets that are equal may be gone through in other orders."""

    @property
    def parameters_place(self) -> int:
        """The column of the parameters."""
        return len(self.part_keys) + len(self.variable_places)

    def column_value(self, column: int, number: int) -> Any:
        """Return the value in a column that has a number."""
        return self.columns[column].values[number]

    def view(self, index: int, view: str, number: int) -> Hashable:
        """Return what is seen of a column: its number, whether its part is there, or a field.

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
            value = self._field(column, view, self.columns[column].values[number])
            known = self.known_views[key] = self.same_values.setdefault(value, value)
        return known

    def _field(self, column: int, view: str, value: Any) -> Hashable:
        if view == PRESENCE:
            return value is not None
        if column == self.parameters_place:
            seen_value: Hashable = value[view]
        else:
            record = self.tables.part_record(self.part_keys[column][0], value)
            seen_value = getattr(record, view)
        return seen_value

    def row(self, snapshot: SystemSnapshot) -> Row:
        """Return the numbers of a snapshot."""
        values = [
            *(_one_of(snapshot.parts[name], key) for name, key in self.part_keys),
            *(snapshot.variables[name] for name in self.variable_places),
            snapshot.parameters,
            *self._queue_values(snapshot.waiting),
        ]
        return tuple(
            column.value_id(value) for column, value in zip(self.columns, values, strict=True)
        )

    def _queue_values(self, waiting: Waiting) -> Iterator[FrozenMap[PendingEvent, Any]]:
        held = waiting_by_queue(self.tables, waiting)
        yield from (FrozenMap(held.get(queue, {})) for queue in self.queue_places)

    def snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row; parts are in the author's order, as in every output."""
        values = [column.values[number] for column, number in zip(self.columns, row, strict=True)]
        parts: dict[str, PartSnapshots] = {}
        for name, part in self.tables.parts.items():
            held = {key: values[self.part_places[name, key]] for key in self.keys[name]}
            there = {key: snapshot for key, snapshot in held.items() if snapshot is not None}
            parts[name] = there.get(None) if part.each is None else FrozenMap(there)
        shared = {name: values[index] for name, index in self.variable_places.items()}
        at = self.parameters_place
        waiting = FrozenMap(
            {place: given for queue in values[at + 1 :] for place, given in queue.items()}
        )
        return SystemSnapshot(FrozenMap(parts), FrozenMap(shared), values[at], waiting)

    def present_parts(self, snapshot: SystemSnapshot) -> Iterator[tuple[PartKey, Snapshot]]:
        """Yield the parts that there are, with their keys."""
        for name, key in self.part_keys:
            if (held := _one_of(snapshot.parts[name], key)) is not None:
                yield (name, key), held

    def part_values(self, name: str) -> list[Any]:
        """Return the snapshots of a part that were met, and None where it is absent."""
        indices = (index for (part, _), index in self.part_places.items() if part == name)
        return next((self.columns[index].values for index in indices), [])

    def begin_with(self, rows: Iterable[Row]) -> None:
        """Note what systems begin with: it was not reached by counting, and what is there at the
        beginning is there for ever.
        """
        absent = set[int]()
        for row in rows:
            for index, (column, number) in enumerate(zip(self.columns, row, strict=True)):
                column.out_of_range[number] = False
                if column.values[number] is None:
                    absent.add(index)
        self.always_there = frozenset(self.part_places.values()) - absent

    def encode(self) -> list[list[object]]:
        """Return what the numbers of all columns stand for, as plain data."""
        return [
            [self._coder(index)[0](value) for value in column.values]
            for index, column in self._distinct_columns()
        ]

    def restore(self, stored: list[list[object]]) -> bool:
        """Give values the numbers that a file uses; False where they have others already."""
        return all(
            column.value_id(self._coder(index)[1](data)) == number
            for (index, column), values in zip(self._distinct_columns(), stored, strict=True)
            for number, data in enumerate(values)
        )

    def _distinct_columns(self) -> list[tuple[int, ValueColumn]]:
        first = dict[int, tuple[int, ValueColumn]]()
        for index, column in enumerate(self.columns):
            first.setdefault(id(column), (index, column))
        return list(first.values())

    def _coder(self, index: int) -> tuple[Callable[[Any], object], Callable[[Any], Any]]:
        """Return what writes the values of a column as plain data, and what reads them."""
        if index < len(self.part_keys):
            return encode_snapshot, decode_snapshot
        if index > self.parameters_place:
            return encode_waiting, decode_waiting
        return encode_value, decode_value


def _one_of(held: PartSnapshots, key: Value) -> Snapshot | None:
    return held.get(key) if isinstance(held, Mapping) else held


def build_system_columns(
    tables: SystemTables,
    part_keys: Iterable[PartKey],
    extent: DomainSizes,
    extents: Mapping[str, DomainSizes],
) -> SystemColumns:
    """Return the columns of a system.

    Args:
        tables: of the system.
        part_keys: each part, once for each key that it ever has.
        extent: of the system's own types.
        extents: part to the extent within which its arguments are drawn.
    """
    held = tuple(part_keys)
    parts = {
        name: _part_column(name, table.machine.data.variables, extents[name].integers)
        for name, table in tables.tables.items()
    }
    shared = tables.system.data.variables
    queues = _event_queues(tables, held)
    columns = (
        *(parts[name] for name, _ in held),
        *(_variable_column(variable, extent.integers) for variable in shared),
        ValueColumn("parameters", leaves_range=_is_never_outside),
        *(
            ValueColumn(f"to {queue.receiver[0]}", leaves_range=_is_never_outside)
            for queue in queues
        ),
    )
    return SystemColumns(
        tables,
        held,
        columns,
        {name: tuple(key for part, key in held if part == name) for name in tables.parts},
        {part_key: index for index, part_key in enumerate(held)},
        {variable.name: index for index, variable in enumerate(shared, len(held))},
        {queue: index for index, queue in enumerate(queues, len(held) + len(shared) + 1)},
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


def _part_column(
    name: str, variables: tuple[Variable, ...], integers: tuple[int, int]
) -> ValueColumn:
    def leaves_range(held: Snapshot | None) -> bool:
        return held is not None and any(
            leaves_integer_range(variable.type, held.variables[variable.name], integers)
            for variable in variables
        )

    return ValueColumn(name, leaves_range=leaves_range)


def _variable_column(variable: Variable, integers: tuple[int, int]) -> ValueColumn:
    beyond = partial(leaves_integer_range, variable.type, integers=integers)
    return ValueColumn(variable.name, leaves_range=beyond)


def _is_never_outside(value: object) -> bool:
    """Say of parameters and of what waits that they are within the range that is explored."""
    return False
