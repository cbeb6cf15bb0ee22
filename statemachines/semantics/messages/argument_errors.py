"""What a caller may get wrong, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.diagnosis.suggestions import did_you_mean


class ArgumentsError(ValueError):
    """The caller asked for what the machine does not have: an unknown state or event, or arguments
    against their types.

    It is never an answer of the machine: a correct program never sees one.
    """


def unknown_word(kind: str, word: str, words: Iterable[str], machine: str) -> ArgumentsError:
    """Build the error for a word that the machine does not have.

    Args:
        kind: what the word is: a state, an event.
        word: as the caller wrote it.
        words: all that there are.
        machine: name of the machine.

    Returns:
        The error, with the nearest word where one is near; to be raised.

    >>> print(unknown_word("event", "coim", ["coin", "push"], "turnstile"))
    turnstile has no event `coim`; did you mean `coin`?
    """
    if not isinstance(word, str):
        return ArgumentsError(f"{machine}: the name of {kind}s is a text, not `{word!r}`")
    return ArgumentsError(f"{machine} has no {kind} `{word}`; {did_you_mean(word, words)}")
