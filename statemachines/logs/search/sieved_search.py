"""Literals by a sieve where that is faster: in long texts with few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from statemachines.logs.search.byte_search import is_fast
from statemachines.logs.search.literal_sets import minimal_literals
from statemachines.logs.search.literal_sieve import (
    SHORTEST_SIEVED,
    LiteralSieve,
    TooManyFound,
)
from statemachines.logs.search.literal_variants import literal_variants
from statemachines.model.arrays import is_numpy_installed, is_numpy_loaded

SIEVED_FROM = 64 << 20
"""Bytes that are searched without arrays, unless they are loaded anyhow: loading takes as long."""
_LEAST_TEXT = 1 << 18
"""Bytes of a text that is worth a sieve (256 KiB)."""
_LEAST_LITERALS, _MOST_SHORT = 100, 20
"""Fewer literals are quickly searched otherwise; each that is short costs a search of its own."""
_SHORTEST = 4
_LEAST_SERVED = 4
_FIRST_PAUSE, _LONGEST_PAUSE = 32, 512
"""Texts that are searched otherwise after one with too much in it."""


class SievedSearch:
    """Searches texts that come one after the other, by a sieve made for the first of them.

    Where it finds too much one is made for all of them, and where that finds too much as well, the
    next texts are searched the other way, twice as many each time. What is found is the same.
    """

    def __init__(
        self, literals: Sequence[bytes], otherwise: Callable[[bytes], list[int]], most_bytes: int
    ) -> None:
        """Prepare the search, which costs nothing before there is much to search.

        Args:
            literals: as they are in text; JSON may write them otherwise.
            otherwise: searches a text the other way.
            most_bytes: of a line that are looked at.
        """
        self._literals, self._otherwise, self._most_bytes = literals, otherwise, most_bytes
        self._sieve: LiteralSieve | None = None
        self._bytes = 0
        self._served = 0
        """Texts since the sieve was made."""
        self._pause, self._next_pause = 0, _FIRST_PAUSE

    def __call__(self, data: bytes) -> list[int]:
        """Return where the lines begin that hold a literal, in order."""
        if not self._is_worth_it(data):
            return self._otherwise(data)
        for sieve in self._sieves(data):
            try:
                return sieve.line_starts(data, self._most_bytes)
            except TooManyFound:
                continue
        self._pause = self._next_pause
        self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE)
        return self._otherwise(data)

    def _sieves(self, data: bytes) -> Iterator[LiteralSieve]:
        """Yield the sieve that there is, and where that finds too much, one made for a text; but
        not after few texts, for making it takes as long as searching some.
        """
        self._served += 1
        if self._sieve is not None:
            yield self._sieve
            if self._served < _LEAST_SERVED:
                return
        self._sieve, self._served = LiteralSieve(self._texts, data, self._sieve), 0
        yield self._sieve

    def _is_worth_it(self, data: bytes) -> bool:
        self._bytes += len(data)
        if len(data) < _LEAST_TEXT or (self._bytes < SIEVED_FROM and not is_numpy_loaded()):
            return False
        self._pause = max(0, self._pause - 1)
        return not self._pause and self._may_be_sieved

    @cached_property
    def _texts(self) -> tuple[bytes, ...]:
        return written_literals(self._literals)

    @cached_property
    def _may_be_sieved(self) -> bool:
        """Whether the literals are such that a sieve is worth trying, and the libraries there."""
        short = sum(len(text) < SHORTEST_SIEVED for text in self._texts)
        return (
            len(self._texts) - short >= _LEAST_LITERALS
            and short <= _MOST_SHORT
            and min(map(len, self._texts)) >= _SHORTEST
            and is_fast()
            and is_numpy_installed()
        )


def written_literals(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return the ways in which literals may be written, none of which contains another.

    Args:
        literals: as specs write them.

    Returns:
        All of their variants, in order of their bytes.
    """
    return minimal_literals(text for literal in literals for text in literal_variants(literal))
