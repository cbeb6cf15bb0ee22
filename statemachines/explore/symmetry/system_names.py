"""The interchangeable names of a system: parts with the keys of an `id` type change places with
them, and names within snapshots, shared variables, parameters and waiting events are renamed with
the same renaming, so whatever compares names finds the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.scopes import id_types
from statemachines.explore.symmetry.model_names import (
    Change,
    ColumnOwner,
    NamesBeside,
)
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import Link, PendingEvent
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.model.language.value_types import TEXT, RecordType
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.channels import EventQueue, ordered_waiting
from statemachines.semantics.system.system_tables import SystemTables


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
                    self._changed_sender(link, pending.sender, change),
                    self._changed_key(receiver, pending.receiver, change),
                    pending.position,
                ),
                self._changed_arguments(link, given, change),
            )

    def _changed_sender(self, link: Link, sender: Value, change: Change) -> Any:
        """Return the key of who has sent what waits; where all send to one queue there is none."""
        return None if sender is None else self._changed_key(link.on, sender, change)

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


def names_beside(layout: SystemColumns, extent: DomainSizes) -> NamesBeside:
    """Return the names of what stands beside the parts of a system.

    Args:
        layout: its columns.
        extent: of its own types.

    Returns:
        The names of its own types, and whose the columns of variables, parameters and queues are.
    """
    tables, values = layout.tables, SystemValues(layout)
    named = {type_.name: extent.id_values(type_) for type_ in id_types(tables.behaviour.machine)}
    places = (*layout.variable_places.values(), layout.parameters_place)
    queues = (_queue_owner(tables, queue) for queue in layout.queue_places)
    owners = (*map(ColumnOwner, places), *queues)
    return NamesBeside(named, owners, values.changed, values.joined)


def _queue_owner(tables: SystemTables, queue: EventQueue) -> ColumnOwner:
    """Return whose a queue is: of its sender, unless all share it, and of its receiver."""
    ends = {"sender": queue.sender, "receiver": queue.receiver}
    ends = {name: end for name, end in ends.items() if end[0]}
    fields = tuple((name, tables.parts[part].each or TEXT) for name, (part, _) in ends.items())
    key = make_record("queue", tuple(ends), [key for _, key in ends.values()])
    content = queue.name, queue.sender[0], queue.receiver[0]
    return ColumnOwner(content, RecordType("queue", fields), key)
