"""Find the lines of a text that may begin with a time of day alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from statemachines.logs.search.engines import SearchPattern, compile_fast_pattern

_TIME_OF_DAY = rb"\d\d:\d\d:\d\d"
_LEVELS = rb"TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
_WORDS = rb"(?: +[a-z0-9][a-z0-9.-]*){0,3}"
_REGEX_SOURCES = (
    rb"\n(?:[ \x00]|\xef\xbb\xbf)*(?:\[?|(?:"
    + _LEVELS
    + rb")[ \[\]]+|(?:[a-z0-9][a-z0-9.-]* ){2,3} *\[?)"
    + _TIME_OF_DAY,
    rb"\|" + _WORDS + rb" +\[?" + _TIME_OF_DAY,
    rb"\]" + _WORDS + rb" +\[?" + _TIME_OF_DAY,
    rb"\x1b\[[0-9;]*m *\[?" + _TIME_OF_DAY,
)
"""At a line's beginning, after a level, after the prefixes of stern, compose and kubectl, after a
colour. Each begins with bytes that are quickly searched for, so that a text without such times
costs next to nothing.
"""


@cache
def _compiled_patterns() -> tuple[SearchPattern, ...]:
    return tuple(compile_fast_pattern(source) for source in _REGEX_SOURCES)


def may_have_undated_lines(data: bytes) -> bool:
    """Whether a line of some whole lines may begin with a time of day alone.

    Args:
        data: whole lines.

    Returns:
        False where surely none does.
    """
    head = b"\n" + data[:512]
    return any(pattern.search(data) or pattern.search(head) for pattern in _compiled_patterns())


def line_starts(data: bytes) -> Iterator[int]:
    """The offsets at which the lines of a text begin.

    Args:
        data: whole lines.

    Yields:
        0-based places in bytes, the first one 0.
    """
    at = 0
    while at < len(data):
        yield at
        feed = data.find(b"\n", at)
        at = feed + 1 if feed >= 0 else len(data)
