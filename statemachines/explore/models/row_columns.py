"""Snapshots as rows of small numbers: every value that a state, a parameter or a variable ever has
gets a number once. A total map over a small set is several columns, one a key (`map_columns`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.checkpoints.encoded_values import decode_value, encode_value
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import (
    TRUE,
    Expression,
    ItemAccess,
    Literal,
    MapGet,
    Name,
    NameKind,
    rebuild,
)
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
from statemachines.semantics.machine.machine_tables import MachineTables

Row = tuple[int, ...]
"""A snapshot: the number of the value in each column; of several machines, one after the other."""
NO_VALUE = "no value of this key"
"""Stands in the column of a key that a map does not have: it is of no type."""


@define(eq=False)
class ValueColumn:
    """The values of one column of a row, numbered as they are met."""

    name: str
    leaves_range: Callable[[Any], bool] = field(kw_only=True)
    """Whether an integer without bounds, anywhere within a value, lies outside the range that is
    explored.
    """
    is_fixed: bool = field(default=False, kw_only=True)
    """Whether it has all its values at the beginning."""
    values: list[Any] = field(factory=list)
    ids: dict[Any, int] = field(factory=dict)
    out_of_range: list[bool] = field(factory=list)
    """By number: whether such an integer has left that range."""
    write: Callable[[Any], object] = field(default=encode_value, kw_only=True)
    """Makes plain data of a value."""
    read: Callable[[Any], Any] = field(default=decode_value, kw_only=True)
    """Makes a value of plain data."""

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
    key: Value = None
    """Of a map that has a column for each of its keys."""
    is_item: bool = False
    """Whether it holds one key of a map."""

    def part(self, value: Value) -> Value:
        """Return what a column holds of a variable's value."""
        if not self.is_item:
            return value
        assert isinstance(value, Mapping)
        return value.get(self.key, NO_VALUE)


@frozen(eq=False)
class ColumnPlaces:
    """Where the parameters and variables of a machine stand in its rows."""

    tables: MachineTables
    columns: tuple[Column, ...]
    places: dict[tuple[str, bool], Row]
    """A name, and whether it is a parameter or the state, to its columns."""
    items: dict[tuple[str, Value], int]
    """A variable and a key, to its column."""

    def variable(self, name: str) -> Row:
        """Return the columns of a variable."""
        return self.places[name, False]

    @property
    def keys(self) -> dict[str, tuple[Value, ...]]:
        """The maps that are columns, with their keys."""
        keys = dict[str, tuple[Value, ...]]()
        for name, key in self.items:
            keys[name] = (*keys.get(name, ()), key)
        return keys

    def read_by(self, nodes: Iterable[Expression]) -> set[int]:
        """Return the columns that expressions look at, through definitions too."""
        read = set[int]()
        listed = list(nodes)
        if self.items:
            listed = [self._without_items(node, read) for node in listed]
        for name in self.tables.behaviour.compiler.all_used_names(listed):
            if name.kind in (NameKind.VARIABLE, NameKind.PARAMETER, NameKind.STATE):
                read.update(self.places[name.name, name.kind is not NameKind.VARIABLE])
        return read

    def _without_items(self, node: Expression, read: set[int]) -> Expression:
        """Leave out what looks at one key of a map, and note its column."""
        match node:
            case (
                ItemAccess(container=Name(kind=NameKind.VARIABLE, name=name), key=Literal() as key)
                | MapGet(map=Name(kind=NameKind.VARIABLE, name=name), key=Literal() as key)
            ) if (name, key.value) in self.items:
                read.add(self.items[name, key.value])
                return TRUE
        return rebuild(node, lambda part: self._without_items(part, read))


def column_places(tables: MachineTables, columns: tuple[Column, ...]) -> ColumnPlaces:
    """Return where what stands in the rows of a machine."""
    places, items = dict[tuple[str, bool], Row](), dict[tuple[str, Value], int]()
    for place, column in enumerate(columns):
        named = column.name, place <= len(tables.machine.data.parameters)
        places[named] = (*places.get(named, ()), place)
        if column.is_item:
            items[column.name, column.key] = place
    return ColumnPlaces(tables, columns, places, items)


def new_column(name: str, type_: Type | None, integers: tuple[int, int]) -> Column:
    """Return the column of a state (no type), a parameter or a variable."""
    if type_ is None or not has_unbounded_integers(type_):
        return Column(name, type=type_, leaves_range=is_never_outside)
    beyond = partial(leaves_integer_range, type_, integers=integers)
    return Column(name, type=type_, leaves_range=beyond)


def is_never_outside(value: object) -> bool:
    """Say of a value in which there are no integers without bounds that it is within the range."""
    return False


def machine_columns(
    machine: MachineDefinition,
    integers: tuple[int, int],
    keys: Mapping[str, tuple[Value, ...]],
) -> tuple[Column, ...]:
    """Return the columns of a machine: the state, its parameters, its variables; of a map in `keys`
    one a key.
    """
    state = new_column("state", None, integers)
    state.is_fixed = True
    for declared in machine.states:
        state.value_id(declared.name)
    data = machine.data
    parameters = [
        new_column(parameter.name, parameter.type, integers) for parameter in data.parameters
    ]
    for column in parameters:
        column.is_fixed = True
    variables = list[Column]()
    for variable in data.variables:
        if variable.name not in keys:
            variables.append(new_column(variable.name, variable.type, integers))
            continue
        assert isinstance(variable.type, MapType)
        for key in keys[variable.name]:
            column = new_column(variable.name, variable.type.value, integers)
            column.key, column.is_item, column.is_fixed = key, True, True
            variables.append(column)
    return (state, *parameters, *variables)


def has_unbounded_integers(type_: Type) -> bool:
    """Tell whether a type has integers without bounds within it; elements of a set are bounded by
    it.
    """
    return any(
        isinstance(part, IntType) and None in (part.low, part.high)
        for part in nested_types(type_, of_elements=False)
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
