"""Did you mean …?

The one answer to a word that is not known: to states, events, keys, options, releases, verbs and
specs.
"""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST_TEXT = 100
"""Characters of a text that is looked for."""
MOST_WORDS = 2000
"""Words that are looked through."""
MOST_LISTED = 12
"""Words that are listed where none is near."""
_LIKE_LENGTH = 0.6
"""Of the longer word, at least, has the shorter one: what is less is another word."""
MOST_HINTS = 100
"""Diagnostics with hints; those beyond have none."""


def did_you_mean(text: str, known: Iterable[str], where: str = "") -> str:
    """Return what comes after a message about an unknown word: the nearest known one, else those
    that there are.

    Args:
        text: the unknown word.
        known: the known ones, in the order in which they are listed.
        where: where the nearest one is declared.

    Returns:
        A hint in words.

    >>> did_you_mean("SHIPPD", ["PAID", "SHIPPED"], "declared on line 6")
    'did you mean `SHIPPED`? (declared on line 6)'
    >>> did_you_mean("kick", ["coin", "push"])
    'there are `coin`, `push`'
    >>> did_you_mean("kick", [])
    'there are none'

    Where there are more than are listed, those come first that share the most letters in a row with
    the unknown one.
    """
    words = list(dict.fromkeys(filter(None, known)))  # an only state has no name
    near = nearest_word(text, words)
    if near is not None:
        return meant_hint(near) + (f" ({where})" if where else "")
    shown = ", ".join(f"`{word}`" for word in _first_choices(text, words))
    return f"there are {shown or 'none'}" + (
        f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    )


def _first_choices(text: str, words: list[str]) -> list[str]:
    """The words that are listed: all in their order, or of too many those that are most alike."""
    if MOST_LISTED < len(words) <= MOST_WORDS and len(text) <= _LONGEST_TEXT:
        pieces = _pieces(text)
        words = sorted(words, key=lambda word: -len(pieces & _pieces(word)))
    return words[:MOST_LISTED]


def _pieces(word: str) -> set[str]:
    """The parts of three letters that a word has, whatever their case."""
    folded = word[:_LONGEST_TEXT].casefold()
    return {folded[at : at + 3] for at in range(len(folded) - 2)}


def limited_hint(reported: int, text: str, known: Iterable[str], where: str = "") -> str:
    """The same as `did_you_mean`, until enough was told: a hostile file may have a hundred thousand
    unknown words.

    Args:
        reported: how many diagnostics there are already.
        text: the unknown word.
        known: the known ones.
        where: where the nearest one is declared.

    Returns:
        A hint in words, or the empty text.
    """
    return did_you_mean(text, known, where) if reported < MOST_HINTS else ""


def nearest_hint(text: str, known: Iterable[str]) -> str:
    """Return the nearest known word as a hint, and nothing where none is near.

    Args:
        text: the unknown word.
        known: the known words, in the order in which they are listed.

    Returns:
        A hint in words, or the empty text.

    >>> nearest_hint("runing", ["running", "created"]), nearest_hint("x", ["running"])
    ('did you mean `running`?', '')
    """
    near = nearest_word(text, known)
    return "" if near is None else meant_hint(near)


def meant_hint(word: str) -> str:
    """Return the hint that a word was meant.

    Args:
        word: the one that was meant.

    Returns:
        A hint in words.

    >>> meant_hint("SHIPPED")
    'did you mean `SHIPPED`?'
    """
    return f"did you mean `{word}`?"


def nearest_word(text: str, known: Iterable[str]) -> str | None:
    """Return the known word that a text was probably meant to be.

    Args:
        text: the unknown word.
        known: the known words, in the order in which they are listed.

    Returns:
        The nearest word, or None.

    >>> nearest_word("init", ["in", "initial"]), nearest_word("line", ["in", "text"])
    ('initial', None)

    Limits: nothing is near to a very long text, or among very many words (`LONGEST`, `MOST`).
    """
    words = list(known)
    if len(text) > _LONGEST_TEXT or len(words) > MOST_WORDS:
        return None
    folded = {word.casefold(): word for word in reversed(words)}
    if text.casefold() in folded:
        return folded[text.casefold()]
    from difflib import get_close_matches  # not before a word is unknown

    close = get_close_matches(text, words, n=3, cutoff=0.6)
    return next((word for word in close if _of_like_length(text, word)), None)


def _of_like_length(text: str, word: str) -> bool:
    """Tell whether neither is a mere piece out of the middle of the other, as `in` is of `line`."""
    shorter, longer = sorted((text.casefold(), word.casefold()), key=len)
    return longer.startswith(shorter) or len(shorter) >= _LIKE_LENGTH * len(longer)
