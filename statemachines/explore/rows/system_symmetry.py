"""Interchangeable names in a system: one row stands for all that differ in nothing but which name
is which.

Parts with the keys of an `id` type change places with them; names within snapshots, shared
variables, parameters and waiting events are renamed with the same renaming, so whatever compares
names finds the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from attrs import define, evolve, field

from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.scopes import id_types
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.explore.rows.symmetry import (
    MOST_PERMUTATIONS,
    Renaming,
    all_renamings,
    renamed_value,
)
from statemachines.model.definitions.data_definitions import Parameter, Variable
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import Link, PendingEvent
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import Type
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.channels import ordered_waiting


def build_canonical_system_row(world: SystemModel) -> CanonicalRow:
    """Return the function that picks one row of each class.

    Raises:
        ArgumentsError: there are more than 50,000 ways of renaming.
    """
    types: dict[str, tuple[Value, ...]] = {}
    for part in world.tables.parts:
        machine = world.tables.tables[part].machine
        types |= {one.name: world.extents[part].id_values(one) for one in id_types(machine)}
    types |= {
        one.name: world.extent.id_values(one) for one in id_types(world.tables.behaviour.machine)
    }
    named = [(name, ids) for name, ids in types.items() if len(ids) > 1]
    arrangements = math.prod(math.factorial(len(ids)) for _, ids in named)
    if arrangements > MOST_PERMUTATIONS:
        raise ArgumentsError(
            f"{arrangements:,} ways of renaming {', '.join(name for name, _ in named)} are too"
            " many; explore fewer of them"
        )
    changes = [_SystemRenaming(world, names) for names in all_renamings(named)]
    return lambda row: min(change.renamed(row) for change in changes)


@define(eq=False)
class _SystemRenaming:
    """One way of renaming, remembered by the numbers of the values."""

    world: SystemModel
    names: Renaming
    order: list[int] = field(init=False)
    """For each column of a part, the column whose value comes there."""
    known_numbers: dict[tuple[int, int], int] = field(factory=dict)
    """A column (the `id` of its numbers) and a number, to the number with other names."""

    def __attrs_post_init__(self) -> None:
        index = {one: number for number, one in enumerate(self.world.layout.part_keys)}
        self.order = [0] * len(index)
        for (name, key), number in index.items():
            self.order[index[name, self._renamed_key(name, key)]] = number

    def renamed(self, row: Row) -> Row:
        """Return a row with other names in it."""
        parts = [self._renamed_number(number, row[number]) for number in self.order]
        shared = range(len(self.order), len(row))
        return (*parts, *(self._renamed_number(index, row[index]) for index in shared))

    def _renamed_key(self, part: str, key: Value) -> Value:
        each = self.world.tables.parts[part].each
        return key if each is None else renamed_value(each, key, self.names)

    def _renamed_number(self, index: int, number: int) -> int:
        """Return the number of a value in a column with other names in it."""
        column = self.world.columns[index]
        found = self.known_numbers.get((id(column), number))
        if found is None:
            renamed = self._renamed_value(index, column.values[number])
            found = self.known_numbers[id(column), number] = column.value_id(renamed)
        return found

    def _renamed_value(self, index: int, value: Any) -> object:
        layout, data = self.world.layout, self.world.system.data
        if index < len(layout.part_keys):
            name = layout.part_keys[index][0]
            return None if value is None else self._renamed_snapshot(name, value)
        if index == layout.parameters_place:
            return self._renamed_values(data.parameters, value)
        if index == layout.waiting_place:
            renamed = {
                self._renamed_waiting(one): self._renamed_arguments(one, given)
                for one, given in value.items()
            }
            return FrozenMap(ordered_waiting(self.world.tables, renamed))
        return renamed_value(data.variables[index - len(self.order)].type, value, self.names)

    def _renamed_snapshot(self, name: str, one: Snapshot) -> Snapshot:
        data = self.world.tables.tables[name].machine.data
        return evolve(
            one,
            variables=self._renamed_values(data.variables, one.variables),
            parameters=self._renamed_values(data.parameters, one.parameters),
        )

    def _renamed_values(
        self, declared: tuple[Variable, ...] | tuple[Parameter, ...], values: Mapping[str, Value]
    ) -> Mapping[str, Value]:
        types: dict[str, Type] = {each.name: each.type for each in declared}
        return FrozenMap(
            {name: renamed_value(types[name], value, self.names) for name, value in values.items()}
        )

    def _renamed_waiting(self, waiting: PendingEvent) -> PendingEvent:
        link = self._waiting_link(waiting)
        sent = link.send.part if link.send is not None else ""
        return PendingEvent(
            waiting.link,
            self._renamed_key(link.on, waiting.sender),
            self._renamed_key(sent, waiting.receiver),
            waiting.position,
        )

    def _renamed_arguments(
        self, waiting: PendingEvent, given: Mapping[str, Value]
    ) -> Mapping[str, Value]:
        link = self._waiting_link(waiting)
        if link.send is None or not given:
            return FrozenMap(given)
        signature = self.world.tables.tables[link.send.part].behaviour.signature(link.send.event)
        types = {argument.name: argument.type for argument in signature.arguments}
        return FrozenMap(
            {name: renamed_value(types[name], value, self.names) for name, value in given.items()}
        )

    def _waiting_link(self, waiting: PendingEvent) -> Link:
        return self.world.tables.link_of[waiting.link]
