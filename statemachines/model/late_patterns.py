"""Regular expressions that are compiled when one is first used: most of those that a module has are
not used by a process that reads a small log, and compiling all takes longer than judging it.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_SEARCHES = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")


class _LatePattern:
    """What a compiled expression is asked for; compiled by the first who asks for more than its
    source.
    """

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__ |= {search: getattr(compiled, search) for search in _SEARCHES}
        return getattr(compiled, name)


def late_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an expression that is compiled when it is first used.

    >>> late_pattern(r"door (\\d+)").findall("door 3, door 14")
    ['3', '14']

    Args:
        pattern: its source.
        flags: of `re.compile`.

    Returns:
        What has the attributes of a compiled expression, and searches as fast.
    """
    return cast("re.Pattern[AnyStr]", _LatePattern(pattern, flags))
