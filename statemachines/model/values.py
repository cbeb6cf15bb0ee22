"""Classes of values as `attrs` makes them, made in a fifth of the time.

For each class `attrs` writes methods as text and has Python compile them, a third of a millisecond
whenever a process starts. Here `repr`, equality and hash are functions over the fields, which need
no compiling and give the same answers; `__init__` is written when a value is first made
(`late_methods.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

import attrs

from statemachines.model.late_methods import OWN_HASH, late_class

if TYPE_CHECKING:
    from attrs import define as define
    from attrs import frozen as frozen
else:

    def define(body: type | None = None, **options: Any) -> Any:
        """Make a class as `attrs.define` does.

        Args:
            body: the class, where no options are given.
            options: those of `attrs.define`.

        Returns:
            The class, or without it what makes one.
        """
        return _make(attrs.define, body, options)

    def frozen(body: type | None = None, **options: Any) -> Any:
        """Make a class as `attrs.frozen` does.

        Args:
            body: the class, where no options are given.
            options: those of `attrs.frozen`.

        Returns:
            The class, or without it what makes one.
        """
        return _make(attrs.frozen, body, options)


_OF_EQUALITY = {"eq", "order", "unsafe_hash", "hash", "cache_hash", "__eq__", "__hash__"}


def _make(maker: Callable[..., Any], body: type | None, options: dict[str, Any]) -> Any:
    def make(body: type) -> type:
        own = {*body.__dict__, *options}
        shown = own.isdisjoint({"repr", "__repr__"})
        made = late_class(maker, body, options, _compare)
        if made is None:
            compared = maker is attrs.frozen and own.isdisjoint(_OF_EQUALITY)
            without = {name: False for name, ours in (("repr", shown), ("eq", compared)) if ours}
            made = maker(**options, **without)(body)
            if compared:
                _compare(made)
        if shown:
            made.__repr__ = _value_text
        return cast("type", made)

    return make if body is None else make(body)


@recursive_repr("...")
def _value_text(self: Any) -> str:
    fields = (
        f"{field.name}={(repr if field.repr is True else field.repr)(getattr(self, field.name))}"
        for field in attrs.fields(type(self))
        if field.repr
    )
    return f"{type(self).__qualname__.rsplit('>.', 1)[-1]}({', '.join(fields)})"


def _compare(made: Any) -> None:
    """Let values of a class be equal where their fields are; where they have a hash, by these."""
    contents, salt = _contents(made), hash(made.__qualname__)

    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return contents(self) == contents(other)

    def __hash__(self: Any) -> int:
        return hash(contents(self)) ^ salt

    def remembered_hash(self: Any) -> int:
        try:
            known: int = self._own_hash
        except AttributeError:
            known = __hash__(self)
            object.__setattr__(self, OWN_HASH, known)
        return known

    made.__eq__ = __eq__
    if made.__dict__.get("__hash__", __hash__) is not None:
        made.__hash__ = remembered_hash if hasattr(made, OWN_HASH) else __hash__


def _contents(made: Any) -> Callable[[Any], object]:
    """What values of a class are compared by."""
    fields = [field for field in attrs.fields(made) if field.eq]
    if not fields:
        return lambda value: ()
    if not any(field.eq_key for field in fields):
        return attrgetter(*(field.name for field in fields))
    keys = [(field.name, field.eq_key or (lambda part: part)) for field in fields]
    return lambda value: tuple([key(getattr(value, name)) for name, key in keys])
