"""Snapshots as rows of small numbers: every value that a state, a parameter or a variable ever has
gets a number once.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import (
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_type,
    nested_types,
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
    ids: dict[Value, int] = field(factory=dict)
    out_of_range: list[bool] = field(factory=list)
    """By number: whether an integer without bounds has left the range that is explored."""

    def value_id(self, value: Value) -> int:
        """Return the number of a value; a new one for a value that was never met."""
        found = self.ids.get(value)
        if found is None:
            found = self.ids[value] = len(self.values)
            self.values.append(value)
            self.out_of_range.append(
                self.type is not None and leaves_integer_range(self.type, value, self.integers)
            )
        return found


def machine_columns(machine: MachineDefinition, integers: tuple[int, int]) -> tuple[Column, ...]:
    """Return the columns of a machine: the state, its parameters, its variables."""
    state = Column("state", None, integers)
    for one in machine.states:
        state.value_id(one.name)
    data = machine.data
    parameters = (Column(parameter.name, parameter.type, integers) for parameter in data.parameters)
    variables = (Column(variable.name, variable.type, integers) for variable in data.variables)
    return (state, *parameters, *variables)


def has_unbounded_integers(type_: Type) -> bool:
    """Tell whether a type has integers without bounds within it."""
    return any(
        isinstance(part, IntType) and None in (part.low, part.high) for part in nested_types(type_)
    )


def leaves_integer_range(type_: Type, value: Value, integers: tuple[int, int]) -> bool:
    """Tell whether an integer without bounds lies outside a range, anywhere within a value."""
    return has_unbounded_integers(type_) and any(
        _is_beyond_range(part, number, integers)
        for part, number in _integers_within(base_type(type_), value)
    )


def _is_beyond_range(type_: IntType, number: int, integers: tuple[int, int]) -> bool:
    return (type_.low is None and number < integers[0]) or (
        type_.high is None and number > integers[1]
    )


def _integers_within(type_: Type, value: Value) -> Iterator[tuple[IntType, int]]:
    """Yield every integer within a value with its type."""
    match type_, value:
        case IntType(), int():
            yield type_, value
        case ElementType(), _:
            yield from _integers_within(type_.base, value)
        case OptionalType(), _ if value is not None:
            yield from _integers_within(type_.item, value)
        case ((SetType() | ListType()), (frozenset() | tuple())):
            for item in value:
                yield from _integers_within(type_.item, item)
        case MapType(), dict():
            for key, item in value.items():
                yield from _integers_within(type_.key, key)
                yield from _integers_within(type_.value, item)
        case RecordType(), tuple():
            for (_, inner), item in zip(type_.fields, value, strict=True):
                yield from _integers_within(inner, item)
