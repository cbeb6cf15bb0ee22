"""Whether a value that a line gives is within the bounds of its declared type."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import (
    ElementType,
    IntType,
    ListType,
    OptionalType,
    SetType,
    Type,
)


def is_within_bounds(type_: Type, value: Value) -> bool:
    """Tell whether a value of the right kind is within the bounds of its type.

    Sets of the machine that stand for types are not looked at: a log may not tell them.

    Args:
        type_: as declared.
        value: of the kind of the type.

    Returns:
        False where a number is beyond its bounds, alone or among others.

    >>> is_within_bounds(IntType(0, 3), 9), is_within_bounds(OptionalType(IntType(0, 3)), None)
    (False, True)
    """
    match type_:
        case IntType():
            assert isinstance(value, int)
            above = type_.low is None or type_.low <= value
            return above and (type_.high is None or value <= type_.high)
        case OptionalType():
            return value is None or is_within_bounds(type_.item, value)
        case ElementType():
            return is_within_bounds(type_.base, value)
        case SetType() | ListType():
            assert isinstance(value, Iterable)
            return all(is_within_bounds(type_.item, item) for item in value)
    return True
