"""What an instance is known by beside its key: fields that a line of it gave once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from attrs import define, field


class RememberedField(NamedTuple):
    """A field by which an instance is known in its last life."""

    name: str
    value: str
    is_only: bool
    """Whether no line told another value, in any life."""


@define
class RememberedFields:
    """What the lines of one instance told of it, the last value of each field.

    A life that begins anew is known by what its own lines tell. Who had several values over its
    lives is told apart, for what is said of all of them together belongs to none.

    Complexity: memory for two values a field.
    """

    _incarnation: int = -1
    _values: dict[str, str] = field(factory=dict)
    _first_values: dict[str, str] = field(factory=dict)
    _ambiguous: set[str] = field(factory=set)

    def take(self, incarnation: int, fields: Iterable[tuple[str, str]]) -> None:
        """Take what a line of a life tells."""
        if incarnation != self._incarnation:
            self._incarnation = incarnation
            self._values.clear()
        for name, value in fields:
            self._values[name] = value
            if self._first_values.setdefault(name, value) != value:
                self._ambiguous.add(name)

    def fields(self) -> tuple[RememberedField, ...]:
        """Return what the last life is known by, in the order of names."""
        return tuple(
            RememberedField(name, value, name not in self._ambiguous)
            for name, value in sorted(self._values.items())
        )
