"""Where in a user's own program an exception was thrown, as a stack trace shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    found = (_FRAME.match(text.strip()) for text in trace)
    return (match[1] for match in found if match and not match[1].startswith(own))
