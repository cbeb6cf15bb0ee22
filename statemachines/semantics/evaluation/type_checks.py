"""What is looked at while a machine runs: whether a value is of its type, as Python source over
values of the right kind.
"""

from __future__ import annotations

import itertools

from statemachines.model.language.value_types import (
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
from statemachines.semantics.evaluation.python_source import PythonWriter

_variable_numbers = itertools.count()


def type_check_source(writer: PythonWriter, type_: Type, value: str) -> str:
    """Return a Python condition that is true where a value of the right kind is of a type; empty
    where nothing needs to be looked at.

    Args:
        writer: writes the expressions of bounds and sets.
        type_: of the value.
        value: a Python expression.

    Returns:
        A Python expression.
    """
    match type_:
        case IntType():
            return _range_check(type_, value)
        case ElementType():
            return _conjunction_source(
                f"{value} in {writer.expression_source(type_.set_expression)}",
                type_check_source(writer, type_.base, value),
            )
        case SetType():
            return _set_check(writer, type_, value)
        case ListType() | BagType():
            return _elements_check(writer, type_.item, value)
        case MapType():
            return _map_check(writer, type_, value)
        case OptionalType():
            inner = type_check_source(writer, type_.item, value)
            return f"({value} is None or {inner})" if inner else ""
        case RecordType():
            return _conjunction_source(
                *(
                    type_check_source(writer, field, f"{value}.{name}")
                    for name, field in type_.fields
                )
            )
    return ""


def _conjunction_source(*conditions: str) -> str:
    checks = [condition for condition in conditions if condition]
    return f"({' and '.join(checks)})" if checks else ""


def _range_check(type_: IntType, value: str) -> str:
    low = "" if type_.low is None else f"{type_.low} <= "
    high = "" if type_.high is None else f" <= {type_.high}"
    return f"({low}{value}{high})" if low or high else ""


def _elements_check(writer: PythonWriter, item: Type, walked: str) -> str:
    variable = f"e{next(_variable_numbers)}"
    inner = type_check_source(writer, item, variable)
    return f"all({inner} for {variable} in {walked})" if inner else ""


def _set_check(writer: PythonWriter, type_: SetType, value: str) -> str:
    if isinstance(type_.item, ElementType):
        within = f"{value} <= {_set_source(writer, type_.item)}"
        return _conjunction_source(
            within, type_check_source(writer, SetType(type_.item.base), value)
        )
    return _elements_check(writer, type_.item, value)


def _set_source(writer: PythonWriter, type_: ElementType) -> str:
    """Write the set that stands for a type as something that sets compare with."""
    return (
        writer.expression_source(type_.set_expression)
        if isinstance(type_.set_expression.type, SetType)
        else f"frozenset({writer.expression_source(type_.set_expression)})"
    )


def _map_check(writer: PythonWriter, type_: MapType, value: str) -> str:
    """Check the keys (all of them where it is total), then each value."""
    if isinstance(type_.key, ElementType):
        sign = "==" if type_.total else "<="
        keys = f"{value}.keys() {sign} {_set_source(writer, type_.key)}"
    else:
        keys = _conjunction_source(
            f"len({value}) == {_value_count(type_.key)}" if type_.total else "",
            _elements_check(writer, type_.key, value),
        )
    return _conjunction_source(keys, _elements_check(writer, type_.value, f"{value}.values()"))


def _value_count(key: Type) -> int:
    """Return how many values a finite type has."""
    if isinstance(key, IntType) and key.low is not None and key.high is not None:
        return key.high - key.low + 1
    return len(getattr(key, "members", (False, True)))
