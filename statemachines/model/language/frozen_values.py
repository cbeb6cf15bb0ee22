"""The values of a machine's data: what a frozenset is to a set, for maps and records."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(dict[K, V]):
    """A map that never changes and can be an element of a set.

    >>> stock = FrozenMap({"tea": 2})
    >>> stock | {"milk": 1} == {"tea": 2, "milk": 1}
    True
    >>> hash(stock) == hash(FrozenMap({"tea": 2}))
    True
    """

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none
        # maps within maps are keys again and again: each is hashed once
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(frozenset(self.items()))
            return self._hash

    def __or__(self, other: Mapping[Any, Any]) -> FrozenMap[Any, Any]:
        return FrozenMap({**self, **other})

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMap, (dict(self),)

    def __repr__(self) -> str:
        return f"FrozenMap({dict(self)!r})"


def _refuse_mutation(self: object, *_: object, **__: object) -> NoReturn:
    """Refuse what would change a map in place.

    Raises:
        TypeError: always.
    """
    raise TypeError("a FrozenMap never changes; `m | {k: v}` makes another one")


for _name in (
    "__setitem__",
    "__delitem__",
    "__ior__",
    "clear",
    "pop",
    "popitem",
    "setdefault",
    "update",
):
    setattr(FrozenMap, _name, _refuse_mutation)


@cache
def record_class(name: str, fields: tuple[str, ...]) -> Any:
    """Return the class of a record's values: a named tuple, always the same one for the same name
    and fields.

    Args:
        name: of the record's type.
        fields: their names, in order.

    Returns:
        A class of named tuples.

    >>> record_class("Order", ("item", "count"))(item="tea", count=2)
    Order(item='tea', count=2)
    """
    made = namedtuple(name, fields)  # type: ignore[misc]  # the fields are known at run time only

    def reduced(self: tuple[object, ...]) -> tuple[object, ...]:
        return make_record, (name, fields, tuple(self))

    made.__reduce__ = reduced  # type: ignore[assignment]  # a class made at run time
    return made


def make_record(name: str, fields: tuple[str, ...], values: Iterable[object]) -> Any:
    """Return a record's value; what a pickle of one calls.

    Args:
        name: of the record's type.
        fields: their names, in order.
        values: of the fields, in order.

    Returns:
        A named tuple.
    """
    return record_class(name, fields)(*values)
