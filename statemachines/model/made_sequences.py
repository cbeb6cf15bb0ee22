"""Sequences whose values are made when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class MadeSequence(Sequence[T]):
    """A sequence that makes its values from something smaller, each time anew."""

    __slots__ = ()

    @abstractmethod
    def value_at(self, place: int) -> T:
        """Return the value at a place, which is counted from the beginning.

        Args:
            place: less than the length.

        Returns:
            What stands there.
        """

    def values_at(self, places: slice) -> list[T]:
        """Return some values.

        Args:
            places: as lists take them.

        Returns:
            What stands there, in that order.
        """
        return [self.value_at(place) for place in range(len(self))[places]]

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        """Return one value, or some.

        Raises:
            IndexError: there is none at that place.
        """
        if isinstance(place, slice):
            return self.values_at(place)
        return self.value_at(range(len(self))[place])

    def __iter__(self) -> Iterator[T]:
        return map(self.value_at, range(len(self)))
