"""Which of many literals a message holds: one pass over it where google-re2 is there, one test a
literal elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_TEXTS = 8
"""Texts of which it is remembered what they hold: one line is asked about several times."""


class LiteralSet:
    """A set of texts to look for, in an order of their own."""

    def __init__(self, literals: Sequence[str], *, fast: bool = True) -> None:
        """Prepare the search.

        Args:
            fast: whether google-re2 may be used; the answer is the same.
        """
        self._literals = tuple(literals)
        self._compiled = _compile_set(self._literals) if fast else None
        self._find_once = lru_cache(_TEXTS)(self._find)

    def found_in(self, text: str) -> Sequence[str]:
        """Return the literals that a text holds, in their order.

        Args:
            text: that is searched.

        Returns:
            Literals, each once.
        """
        return self._find_once(text)

    def _find(self, text: str) -> Sequence[str]:
        if self._compiled is None:
            return [literal for literal in self._literals if literal in text]
        return [self._literals[index] for index in sorted(self._compiled.Match(text) or ())]


def _compile_set(literals: tuple[str, ...]) -> Any:
    try:
        import re2
    except ImportError:
        return None
    if not literals:
        return None
    found = re2.Set.SearchSet()
    for literal in literals:
        found.Add(re2.escape(literal))
    found.Compile()
    return found
