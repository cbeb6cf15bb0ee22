"""Takes off what tools put around the lines of a program, by the wrappers that are shipped."""

from __future__ import annotations

import re

from attrs import evolve

from statemachines.logs.layouts.shipped_layouts import default_wrappers
from statemachines.logs.layouts.wrappers import UnwrappedLine, without_colours

_BARE_LINE = re.compile(r"\[?\d\d(?:\d\d-\d\d-\d\d (?!\S+ [+-]\d{4} \S+: \{|\S+\t[\[{\d])|:\d\d:)")
"""No wrapper begins like this, and most programs' own lines do."""
_MOST_NESTED = 4
"""How many wrappers may stand around one another (syslog around docker around compose)."""


def unwrap(text: str) -> UnwrappedLine:
    """Take off every wrapper of a line, from outside to inside, and its colours.

    Args:
        text: a line as it stands in the file.

    Returns:
        What the program wrote, and what was around it: process, time, stream.
    """
    peeled = UnwrappedLine(without_colours(text))
    if _BARE_LINE.match(peeled.inner):
        return peeled
    for _ in range(_MOST_NESTED):
        inner = _unwrap_once(peeled)
        if inner is None:
            break
        peeled = evolve(inner, inner=without_colours(inner.inner))
    return peeled


def _unwrap_once(outer: UnwrappedLine) -> UnwrappedLine | None:
    first = outer.inner[:1]
    for wrapper in default_wrappers() if first else ():
        if first in wrapper.first_characters and (unwrapped := wrapper.unwrap(outer)) is not None:
            return unwrapped
    return None
