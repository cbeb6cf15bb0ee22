"""Classes of values as `attrs` makes them, made in half the time.

For each class `attrs` writes four methods as text and has Python compile them, half a millisecond
whenever a process starts. Only `__init__` gains by that: `repr`, and equality and hash of what is
frozen, are functions over the fields here, which need no compiling and give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

import attrs

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
        """Make a class as `attrs.frozen` does; no field has a key by which it is compared.

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
        compared = maker is attrs.frozen and own.isdisjoint(_OF_EQUALITY)
        without = {name: False for name, ours in (("repr", shown), ("eq", compared)) if ours}
        made: type = maker(**options, **without)(body)
        if shown:
            cast("Any", made).__repr__ = _value_text
        if compared:
            _compare(made)
        return made

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
    """Let values of a class be equal where their fields are, and hash as these do."""
    names = [field.name for field in attrs.fields(made) if field.eq]
    salt, contents = hash(made.__qualname__), attrgetter(*names) if names else lambda value: ()

    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return contents(self) == contents(other)

    made.__eq__ = __eq__
    made.__hash__ = lambda self: hash(contents(self)) ^ salt
