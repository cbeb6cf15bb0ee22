"""What a caller may get wrong, and the error that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def by_name_error(event: str, names: Sequence[str], values: Sequence[object]) -> TypeError:
    """Build the error for arguments that a caller gave without their names.

    Args:
        event: that was called.
        names: of its arguments, in their order.
        values: as the caller gave them.

    Returns:
        The error, with the call as it may be meant; to be raised.

    >>> print(by_name_error("pay", ("amount",), (3,)))
    `pay` takes its arguments by name: pay(amount=3)
    >>> print(by_name_error("push", (), (3,)))
    `push` takes no arguments
    """
    if not names:
        return TypeError(f"`{event}` takes no arguments")
    meant = ", ".join(f"{name}={value!r}" for name, value in zip(names, values, strict=False))
    return TypeError(f"`{event}` takes its arguments by name: {event}({meant})")
