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


_AWAY = late_pattern(r"(?P<name>.+) \(rotated away (?P<number>\d{1,9})\)")

FileAge = tuple[int, str, int, int]
"""By which the files of one log are sorted, the oldest first."""


def rotated_away(name: str, number: int) -> str:
    """Name a log that no file holds any more.

    Args:
        name: of the file that it was in last, which another log has now.
        number: which one it is of those, the first has 1.

    Returns:
        A name that `rotation_key` knows.
    """
    return f"{name} (rotated away {number})"


@lru_cache(maxsize=1024)
def rotation_key(name: str) -> tuple[str, FileAge]:
    """Tell a rotated file's log and its place in it.

    Args:
        name: a file's name or path, or what `rotated_away` makes of it.

    Returns:
        The log's name (without suffix and compression), and a key: files of one log sorted by it
        are oldest first, the file that is still written last. A log that was deleted is older than
        the one that has its name since; one that was cut or replaced where it was written is newer
        than all that were renamed.

    Examples:
        >>> sorted(["app.log", "app.log.1", "app.log.2.gz"], key=lambda name: rotation_key(name)[1])
        ['app.log.2.gz', 'app.log.1', 'app.log']
        >>> gone = rotated_away("app.log.2", 1), rotated_away("app.log.2", 2)
        >>> sorted(["app.log.1", "app.log.2", *gone], key=lambda name: rotation_key(name)[1])
        ['app.log.2 (rotated away 1)', 'app.log.2 (rotated away 2)', 'app.log.2', 'app.log.1']
    """
    if away := _AWAY.fullmatch(name):
        stem, (is_written, date, place, _) = rotation_key(away["name"])
        number = int(away["number"])
        return stem, (0, "", number, 0) if is_written else (0, date, place - 1, number)
    bare = _COMPRESSED_SUFFIX.sub("", name)
    for pattern in _STYLES:
        match = pattern.fullmatch(bare)
        if match:
            groups = match.groupdict()
            date = re.sub(r"\D", "", groups.get("date") or "")
            place = int(groups.get("number") or 0) - int(groups.get("down") or 0)
            return match["stem"], (0, date, place, 0)
    return bare, (1, "", 0, 0)
