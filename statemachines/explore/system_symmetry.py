"""Interchangeable names in a system: one row stands for all that differ in nothing but which name is which.

Parts with the keys of an `id` type change places with them; names within snapshots, shared variables, parameters and waiting events are
renamed with the same renaming, so whatever compares names finds the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import define, evolve, field

from statemachines.explore.columns import Row
from statemachines.explore.scopes import id_types
from statemachines.explore.search import Canonical
from statemachines.explore.symmetry import MOST, Names, permuted, renamings
from statemachines.explore.system_world import SystemWorld
from statemachines.model.data import Parameter, Variable
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import Link, Waiting
from statemachines.model.types import Type
from statemachines.model.values import FrozenMap
from statemachines.semantics.mistakes import ArgumentsError


def canonical_system(world: SystemWorld) -> Canonical:
    """Return the function that picks one row of each class.

    Raises:
        ArgumentsError: there are more than 50,000 ways of renaming.
    """
    types: dict[str, tuple[Value, ...]] = {}
    for part in world.tables.parts:
        machine = world.tables.tables[part].machine
        types |= {one.name: world.extents[part].ids(one) for one in id_types(machine)}
    types |= {one.name: world.extent.ids(one) for one in id_types(world.tables.behaviour.machine)}
    named = [(name, ids) for name, ids in types.items() if len(ids) > 1]
    ways = math.prod(math.factorial(len(ids)) for _, ids in named)
    if ways > MOST:
        raise ArgumentsError(f"{ways:,} ways of renaming {', '.join(name for name, _ in named)} are too many; explore fewer of them")
    changes = [_Renaming(world, names) for names in renamings(named)]
    return lambda row: min(change.of(row) for change in changes)


@define(eq=False)
class _Renaming:
    """One way of renaming, remembered by the numbers of the values."""

    world: SystemWorld
    names: Names
    order: list[int] = field(init=False)
    """For each column of a part, the column whose value comes there."""
    held: dict[tuple[str, int], int] = field(factory=dict)
    rest: dict[tuple[int, int], int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        place = {one: number for number, one in enumerate(self.world.places)}
        self.order = [0] * len(place)
        for (name, key), number in place.items():
            self.order[place[name, self._key(name, key)]] = number

    def of(self, row: Row) -> Row:
        """Return a row with other names in it."""
        parts = [self._held(self.world.places[number][0], row[number]) for number in self.order]
        return (*parts, *(self._rest(place, row[place - 3]) for place in range(3)))

    def _key(self, part: str, key: Value) -> Value:
        each = self.world.tables.parts[part].each
        return key if each is None else permuted(each, key, self.names)

    def _held(self, name: str, number: int) -> int:
        found = self.held.get((name, number))
        if found is None:
            numbers = self.world.held[name]
            one: Snapshot | None = numbers.values[number]  # type: ignore[assignment]  # its column holds nothing else
            found = self.held[name, number] = numbers.number(None if one is None else self._snapshot(name, one))
        return found

    def _snapshot(self, name: str, one: Snapshot) -> Snapshot:
        data = self.world.tables.tables[name].machine.data
        return evolve(one, variables=self._values(data.variables, one.variables), parameters=self._values(data.parameters, one.parameters))

    def _values(self, declared: tuple[Variable, ...] | tuple[Parameter, ...], values: Mapping[str, Value]) -> Mapping[str, Value]:
        types: dict[str, Type] = {each.name: each.type for each in declared}
        return FrozenMap({name: permuted(types[name], value, self.names) for name, value in values.items()})

    def _rest(self, place: int, number: int) -> int:
        found = self.rest.get((place, number))
        if found is None:
            numbers = (self.world.shared, self.world.parameters, self.world.waiting)[place]
            found = self.rest[place, number] = numbers.number(self._changed(place, numbers.values[number]))
        return found

    def _changed(self, place: int, values: object) -> object:
        data = self.world.system.data
        if place < 2:
            return self._values(data.parameters if place else data.variables, values)  # type: ignore[arg-type]  # maps of values
        waiting: Mapping[Waiting, Mapping[str, Value]] = values  # type: ignore[assignment]
        return FrozenMap({self._place(one): self._arguments(one, given) for one, given in waiting.items()})

    def _place(self, waiting: Waiting) -> Waiting:
        link = self._link(waiting)
        sent = link.send.part if link.send is not None else ""
        return Waiting(waiting.link, self._key(link.on, waiting.sender), self._key(sent, waiting.receiver))

    def _arguments(self, waiting: Waiting, given: Mapping[str, Value]) -> Mapping[str, Value]:
        link = self._link(waiting)
        if link.send is None or not given:
            return FrozenMap(given)
        signature = self.world.tables.tables[link.send.part].behaviour.signature(link.send.event)
        types = {argument.name: argument.type for argument in signature.arguments}
        return FrozenMap({name: permuted(types[name], value, self.names) for name, value in given.items()})

    def _link(self, waiting: Waiting) -> Link:
        return next(one for one in self.world.system.links if one.number == waiting.link)
