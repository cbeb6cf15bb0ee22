"""Which of many literals a message holds: one pass over it where google-re2 is there, one test a
literal elsewhere; and which literals find all lines that a set finds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
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
    searched = re2.Set.SearchSet()
    for literal in literals:
        searched.Add(re2.escape(literal))
    searched.Compile()
    return searched


def minimal_literals(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Drop every literal that contains another, and sort the others.

    Args:
        literals: parts of one line each, in UTF-8.

    Returns:
        The shortest ones, in order of their bytes.

    Raises:
        ValueError: one is empty, or holds a line feed.
    """
    ordered = sorted(set(literals), key=lambda text: (len(text), text))
    for literal in ordered:
        if not literal or b"\n" in literal:
            raise ValueError(f"a literal is a part of one line, not {literal!r}")
    ends = list(accumulate(len(literal) + 1 for literal in ordered))
    one_a_line, dropped = b"".join(literal + b"\n" for literal in ordered), set[int]()
    for place, literal in enumerate(ordered):
        at = -1 if place in dropped else one_a_line.find(literal, ends[place])
        while at >= 0:
            longer = bisect_right(ends, at)
            dropped.add(longer)
            at = one_a_line.find(literal, ends[longer])
    return tuple(sorted(set(ordered) - {ordered[place] for place in dropped}))
