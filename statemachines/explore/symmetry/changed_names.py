"""Values with other names in them, and values as one name sees them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.model.language.value_types import (
    ElementType,
    IdType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)

Renaming = Mapping[tuple[str, Value], Value]
"""(type, name) to the name that takes its place."""


def renamed_value(type_: Type | None, value: Value, names: Renaming) -> Value:
    """Return a value with other names in it.

    Args:
        type_: of the value; None: it holds no names.
        value: as a snapshot has it.
        names: which name stands for which.

    Returns:
        A value of the same type.
    """
    match type_, value:
        case IdType(), _:
            return names.get((type_.name, value), value)
        case ElementType(), _:
            return renamed_value(type_.base, value, names)
        case OptionalType(), _ if value is not None:
            return renamed_value(type_.item, value, names)
        case SetType(), frozenset():
            return frozenset(renamed_value(type_.item, item, names) for item in value)
        case ListType(), tuple():
            return tuple(renamed_value(type_.item, item, names) for item in value)
        case MapType(), dict():
            return FrozenMap(
                {
                    renamed_value(type_.key, key, names): renamed_value(type_.value, item, names)
                    for key, item in value.items()
                }
            )
        case RecordType(), tuple():
            fields = tuple(name for name, _ in type_.fields)
            return make_record(
                type_.name,
                fields,
                [
                    renamed_value(f, item, names)
                    for (_, f), item in zip(type_.fields, value, strict=True)
                ],
            )
    return value


def value_signature(type_: Type | None, value: Value, kind: str, name: Value) -> Hashable:
    """Return a value as one name of an `id` type sees it: its own places are marked, and all other
    names are alike.

    Args:
        type_: of the value; None: it holds no names.
        value: as a snapshot has it.
        kind: the `id` type whose names change places.
        name: one of its names.

    Returns:
        What is equal for values that differ in other names only.
    """
    match type_, value:
        case IdType(), _:
            return 1 if type_.name == kind and value == name else 0
        case ElementType(), _:
            return value_signature(type_.base, value, kind, name)
        case OptionalType(), _ if value is not None:
            return ("some", value_signature(type_.item, value, kind, name))
        case SetType(), frozenset():
            return tuple(
                sorted((value_signature(type_.item, item, kind, name) for item in value), key=repr)
            )
        case ListType(), tuple():
            return tuple(value_signature(type_.item, item, kind, name) for item in value)
        case MapType(), dict():
            pairs = (
                (
                    value_signature(type_.key, key, kind, name),
                    value_signature(type_.value, item, kind, name),
                )
                for key, item in value.items()
            )
            return tuple(sorted(pairs, key=repr))
        case RecordType(), tuple():
            return tuple(
                value_signature(inner, item, kind, name)
                for (_, inner), item in zip(type_.fields, value, strict=True)
            )
    return repr(value)
