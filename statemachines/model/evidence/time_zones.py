"""Time zones by the names that people write."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo


def time_zone(name: str | None) -> tzinfo | None:
    """Return the time zone of a name (`Europe/Berlin`) or an offset (`+05:30`).

    Args:
        name: as a person writes it; None: no zone is given.

    Returns:
        The zone, None where no name is given.

    Raises:
        ZoneInfoNotFoundError, ValueError: nobody knows a zone of this name.
    """
    if name is None:
        return None
    if match := re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?", name):
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    return ZoneInfo(name)
