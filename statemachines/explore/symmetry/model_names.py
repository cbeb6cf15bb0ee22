"""The interchangeable names of what is explored, and where they stand in its rows.

In a system, parts with the keys of an `id` type change places with them, and names within
snapshots, shared variables, parameters and waiting events are renamed with the same renaming, so
whatever compares names finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import Column, ValueColumn
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.scopes import id_types
from statemachines.explore.symmetry.changed_names import Renaming, renamed_value, value_signature
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import Link, PendingEvent
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.model.language.value_types import TEXT, IdType, RecordType, Type
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.channels import EventQueue, ordered_waiting
from statemachines.semantics.system.system_tables import SystemTables

COPY = IdType("a copy")
"""Copies of one machine change places as names do; no type of a spec has a space in its name."""


@frozen
class ColumnOwner:
    """What a column of a row holds, and whose."""

    content: Hashable
    """Columns with the same content change places when their owners do."""
    type: Type | None = None
    """Of the owner; None: nobody's."""
    key: Value = None
    """The owner."""


Change = Callable[[Type | None, Value], Any]
"""What is made of each value of a type: one with other names, or what one name sees of it."""


@frozen(eq=False)
class SystemValues:
    """What the columns of the parameters and queues hold, changed value by value."""

    layout: SystemColumns

    def changed(self, index: int, value: Any, change: Change) -> Any:
        """Return what is changed in a value of a column; of what waits, a list of pairs: a map
        would lose those that come to look alike.

        Args:
            index: of the column.
            value: as a snapshot has it.
            change: what is made of each value.

        Returns:
            What `joined` makes a value of, where names were changed.
        """
        if index == self.layout.parameters_place:
            data = self.layout.tables.system.data
            types = {parameter.name: parameter.type for parameter in data.parameters}
            return FrozenMap({name: change(types[name], held) for name, held in value.items()})
        return list(self._changed_waiting(value, change))

    def joined(self, index: int, changed: Any) -> Any:
        """Return a value of a column.

        Args:
            index: of the column.
            changed: what `changed` gave.

        Returns:
            As a snapshot has it.
        """
        if index > self.layout.parameters_place:
            return FrozenMap(ordered_waiting(self.layout.tables, dict(changed)))
        return changed

    def _changed_waiting(
        self, waiting: Mapping[PendingEvent, Mapping[str, Value]], change: Change
    ) -> Iterator[tuple[PendingEvent, Mapping[str, Any]]]:
        """Yield what waits, with its arguments."""
        for pending, given in waiting.items():
            link = self.layout.tables.link_of[pending.link]
            receiver = link.send.part if link.send is not None else ""
            yield (
                PendingEvent(
                    pending.link,
                    None  # all send to one queue
                    if pending.sender is None
                    else self._changed_key(link.on, pending.sender, change),
                    self._changed_key(receiver, pending.receiver, change),
                    pending.position,
                ),
                self._changed_arguments(link, given, change),
            )

    def _changed_key(self, part: str, key: Value, change: Change) -> Any:
        each = self.layout.tables.parts[part].each
        return key if each is None else change(each, key)

    def _changed_arguments(
        self, link: Link, given: Mapping[str, Value], change: Change
    ) -> Mapping[str, Any]:
        if link.send is None or not given:
            return FrozenMap(given)
        receiver = self.layout.tables.tables[link.send.part].behaviour
        arguments = receiver.signature(link.send.event).arguments
        types = {argument.name: argument.type for argument in arguments}
        return FrozenMap({name: change(types[name], value) for name, value in given.items()})


@frozen(eq=False)
class ModelNames:
    """The names of a model, and its rows seen by them."""

    named: Sequence[tuple[str, tuple[Value, ...]]]
    """The names of each `id` type."""
    owners: Sequence[ColumnOwner]
    """Whose each column of a row is."""
    columns: Sequence[ValueColumn]
    """The columns of a row: of all copies."""
    beside: SystemValues | None
    """What is made of the columns that have no type."""

    def _changed(self, index: int, value: Any, change: Change) -> Any:
        """Return what is made of what a column holds, value by value."""
        column = self.columns[index]
        if isinstance(column, Column) or self.beside is None:
            return change(getattr(column, "type", None), value)
        return self.beside.changed(index, value, change)

    def renamed(self, index: int, value: Any, names: Renaming) -> Any:
        """Return a value of a column with other names in it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            names: which name stands for which.

        Returns:
            A value of the same column.
        """
        changed = self._changed(
            index, value, lambda type_, inner: renamed_value(type_, inner, names)
        )
        return changed if self.beside is None else self.beside.joined(index, changed)

    def signature(self, index: int, value: Any, kind: str, name: Value) -> Hashable:
        """Return a value of a column as one name sees it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            kind: the `id` type whose names change places.
            name: one of its names.

        Returns:
            What is equal for values that differ in other names only.
        """
        signature = self._changed(
            index, value, lambda type_, inner: value_signature(type_, inner, kind, name)
        )
        return (
            tuple(sorted(map(repr, signature))) if isinstance(signature, list) else repr(signature)
        )


def model_names(
    blocks: Sequence[PartBlock],
    columns: Sequence[ValueColumn],
    layout: SystemColumns | None,
    extent: DomainSizes,
) -> ModelNames:
    """Return the names of a model: those of its parts, its copies, and what stands beside them.

    Args:
        blocks: the parts of a row.
        columns: of a row.
        layout: of a system; None of a machine.
        extent: of its own types.

    Returns:
        The names, and where they stand.
    """
    named = {
        type_.name: block.kind.extent.id_values(type_)
        for block in blocks
        for type_ in id_types(block.kind.tables.machine)
    }
    owners = [
        ColumnOwner((block.kind.name, place), block.kind.key_type, block.key)
        for block in blocks
        for place in range(block.kind.width)
    ]
    if layout is not None:
        own = layout.tables.behaviour.machine
        named |= {type_.name: extent.id_values(type_) for type_ in id_types(own)}
        owners += map(ColumnOwner, (*layout.variable_places.values(), layout.parameters_place))
        owners += (_queue_owner(layout.tables, queue) for queue in layout.queue_places)
    copies = tuple(block.key for block in blocks if block.kind.key_type is COPY)
    if copies:
        named[COPY.name] = copies
    beside = None if layout is None else SystemValues(layout)
    return ModelNames(tuple(named.items()), owners, columns, beside)


def _queue_owner(tables: SystemTables, queue: EventQueue) -> ColumnOwner:
    """Return whose a queue is: of its sender, unless all share it, and of its receiver."""
    ends = {"sender": queue.sender, "receiver": queue.receiver}
    ends = {name: end for name, end in ends.items() if end[0]}
    fields = tuple((name, tables.parts[part].each or TEXT) for name, (part, _) in ends.items())
    key = make_record("queue", tuple(ends), [key for _, key in ends.values()])
    content = queue.name, queue.sender[0], queue.receiver[0]
    return ColumnOwner(content, RecordType("queue", fields), key)
