"""Moments and durations as reports write them."""

from __future__ import annotations

from datetime import timedelta, tzinfo
from functools import lru_cache

from statemachines.model.evidence.moments import date_text, time_text, utc_datetime
from statemachines.model.evidence.reports import Instant


def rfc3339(instant: Instant | None) -> str | None:
    """Write a moment as JSON reports do.

    Args:
        instant: epoch milliseconds with what is known of the zone, or None.

    Returns:
        RFC 3339 in UTC with milliseconds where the zone is known, the same without a zone where it
        is not, the time of day where the log tells no date; None where there is no time.

    >>> rfc3339(Instant(1_000, "Z")), rfc3339(Instant(1_000)), rfc3339(Instant(86_399_999, "none"))
    ('1970-01-01T00:00:01.000Z', '1970-01-01T00:00:01.000', '23:59:59.999')

    Source: RFC 3339, Date and Time on the Internet: Timestamps, 2002.
    """
    if instant is None or instant.ms is None:
        return None
    return rfc3339_text(instant.ms, instant.zone)


def rfc3339_text(ms: int, zone: str) -> str:
    """Write a moment as JSON reports do.

    Args:
        ms: as `Instant` has it.
        zone: likewise.

    Returns:
        As `rfc3339` has it.
    """
    if zone == "none":
        return time_of_day(Instant(ms, zone))
    seconds, rest = divmod(ms, 1000)
    return f"{_second(seconds)}.{rest:03}{'' if zone == 'unknown' else 'Z'}"


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    """Write a second of the epoch: many rows of a report are of the same one, or of the next."""
    instant = Instant(seconds * 1000)
    return f"{date(instant)}T{time_of_day(instant, milliseconds=False)}"


def date(instant: Instant) -> str:
    """Return the date of a moment that has one, `2026-11-21`.

    Args:
        instant: with a date.

    Returns:
        Ten characters.
    """
    assert instant.ms is not None
    return date_text(instant.ms)


def time_of_day(instant: Instant, *, milliseconds: bool = True) -> str:
    """Return the time of day of a moment, `15:38:20.406` or `15:38:20`.

    Args:
        instant: in the zone in which it is written.
        milliseconds: whether they are written.

    Returns:
        One text.
    """
    assert instant.ms is not None
    return time_text(instant.ms, 1 if milliseconds else 1_000)


def in_zone(instant: Instant, zone: tzinfo | None) -> Instant:
    """Shift a moment whose zone is known so that `date` and `clock` write it as a zone's local
    time.

    Args:
        instant: a moment; one without a zone or a date is returned as it is.
        zone: where people read it; None: UTC.

    >>> from datetime import timezone
    >>> time_of_day(in_zone(Instant(0, "Z"), timezone(timedelta(hours=2))), milliseconds=False)
    '02:00:00'

    Returns:
        A moment that is written otherwise.
    """
    if zone is None or instant.ms is None or instant.zone != "Z":
        return instant
    try:
        offset = utc_datetime(instant.ms).astimezone(zone).utcoffset() or timedelta()
    except (OverflowError, ValueError):  # at the ends of the calendar
        return instant
    return Instant(instant.ms + int(offset.total_seconds()) * 1000, instant.zone)
