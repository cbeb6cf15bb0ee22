"""What is looked at while a machine runs: whether a value is of its type, as Python source over values of the right kind."""

from __future__ import annotations

import itertools

from statemachines.model.types import (
    BagType,
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.semantics.source import Writer

_numbers = itertools.count()


def check_of(writer: Writer, type_: Type, value: str) -> str:
    """Return a Python condition that is true where a value of the right kind is of a type; empty where nothing needs to be looked at."""
    match type_:
        case IntType():
            return _range(type_, value)
        case ElementType():
            return _both(f"{value} in {writer.write(type_.of)}", check_of(writer, type_.base, value))
        case SetType():
            return _set(writer, type_, value)
        case ListType() | BagType():
            return _each(writer, type_.item, value)
        case MapType():
            return _map(writer, type_, value)
        case OptionalType():
            inner = check_of(writer, type_.item, value)
            return f"({value} is None or {inner})" if inner else ""
        case RecordType():
            return _both(*(check_of(writer, field, f"{value}.{name}") for name, field in type_.fields))
    return ""


def _both(*conditions: str) -> str:
    asked = [condition for condition in conditions if condition]
    return f"({' and '.join(asked)})" if asked else ""


def _range(type_: IntType, value: str) -> str:
    low = "" if type_.low is None else f"{type_.low} <= "
    high = "" if type_.high is None else f" <= {type_.high}"
    return f"({low}{value}{high})" if low or high else ""


def _each(writer: Writer, item: Type, walked: str) -> str:
    variable = f"e{next(_numbers)}"
    inner = check_of(writer, item, variable)
    return f"all({inner} for {variable} in {walked})" if inner else ""


def _set(writer: Writer, type_: SetType, value: str) -> str:
    if isinstance(type_.item, ElementType):
        within = f"{value} <= {_as_set(writer, type_.item)}"
        return _both(within, check_of(writer, SetType(type_.item.base), value))
    return _each(writer, type_.item, value)


def _as_set(writer: Writer, type_: ElementType) -> str:
    """Write the set that stands for a type as something that sets compare with."""
    return writer.write(type_.of) if isinstance(type_.of.type, SetType) else f"frozenset({writer.write(type_.of)})"


def _map(writer: Writer, type_: MapType, value: str) -> str:
    """Check the keys (all of them where it is total), then each value."""
    if isinstance(type_.key, ElementType):
        sign = "==" if type_.total else "<="
        keys = f"{value}.keys() {sign} {_as_set(writer, type_.key)}"
    else:
        keys = _both(f"len({value}) == {_size(type_.key)}" if type_.total else "", _each(writer, type_.key, value))
    return _both(keys, _each(writer, type_.value, f"{value}.values()"))


def _size(key: Type) -> int:
    """Return how many values a finite type has."""
    if isinstance(key, IntType) and key.low is not None and key.high is not None:
        return key.high - key.low + 1
    return len(getattr(key, "members", (False, True)))
