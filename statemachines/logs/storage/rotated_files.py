"""Rotated files: which files are one log, and in which order."""

from __future__ import annotations

import re
from functools import lru_cache

from statemachines.model.late_patterns import late_pattern

_COMPRESSED_SUFFIX = late_pattern(r"\.(?:gz|zst|bz2|xz)$")
_DATE = r"\d{4}-\d\d-\d\d(?:[-_T]\d\d(?:[-_]?\d\d)?)?|\d{8}(?:[-_]?\d{2,6})?"
_STYLES = (
    late_pattern(rf"(?P<stem>.+)[.-](?P<date>{_DATE})\.(?P<number>\d{{1,5}})"),
    late_pattern(rf"(?P<stem>.+)[.-](?P<date>{_DATE})"),
    late_pattern(r"(?P<stem>.+)\.(?P<down>\d{1,4})"),
)
"""Most specific first: a date and a number that rises in it, a date, a number that is larger the
older the file is.
"""


@lru_cache(maxsize=1024)
def rotation_key(name: str) -> tuple[str, tuple[int, str, int]]:
    """Tell a rotated file's log and its place in it.

    Args:
        name: a file's name or path.

    Returns:
        The log's name (without suffix and compression), and a key: files of one log sorted by it
        are oldest first, the file that is still written last.

    Examples:
        >>> sorted(["app.log", "app.log.1", "app.log.2.gz"], key=lambda name: rotation_key(name)[1])
        ['app.log.2.gz', 'app.log.1', 'app.log']
    """
    bare = _COMPRESSED_SUFFIX.sub("", name)
    for pattern in _STYLES:
        match = pattern.fullmatch(bare)
        if match:
            groups = match.groupdict()
            date = re.sub(r"\D", "", groups.get("date") or "")
            return match["stem"], (
                0,
                date,
                int(groups.get("number") or 0) - int(groups.get("down") or 0),
            )
    return bare, (1, "", 0)
