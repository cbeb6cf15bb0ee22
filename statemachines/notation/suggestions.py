"""Did you mean …?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 100
"""Characters of a text that is looked for."""
MOST = 2000
"""Words that are looked through."""


ENOUGH = 100
"""Diagnostics with hints; those beyond have none."""


def did_you_mean(text: str, known: Iterable[str], where: str = "") -> str:
    """Return a hint with the nearest known word, or with all of them where they are few; else nothing.

    >>> did_you_mean("SHIPPD", ["PAID", "SHIPPED"], "declared on line 6")
    'did you mean `SHIPPED`? (declared on line 6)'
    """
    words = list(dict.fromkeys(known))
    near = nearest(text, words)
    if near:
        return f"did you mean `{near}`?" + (f" ({where})" if where else "")
    if 0 < len(words) <= 8:
        return "known: " + ", ".join(f"`{word}`" for word in words)
    return ""


def hint(told: int, text: str, known: Iterable[str], where: str = "") -> str:
    """The same as `did_you_mean`, until enough was told: a hostile file may have a hundred thousand unknown words.

    Args:
        told: how many diagnostics there are already.
        text: the unknown word.
        known: the known ones.
        where: where the nearest one is declared.
    """
    return did_you_mean(text, known, where) if told < ENOUGH else ""


def nearest(text: str, known: Iterable[str]) -> str | None:
    """Return the known word that a text was probably meant to be."""
    words = list(known)
    if len(text) > LONGEST or len(words) > MOST:
        return None
    folded = {word.casefold(): word for word in reversed(words)}
    if text.casefold() in folded:
        return folded[text.casefold()]
    close = difflib.get_close_matches(text, words, n=1, cutoff=0.6)
    return close[0] if close else None
