"""A caller's values to a machine's values: mutable ones become immutable, what is of another kind
is the caller's mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from statemachines.model.definitions.snapshots import Value
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.frozen_values import FrozenMap, record_class
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError


def accept_value(type_: Type, value: Any) -> Value:
    """Return a value as the machine has it.

    Bounds, and the sets that stand for types, are looked at elsewhere: they depend on the snapshot.

    Args:
        type_: what the value shall be of.
        value: as a caller gave it: lists and sets of Python, dictionaries, numbers, text.

    Returns:
        An equal value that is frozen.

    Raises:
        ArgumentsError: it is of another kind.

    >>> sorted(accept_value(SetType(IntType()), [2, 1, 2]))
    [1, 2]
    """
    match type_:
        case ElementType():
            return accept_value(type_.base, value)
        case OptionalType():
            return None if value is None else accept_value(type_.item, value)
        case BoolType():
            return _require_kind(type_, value, isinstance(value, bool))
        case IntType():
            return _require_kind(
                type_, value, isinstance(value, int) and not isinstance(value, bool)
            )
        case EnumType():
            return _accept_member(type_, value)
        case TextType():
            return _require_kind(type_, value, isinstance(value, str))
        case SetType():
            return frozenset(
                accept_value(type_.item, item) for item in _accepted_items(type_, value)
            )
        case ListType():
            return tuple(
                accept_value(type_.item, item)
                for item in _accepted_items(type_, value, ordered=True)
            )
        case MapType():
            return _accept_map(type_, value)
        case RecordType():
            return _accept_record(type_, value)
    return _accept_id(type_, value)


def _require_kind(type_: Type, value: Any, fits: bool) -> Value:
    if not fits:
        raise ArgumentsError(f"{value!r} is not of type `{type_}`")
    return value


def _accept_member(type_: EnumType, value: Any) -> Value:
    if not isinstance(value, str) or value not in type_.members:
        raise ArgumentsError(
            f"{value!r} is no `{type_}`; {did_you_mean(str(value), type_.members)}"
        )
    return str(value)


def _accepted_items(type_: Type, value: Any, *, ordered: bool = False) -> Iterator[Any]:
    if isinstance(value, list | tuple) or (not ordered and isinstance(value, set | frozenset)):
        return iter(value)
    raise ArgumentsError(f"{value!r} is not of type `{type_}`")


def _accept_map(type_: MapType, value: Any) -> Value:
    if not isinstance(value, Mapping):
        raise ArgumentsError(f"{value!r} is not of type `{type_}`")
    return FrozenMap(
        {
            accept_value(type_.key, key): accept_value(type_.value, item)
            for key, item in value.items()
        }
    )


def _accept_record(type_: RecordType, value: Any) -> Value:
    """Take a record's named tuple, or a mapping with its fields."""
    names = tuple(name for name, _ in type_.fields)
    if isinstance(value, Mapping) and set(value) == set(names):
        given = [value[name] for name in names]
    elif (
        isinstance(value, tuple)
        and getattr(value, "_fields", names) == names
        and len(value) == len(names)
    ):
        given = list(value)
    else:
        raise ArgumentsError(f"{value!r} is no `{type_}` with the fields {', '.join(names)}")
    made: Callable[..., Value] = record_class(type_.name, names)
    return made(
        *(accept_value(field, item) for (_, field), item in zip(type_.fields, given, strict=True))
    )


def _accept_id(type_: Type, value: Any) -> Value:
    """Take an opaque name: anything that can be an element of a set."""
    try:
        hash(value)
    except TypeError:
        raise ArgumentsError(f"{value!r} cannot be a `{type_}`: it has no hash") from None
    if value is None:
        raise ArgumentsError(f"None is no `{type_}`")
    return value
