"""Which of many literals a message holds: one pass over it where google-re2 is there, one test a
literal elsewhere; and which literals find all lines that a set finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    size = len(ordered[0]) if ordered else 0
    by_beginning: dict[bytes, list[bytes]] = {}
    for literal in ordered:
        by_beginning.setdefault(literal[:size], []).append(literal)
    return tuple(
        sorted(text for text in ordered if not _holds_another(text, size, by_beginning.get))
    )


def _holds_another(
    text: bytes, size: int, beginning_with: Callable[[bytes], Sequence[bytes] | None]
) -> bool:
    """Say whether a text holds another one of some, each told by its first bytes."""
    return any(
        text.startswith(other, at) and other != text
        for at in range(len(text) - size + 1)
        for other in beginning_with(text[at : at + size]) or ()
    )
