"""Snapshots as rows of small numbers: every value that a state, a parameter or a variable ever has gets a number once."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from statemachines.model.machines import Machine
from statemachines.model.snapshots import Value
from statemachines.model.types import (
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_of,
    types_within,
)

Row = tuple[int, ...]
"""A snapshot: the number of the value in each column; of several machines, one after the other."""


@define(eq=False)
class Column:
    """The values of one state, parameter or variable, numbered as they are met."""

    name: str
    type: Type | None
    """None for the state."""
    integers: tuple[int, int]
    """The range that is explored of integers without bounds."""
    values: list[Value] = field(factory=list)
    numbers: dict[Value, int] = field(factory=dict)
    outside: list[bool] = field(factory=list)
    """By number: whether an integer without bounds has left the range that is explored."""

    def number(self, value: Value) -> int:
        """Return the number of a value; a new one for a value that was never met."""
        found = self.numbers.get(value)
        if found is None:
            found = self.numbers[value] = len(self.values)
            self.values.append(value)
            self.outside.append(self.type is not None and is_outside(self.type, value, self.integers))
        return found


def columns_of(machine: Machine, integers: tuple[int, int]) -> tuple[Column, ...]:
    """Return the columns of a machine: the state, its parameters, its variables."""
    state = Column("state", None, integers)
    for one in machine.states:
        state.number(one.name)
    data = machine.data
    parameters = (Column(parameter.name, parameter.type, integers) for parameter in data.parameters)
    variables = (Column(variable.name, variable.type, integers) for variable in data.variables)
    return (state, *parameters, *variables)


def is_open(type_: Type) -> bool:
    """Tell whether a type has integers without bounds within it."""
    return any(isinstance(part, IntType) and None in (part.low, part.high) for part in types_within(type_))


def is_outside(type_: Type, value: Value, integers: tuple[int, int]) -> bool:
    """Tell whether an integer without bounds lies outside a range, anywhere within a value."""
    return is_open(type_) and any(_beyond(part, number, integers) for part, number in _numbers(base_of(type_), value))


def _beyond(type_: IntType, number: int, integers: tuple[int, int]) -> bool:
    return (type_.low is None and number < integers[0]) or (type_.high is None and number > integers[1])


def _numbers(type_: Type, value: Value) -> Iterator[tuple[IntType, int]]:
    """Yield every integer within a value with its type."""
    match type_, value:
        case IntType(), int():
            yield type_, value
        case ElementType(), _:
            yield from _numbers(type_.base, value)
        case OptionalType(), _ if value is not None:
            yield from _numbers(type_.item, value)
        case ((SetType() | ListType()), (frozenset() | tuple())):
            for item in value:
                yield from _numbers(type_.item, item)
        case MapType(), dict():
            for key, item in value.items():
                yield from _numbers(type_.key, key)
                yield from _numbers(type_.value, item)
        case RecordType(), tuple():
            for (_, inner), item in zip(type_.fields, value, strict=True):
                yield from _numbers(inner, item)
