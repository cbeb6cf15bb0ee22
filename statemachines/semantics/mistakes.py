"""What a caller may get wrong, and how it is told."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArgumentsError(ValueError):
    """The caller asked for what the machine does not have: an unknown state or event, or arguments against their types.

    It is never an answer of the machine: a correct program never sees one.
    """


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return what comes after a message about an unknown word.

    >>> did_you_mean("coim", ["coin", "push"])
    'did you mean `coin`?'
    >>> did_you_mean("kick", ["coin", "push"])
    'there are `coin`, `push`'
    >>> did_you_mean("kick", [])
    'there are none'
    """
    known = list(words)
    near = difflib.get_close_matches(word, known, n=1) or [each for each in known if each.lower() == word.lower()]
    if near:
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(f"`{each}`" for each in known[:12])
    return f"there are {shown or 'none'}" + (f" and {len(known) - 12} more" if len(known) > 12 else "")


def unknown(kind: str, word: str, words: Iterable[str], machine: str) -> ArgumentsError:
    """Build the error for a word that the machine does not have.

    >>> print(unknown("event", "coim", ["coin", "push"], "turnstile"))
    turnstile has no event `coim`; did you mean `coin`?
    """
    return ArgumentsError(f"{machine} has no {kind} `{word}`; {did_you_mean(word, words)}")
