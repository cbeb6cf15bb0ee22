"""Snapshots as rows of small numbers: every value that a state, a parameter or a variable ever has
gets a number once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

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
class ValueColumn:
    """The values of one column of a row, numbered as they are met."""

    name: str
    leaves_range: Callable[[Any], bool] = field(kw_only=True)
    """Whether an integer without bounds, anywhere within a value, lies outside the range that is
    explored.
    """
    values: list[Any] = field(factory=list)
    ids: dict[Any, int] = field(factory=dict)
    out_of_range: list[bool] = field(factory=list)
    """By number: whether such an integer has left that range."""

    def value_id(self, value: Any) -> int:
        """Return the number of a value; a new one for a value that was never met."""
        value_id = self.ids.get(value)
        if value_id is None:
            value_id = self.ids[value] = len(self.values)
            self.values.append(value)
            self.out_of_range.append(self.leaves_range(value))
        return value_id


@define(eq=False)
class Column(ValueColumn):
    """The values of one state, parameter or variable of a machine."""

    type: Type | None = None
    """None for the state."""


def _new_column(name: str, type_: Type | None, integers: tuple[int, int]) -> Column:
    """Return the column of a state (no type), a parameter or a variable.

    Args:
        name: of the parameter or variable.
        type_: of its values.
        integers: the range that is explored of integers without bounds.
    """
    if type_ is None or not has_unbounded_integers(type_):
        return Column(name, type=type_, leaves_range=_is_never_outside)
    beyond = partial(leaves_integer_range, type_, integers=integers)
    return Column(name, type=type_, leaves_range=beyond)


def _is_never_outside(value: object) -> bool:
    """Say of a value in which there are no integers without bounds that it is within the range."""
    return False


def machine_columns(machine: MachineDefinition, integers: tuple[int, int]) -> tuple[Column, ...]:
    """Return the columns of a machine: the state, its parameters, its variables."""
    state = _new_column("state", None, integers)
    for declared in machine.states:
        state.value_id(declared.name)
    data = machine.data
    parameters = (
        _new_column(parameter.name, parameter.type, integers) for parameter in data.parameters
    )
    variables = (_new_column(variable.name, variable.type, integers) for variable in data.variables)
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
