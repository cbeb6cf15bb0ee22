"""Why something happened, as a record says it: its field `reason`, and the exceptions below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from statemachines.conform.observe.thrown_places import CAUSED_BY

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
