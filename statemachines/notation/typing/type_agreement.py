"""When two types agree: the type of a mixture, and what may stand where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeGuard

import attrs

from statemachines.model.language.value_types import (
    NEVER,
    BagType,
    ElementType,
    EnumType,
    ErrorType,
    FiniteType,
    IdType,
    IntType,
    ListType,
    MapType,
    NeverType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
    WordsType,
    base_type,
)


def joined_type(left: Type, right: Type) -> Type | None:
    """Return the type that has the values of both; None where the two are of different kinds. What
    stands beside a mistake is one itself, so that nothing more is told of the two.

    >>> str(joined_type(IntType(0, 3), IntType(2, 9)))
    '0..9'
    >>> str(joined_type(OptionalType(NEVER), IntType(1, 1)))
    '1..1?'

    Args:
        left: a type.
        right: a type.

    Returns:
        The narrowest such type.
    """
    if left == right or isinstance(right, NeverType) or isinstance(left, ErrorType):
        return left
    if isinstance(left, NeverType) or isinstance(right, ErrorType):
        return right
    if isinstance(left, OptionalType) or isinstance(right, OptionalType):
        return _wrapped_type(OptionalType, joined_type(_without_none(left), _without_none(right)))
    return _join_non_optional(base_type(left), base_type(right))


def _join_non_optional(left: Type, right: Type) -> Type | None:
    match left, right:
        case IntType(), IntType():
            return IntType(
                _combined_bound(min, left.low, right.low),
                _combined_bound(max, left.high, right.high),
            )
        case WordsType(), WordsType():
            return WordsType(left.members | right.members)
        case WordsType(), EnumType():
            return right if left.members <= set(right.members) else None
        case ((EnumType() | TextType()), WordsType()):
            return _join_non_optional(right, left)
        case WordsType(), TextType():
            return right
        case SetType(), SetType():
            return _wrapped_type(SetType, joined_type(left.item, right.item))
        case ListType(), ListType():
            return _wrapped_type(ListType, joined_type(left.item, right.item))
        case BagType(), BagType():
            return _wrapped_type(BagType, joined_type(left.item, right.item))
        case MapType(), MapType():
            return _join_maps(left, right)
        case RecordType(), RecordType():
            return _join_records(left, right)
    return left if left == right else None


def _combined_bound(
    choose: Callable[[int, int], int], left: int | None, right: int | None
) -> int | None:
    return None if left is None or right is None else choose(left, right)


def _wrapped_type(
    kind: type[SetType] | type[ListType] | type[BagType] | type[OptionalType], item: Type | None
) -> Type | None:
    return None if item is None else kind(item)


def _without_none(type_: Type) -> Type:
    return type_.item if isinstance(type_, OptionalType) else type_


def _join_maps(left: MapType, right: MapType) -> Type | None:
    key, value = joined_type(left.key, right.key), joined_type(left.value, right.value)
    if key is None or value is None:
        return None
    return MapType(key, value, total=left.total and right.total and left.key == right.key)


def _join_records(left: RecordType, right: RecordType) -> Type | None:
    if left.name != right.name or len(left.fields) != len(right.fields):
        return None
    joined = tuple(
        (name, joined_type(mine, theirs))
        for (name, mine), (_, theirs) in zip(left.fields, right.fields, strict=True)
    )
    fields = tuple((name, type_) for name, type_ in joined if type_ is not None)
    return RecordType(left.name, fields) if len(fields) == len(joined) else None


def is_same_kind(actual: Type, declared: Type) -> bool:
    """Tell whether a value of one type is of the kind of another; bounds and sets that stand for
    types are no part of it.

    Args:
        actual: of a value.
        declared: that is wanted.

    Returns:
        True too where what stands for an error is one of them.
    """
    actual, declared = base_type(actual), base_type(declared)
    if isinstance(actual, NeverType | ErrorType) or isinstance(declared, ErrorType):
        return True
    match actual, declared:
        case OptionalType(), OptionalType():
            return is_same_kind(actual.item, declared.item)
        case _, OptionalType():
            return is_same_kind(actual, declared.item)
        case SetType(), SetType():
            return is_same_kind(actual.item, declared.item)
        case ListType(), ListType():
            return is_same_kind(actual.item, declared.item)
        case MapType(), MapType():
            return is_same_kind(actual.key, declared.key) and is_same_kind(
                actual.value, declared.value
            )
        case RecordType(), RecordType():
            same = actual.name == declared.name and len(actual.fields) == len(declared.fields)
            return same and all(
                is_same_kind(mine, theirs)
                for (_, mine), (_, theirs) in zip(actual.fields, declared.fields, strict=True)
            )
        case IntType(), IntType():
            return True
        case WordsType(), EnumType():
            return actual.members <= set(declared.members)
        case WordsType(), TextType():
            return True
    return actual == declared


def has_the_values_of(wanted: Type, actual: Type) -> bool:
    """Tell whether the values of one type may be values of another that another spec declares:
    enumerations and records agree by what they are made of, whatever they are called, and values of
    an enumeration or a range may be opaque names there.

    Args:
        wanted: the type of one spec.
        actual: the type of another one.

    Returns:
        True where every value may be handed on.
    """
    wanted, actual = base_type(wanted), base_type(actual)
    match actual, wanted:
        case ((NeverType() | ErrorType()), _):
            return True
        case OptionalType(), OptionalType():
            return has_the_values_of(wanted.item, actual.item)
        case _, OptionalType():
            return has_the_values_of(wanted.item, actual)
        case SetType(), SetType():
            return has_the_values_of(wanted.item, actual.item)
        case ListType(), ListType():
            return has_the_values_of(wanted.item, actual.item)
        case MapType(), MapType():
            return has_the_values_of(wanted.key, actual.key) and has_the_values_of(
                wanted.value, actual.value
            )
        case RecordType(), RecordType():
            pairs = zip(actual.fields, wanted.fields, strict=False)
            return len(actual.fields) == len(wanted.fields) and all(
                mine == theirs and has_the_values_of(needed, held)
                for (mine, held), (theirs, needed) in pairs
            )
        case EnumType(), EnumType():
            return set(actual.members) <= set(wanted.members)
        case _, IdType():
            return _is_finite(actual)
    return is_same_kind(actual, wanted)


def _is_finite(type_: Type) -> TypeGuard[FiniteType]:
    if isinstance(type_, IntType):
        return None not in (type_.low, type_.high)
    return isinstance(type_, EnumType | IdType)


def types_of_ids(wanted: Type, actual: Type) -> Iterator[tuple[str, FiniteType]]:
    """Yield the `id` types of one type, each with the type of the other whose values stand for its
    own.

    Args:
        wanted: the type of one spec.
        actual: the type of another one, which has the values of it.

    Yields:
        The name of the `id` type, and the other type; a name may come several times.
    """
    wanted, actual = base_type(wanted), base_type(actual)
    if isinstance(wanted, IdType):
        if _is_finite(actual):
            yield wanted.name, actual
        return
    if isinstance(wanted, OptionalType) and not isinstance(actual, OptionalType):
        actual = OptionalType(actual)
    for theirs, ours in zip(_parts(wanted), _parts(actual), strict=False):
        yield from types_of_ids(theirs, ours)


def _parts(type_: Type) -> tuple[Type, ...]:
    match type_:
        case SetType() | ListType() | BagType() | OptionalType():
            return (type_.item,)
        case MapType():
            return type_.key, type_.value
        case RecordType():
            return tuple(field for _, field in type_.fields)
    return ()


def element_type(type_: Type) -> Type | None:
    """Return the type of what `for x in` gives; None where nothing can be walked.

    Args:
        type_: of what is walked.

    Returns:
        The type of an element, or of a key.
    """
    type_ = base_type(type_)
    if isinstance(type_, SetType | ListType | BagType):
        return type_.item
    if isinstance(type_, MapType):
        return type_.key
    return type_ if isinstance(type_, ErrorType) else None


def is_ordered(type_: Type) -> bool:
    """Tell whether walking it has one order.

    Args:
        type_: of what is walked.

    Returns:
        True of lists and ranges.
    """
    return isinstance(base_type(type_), ListType | ErrorType)


def joined_types(types: tuple[Type, ...]) -> Type | None:
    """Return the type that has the values of all; of none: of nothing.

    Args:
        types: in any order.

    Returns:
        None where they are of different kinds; `NEVER` where there are none.
    """
    result: Type | None = NEVER
    for type_ in types:
        result = None if result is None else joined_type(result, type_)
    return result


def without_element_types(type_: Type) -> Type:
    """Return a type in which no set stands for a type any more, for values that outlive the state
    they were taken from.

    Args:
        type_: that may name sets.

    Returns:
        A type of values alone.
    """
    match type_:
        case ElementType():
            return without_element_types(type_.base)
        case SetType() | ListType() | BagType() | OptionalType():
            return attrs.evolve(type_, item=without_element_types(type_.item))
        case MapType():
            keeps = type_.total and not isinstance(type_.key, ElementType)
            return MapType(
                without_element_types(type_.key), without_element_types(type_.value), total=keeps
            )
        case RecordType():
            return RecordType(
                type_.name,
                tuple((name, without_element_types(field)) for name, field in type_.fields),
            )
    return type_
