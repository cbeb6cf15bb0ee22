"""Proofs by types that have a few values only: is a value one of them, are these all of them."""

from __future__ import annotations

from statemachines.model.language.expression_nodes import Expression, Literal, MapDisplay
from statemachines.model.language.value_types import EnumType, IntType, Type
from statemachines.notation.typing.type_agreement import element_type, is_same_kind


def range_literals(known: Expression) -> tuple[Expression, ...] | None:
    """Return the elements of a range's name.

    Args:
        known: the name of a range.

    Returns:
        One literal a number, in no order; None where it is no range of numbers.
    """
    if (
        not isinstance(known, Literal)
        or not isinstance(known.value, frozenset)
        or not isinstance(element_type(known.type), IntType)
    ):
        return None
    return tuple(Literal(number, type=IntType(number, number)) for number in known.value)


def has_all_keys(made: MapDisplay, type_: Type) -> bool:
    """Tell whether the keys of a display are all values of a type.

    Args:
        made: the map that is written out.
        type_: of its keys.

    Returns:
        False of a type without end, too.
    """
    keys = {key.value for key, _ in made.pairs if isinstance(key, Literal)}
    match type_:
        case EnumType():
            return keys >= set(type_.members)
        case IntType(int(low), int(high)):
            return high - low < len(keys) and keys >= set(range(low, high + 1))
    return False


def is_finite_member(element: Expression, type_: Type) -> bool:
    """Tell whether a value is surely one of a finite type.

    Args:
        element: a typed expression.
        type_: that has few values.

    Returns:
        False where it is not known.
    """
    if isinstance(type_, IntType) and isinstance(element.type, IntType):
        low, high = element.type.low, element.type.high
        return (
            low is not None
            and high is not None
            and _at_least(low, type_.low)
            and _at_least(type_.high, high)
        )
    return not isinstance(type_, IntType) and is_same_kind(element.type, type_)


def _at_least(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one >= other
