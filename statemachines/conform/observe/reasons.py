"""Why something happened, as a record says it: its field `reason`, the exceptions below it, and the
place in a user's own program at which they were thrown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_FRAME = re.compile(r"at (?:[^\s/()]*/){0,2}((?:[\w$]+\.)+[\w$<>]+\([^()]*\))")
"""A line of a stack trace, with the loader and the module that may stand before its class."""
CAUSED_BY = "Caused by: "
_LONGEST_PLACE = 200


def thrown_place(rest: Sequence[str], packages: tuple[str, ...]) -> str:
    """Return the line of a stack trace that a user's own program has.

    Args:
        rest: the lines of a record after its first.
        packages: those of the system and of what it runs on, which are not the user's; without any
            nothing is known of whose a line is.

    Returns:
        The first of the deepest cause that has one, as `com.shop.Till.pay(Till.java:41)`; empty
        where all lines are the system's.

    >>> trace = "shop.TillError", " at till.Loop.run(Loop.java:7)", " at my.Shop.pay(Shop.java:2)"
    >>> thrown_place(trace, ("till",))
    'my.Shop.pay(Shop.java:2)'
    """
    if not packages:
        return ""
    own = tuple(f"{package}." for package in packages)
    places = [next(_places(trace, own), "") for trace in _traces(rest)]
    return next((place[:_LONGEST_PLACE] for place in reversed(places) if place), "")


def _traces(rest: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the trace of each exception, the deepest cause last."""
    starts = [n for n, text in enumerate(rest) if text.lstrip().startswith(CAUSED_BY)]
    for start, end in zip([0, *starts], [*starts, len(rest)], strict=True):
        yield rest[start:end]


def _places(trace: Sequence[str], own: tuple[str, ...]) -> Iterator[str]:
    frames = (_FRAME.match(text.strip()) for text in trace)
    return (match[1] for match in frames if match and not match[1].startswith(own))


EXCEPTION_LINE = re.compile(r"^(?:Caused by: )?((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*)(?:: (.*))?$")
"""A line of a stack trace that names an exception."""

TRACEBACK = "Traceback (most recent call last):"
"""How Python begins a stack trace; the exception stands in the first line after it that is not
indented.
"""
LONGEST_CAUSE = 300


def reason_text(field: str | None, rest: tuple[str, ...]) -> str:
    """Say why something happened: what a line's field `reason` says, and what the lines after the
    record name as the cause.

    >>> causes = "shop.TillError: cannot pay", "  at a.B", "Caused by: shop.NoCoin: no coin of 2"
    >>> reason_text("SHUTDOWN", causes)
    'SHUTDOWN: shop.NoCoin: no coin of 2; in shop.TillError: cannot pay'
    """
    return ": ".join(text for text in (field, cause_text(rest)) if text)


def cause_text(rest: tuple[str, ...]) -> str:
    """Return the exceptions that the lines after a record name.

    Args:
        rest: the lines of the record after its first.

    Returns:
        The deepest cause with its message, and after it the exception that was thrown, each of at
        most 300 characters; empty where no line names one.
    """
    if TRACEBACK in rest:
        raised = list(_raised_exceptions(rest))
        return "; in ".join(
            text[:LONGEST_CAUSE] for text in dict.fromkeys([*raised[:1], *raised[-1:]])
        )
    texts = (text.strip() for text in rest)
    named = [text for text in texts if EXCEPTION_LINE.match(text)]
    if not named:
        return ""
    thrown = named[0].removeprefix(CAUSED_BY)[:LONGEST_CAUSE]
    deepest = [text for text in named[1:] if text.startswith(CAUSED_BY)][-1:]
    return "; in ".join(
        [*(text.removeprefix(CAUSED_BY)[:LONGEST_CAUSE] for text in deepest), thrown]
    )


def _raised_exceptions(rest: Iterable[str]) -> Iterator[str]:
    """Yield the exceptions of Python's stack traces: the first is the cause, the last is what was
    raised in the end.
    """
    within = False
    for text in rest:
        if within and text[:1].strip():
            yield text.strip()
            within = False
        within = within or text == TRACEBACK
