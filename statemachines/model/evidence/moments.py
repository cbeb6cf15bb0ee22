"""Moments in words: the one way in which reports, pictures and pages write a day and a time; and
time zones by the names that people write.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

DAY_MS = 86_400_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc_datetime(ms: int) -> datetime:
    """Return a moment of epoch milliseconds; beyond the calendar, its last or first moment.

    Args:
        ms: epoch milliseconds.

    Returns:
        A moment in UTC.
    """
    try:
        return EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return datetime.max if ms > 0 else datetime.min


def date_text(ms: int) -> str:
    """Write the day of a moment.

    Args:
        ms: epoch milliseconds.

    Returns:
        Year, month and day.

    >>> date_text(1_763_740_800_000), date_text(-1)
    ('2025-11-21', '1969-12-31')
    """
    return utc_datetime(ms).date().isoformat()


def time_text(ms: int, step_ms: int = 1) -> str:
    """Write the time of day of a moment, as finely as a step needs.

    Args:
        ms: epoch milliseconds, or milliseconds of a day.
        step_ms: below 1,000: milliseconds are written; below 60,000: seconds.

    Returns:
        Hours, minutes, and seconds and milliseconds where they are asked for.

    >>> time_text(59_999), time_text(59_999, 1_000), time_text(59_999, 60_000)
    ('00:00:59.999', '00:00:59', '00:00')
    """
    seconds, rest = divmod(ms % DAY_MS, 1000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    if step_ms < 60_000:
        text += f":{seconds % 60:02}"
    return f"{text}.{rest:03}" if step_ms < 1_000 else text


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
    from zoneinfo import ZoneInfo  # imported where a zone is named

    return ZoneInfo(name)
