"""The times that logs write, in every known form, to epoch milliseconds; and how many midnights
stand between times of day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any

from attrs import field

from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.late_patterns import late_pattern
from statemachines.model.values import frozen

_HALF_MS = DAY_MS // 2
_DISORDER_MS = 60_000
"""By how much a line may be older than the one before it and still be of the same midnight (a
minute).
"""


@frozen(slots=True)
class ClockSpan:
    """What a piece of a log shows of a clock without date."""

    first_ms: int
    """Milliseconds of the day of the piece's first time."""
    last_ms: int
    """Milliseconds of the day of its last time."""
    midnights: int = 0
    """Midnights between the two; may be negative where the order of lines runs back over a
    midnight.
    """

    def followed_by(self, later: ClockSpan) -> ClockSpan:
        """This piece followed by a later one; associative.

        Args:
            later: what comes next of the same process.

        Returns:
            First and last time of both, and midnights between them.
        """
        return ClockSpan(
            self.first_ms,
            later.last_ms,
            self.midnights + midnights_between(self.last_ms, later.first_ms) + later.midnights,
        )


@frozen(slots=True)
class Midnights:
    """The clocks of a piece, one for each process that prefixes tell apart."""

    spans: Mapping[str | None, ClockSpan] = field(factory=dict)

    def followed_by(self, later: Midnights) -> Midnights:
        """This piece followed by a later one; associative, with `Midnights()` as the empty one.

        Args:
            later: what comes next in the file.

        Returns:
            The spans of all processes of both.
        """
        joined = dict(self.spans)
        for process, clock in later.spans.items():
            joined[process] = joined[process].followed_by(clock) if process in joined else clock
        return Midnights(joined)

    def days_before(self, chunk: Midnights, process: str | None) -> int:
        """The days to add to the times of a process in `chunk`, which follows this one (all pieces
        before it, joined).

        Args:
            chunk: the piece that follows.
            process: name; None where a file is one process.

        Returns:
            Whole days, 0 or more.
        """
        before, clock = self.spans.get(process), chunk.spans.get(process)
        if before is None or clock is None:
            return 0
        between: int = midnights_between(before.last_ms, clock.first_ms)
        return before.midnights + between


def midnights_between(before_ms: Any, after_ms: Any) -> Any:
    """Return how many midnights there are between the times of day of neighbouring lines.

    >>> midnights_between(86_399_000, 1000)
    1

    Args:
        before_ms: the time of the first line in milliseconds, or an array of times.
        after_ms: that of the line behind it, likewise.

    Returns:
        1, 0, or -1 where the lines stand out of order around midnight.
    """
    is_later = after_ms < before_ms - _HALF_MS
    is_earlier = after_ms > before_ms + DAY_MS - _DISORDER_MS
    return 1 * is_later - 1 * is_earlier


LONGEST_NUMBER = 18
"""Digits of the longest number that is read as one; more are damage, and Python refuses some
thousands of them.
"""
_QUARTER_HOUR_MS = 900_000
"""Every zone of the world is a multiple of a quarter of an hour from UTC."""
_FARTHEST_MS = 16 * 4 * _QUARTER_HOUR_MS
_LATE_MS, _EARLY_MS = 30_000, 2_000
"""How much later than it was written a line is captured at most; clocks that round may make it
earlier.
"""

_FINE_EPOCH_DIGITS = (16, 19)
"""Digits of epoch microseconds and nanoseconds, until 2033."""
_ZONE_NAMES = (
    "UTC|GMT|CET|CEST|EET|EEST|WET|WEST|BST|MSK|EST|EDT|CST|CDT|MST|MDT|PST|PDT"
    "|IST|JST|KST|AEST|AEDT|SGT|HKT|BRT|MEZ|MESZ"
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OTHER_MONTH_NAMES = {
    "mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12,
    "fév": 2, "avr": 4, "juin": 6, "juil": 7, "aoû": 8, "déc": 12,
    "ene": 1, "abr": 4, "ago": 8, "dic": 12, "fev": 2, "set": 9, "out": 10,
    "gen": 1, "mag": 5, "giu": 6, "lug": 7, "ott": 10, "mrt": 3, "mei": 5,
}  # fmt: skip
"""As a JVM writes them where people speak German, French, Spanish, Portuguese, Italian or Dutch."""
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)} | _OTHER_MONTH_NAMES
_FRACTION = r"(?:[.,:]\d{1,9})?"
_HALF = r"(?:[AaPp][Mm]\b|[ap]\.m\.)"
_CLOCK = rf"\d\d:\d\d:\d\d{_FRACTION}(?: ?{_HALF})?"
_DAY_CLOCK = rf"(?:{_CLOCK}|\d:\d\d:\d\d{_FRACTION} ?{_HALF})"
"""The hour may have one digit, where it says which half of the day it is of."""
_ZONE_IN_WORDS = r"(?:[A-Z][a-z]{2,15} ){1,4}Time\b"
"""As a JVM writes a zone in full (`Central European Summer Time`); it is not looked up."""
_WORD = r"[^\W\d_]"
_MONTH = rf"{_WORD}{{3,9}}\.?"
_REGION = r"(?:\[(?:[A-Z]\w+/[\w/+-]+|UTC|GMT|Z)\])?"
_ZONE = rf"(?: ?(?:Z\b|[+-]\d\d:?\d\d\b|[+-]\d\d\b)| (?:{_ZONE_NAMES})\b|(?:UTC|GMT)\b)?{_REGION}"
_DATED = (
    rf"\d{{4}}[-/.]\d\d[-/.]\d\d(?:[T _-]|  ){_CLOCK}{_ZONE}"
    rf"|\d{{8}}[-T_ ]?(?:\d{{6}}(?:[.,]?\d{{3,9}})?|{_CLOCK})(?!\d){_ZONE}"
    rf"|\d{{4}}(?:[-/.]\d{{1,2}}[-/.]\d{{1,2}}|年\d{{1,2}}月\d{{1,2}}日) ?\d{{1,2}}:\d\d:\d\d"
    rf"{_FRACTION}{_ZONE}"
    rf"|(?:[A-Z][a-z]{{2}}, )?\d{{1,2}}[-/. ]{{0,2}}{_MONTH}[-/. ]?\d{{4}}(?:::|[: ]){_DAY_CLOCK}"
    rf"{_ZONE}"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}(?:[ T]|, ){_DAY_CLOCK}{_ZONE}"
    rf"|\d\d/\d\d/\d\d {_CLOCK}{_ZONE}"
    r"|\d{1,2}[/.]\d{1,2}[/.]\d\d,? \d{1,2}:\d\d:\d\d:\d{3}(?:"
    rf" (?:{_ZONE_NAMES}|[A-Z]{{3,5}}))?"
    rf"|(?:[A-Z][a-z]{{2}},? )?{_MONTH} +\d{{1,2}},? (?:\d{{4}},? (?:@ )?)?"
    rf"{_DAY_CLOCK}(?: (?:{_ZONE_IN_WORDS}|{_ZONE_NAMES}))?(?: \d{{4}}\b)?"
)
TIME_REGEX = (
    rf"(?:{_DATED}|{_DAY_CLOCK}(?!\d){_ZONE}|\d{{19}}(?!\d)|\d{{16}}(?!\d)|\d{{13}}(?!\d)"
    r"|\d{10}(?:[.,]\d{1,9})?(?![\d]))"
)
"""A regular expression, without groups, of every form that `read_time` reads."""

_DAMAGED_DIGIT = r"[\w?*#]"
_DAMAGED_CLOCK = (
    rf"{_DAMAGED_DIGIT}{{1,3}}(?::{_DAMAGED_DIGIT}{{1,3}}){{2}}(?:[.,:]{_DAMAGED_DIGIT}{{1,20}})?"
)
_DAMAGED_DATE = (
    rf"(?:{_DAMAGED_DIGIT}{{1,4}}[-/.]{_DAMAGED_DIGIT}{{1,3}}[-/.]{_DAMAGED_DIGIT}{{1,4}}|{_DAMAGED_DIGIT}{{1,2}}"
    rf" [A-Z][a-z]{{2}} {_DAMAGED_DIGIT}{{4}}|\d{{4,8}}|\d\d-\d\d),?[T: ]{{1,2}}"
)
DAMAGED_TIME_REGEX = (
    rf"(?:(?:{_DAMAGED_DATE})?{_DAMAGED_CLOCK}{_ZONE}|\b[Ii]nvalid [Dd]ate\b|(?<![\w./-])(?:"
    r"null|nil|None|none|NaN|NaT|undefined|unknown|\((?:null|nil|none|None|unknown)\)|[Nn]/[Aa]"
    r"|%d(?:ate)?(?:\{[^{}]{0,40}\})*|%PARSER_ERROR\[\w{1,20}\]|%\{\w{1,20}\})(?![\w./-])"
    r"|(?:(?<!\S)(?:[^\s\[\]{\"]{1,40}|<[^<>]{1,40}>|\([^()]{1,40}\))"
    r"|(?<=\[)[^\w\s\[\]{\"][^\[\]]{0,39}(?=\]))"
    r"(?=\]?[ \t]{1,8}(?:\[[^\[\]]{0,60}\][ \t]{1,4})?"
    r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[ \t]))"
)
"""A regular expression, without groups, of what is written in place of a time and is none
(`2026-13-45 99:99:99`, `??:??:??`, `null`, `N/A`, a conversion that was not understood), and any
word before a level in capitals.
"""
LONGEST_DATE = 13
"""Characters in which `leading_date` stands, and one more."""
_DATE = re.compile(r"\[?([0-9]{4})-([0-9]{2})-([0-9]{2})[ T](?=[0-9])")
TIME_PATTERN = late_pattern(TIME_REGEX)
DAMAGED_TIME_PATTERN = late_pattern(DAMAGED_TIME_REGEX)

_PARTS = late_pattern(
    r"(?:(?P<ymd>(\d{4})[-/.年](\d\d?)[-/.月](\d\d?)日?|(\d{4})(\d\d)(\d\d))[-T_ ]{0,2}"
    rf"|(?:[A-Z][a-z]{{2}}, )?"
    rf"(?P<dmy>\d{{1,2}}(?:[-/. ]{{0,2}}{_MONTH}[-/. ]?|[-/.]\d{{1,2}}[-/.])\d{{4}}),?(?:::|[: T])"
    r"|(?P<local>\d{1,2}[/.]\d{1,2}[/.]\d\d),? (?=\d{1,2}:\d\d:\d\d:\d{3})"
    r"|(?P<short>\d\d/\d\d/\d\d) "
    rf"|(?:[A-Z][a-z]{{2}},? )?(?P<named>{_MONTH} +\d{{1,2}}),? (?:(?P<year>\d{{4}}),? (?:@ )?)?)?"
    r"(?P<clock>\d\d|\d(?=:)):?(\d\d):?(\d\d)(?:[.,:]?(?P<fraction>\d{1,9}))?(?:"
    rf" ?(?P<half>{_HALF}))?"
    rf" ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d|[A-Z]{{3,5}}|{_ZONE_IN_WORDS})?{_REGION}"
    r"(?: (?P<late>\d{4}))?$"
)


@frozen(slots=True)
class Timestamp:
    """A time as a log told it."""

    at_ms: int
    """Epoch milliseconds, an unknown zone taken as UTC; milliseconds of the day where `dated` is
    false.
    """
    dated: bool = True
    zoned: bool = False


@lru_cache(maxsize=4096)
def _midnight_ms(year: int, month: int, day: int) -> int | None:
    """Milliseconds from the epoch to a day's midnight, UTC; None for a day that no calendar has."""
    try:
        return (date(year, month, day).toordinal() - 719_163) * DAY_MS
    except ValueError:
        return None


def leading_date(text: str) -> str:
    """Return the date with which a line begins, as most lines do, with what stands around it. Such
    a line tells no time of day alone, whatever else stands in it.

    >>> leading_date("[2026-11-21 15:43:22,134] INFO open")
    '[2026-11-21 '

    Args:
        text: a line.

    Returns:
        Nothing where it begins otherwise, or with a day that no calendar has.
    """
    match = _DATE.match(text)
    return match[0] if match and _midnight_ms(*map(int, match.groups())) is not None else ""


def parse_time(text: str) -> Timestamp | None:
    """Read one time.

    Args:
        text: the time alone, in one of the forms of `TIME`.

    Returns:
        The moment, or None for a text that is none (a month 13, an hour 25).
    """
    if text[2:3] == ":" and len(text) in (8, 12):
        return _parse_time_of_day(text)
    if (
        len(text) == 23
        and text[4] == "-"
        and text[13] == ":"
        and text[10] in " T"
        and text[19] in ",."
        and text[20:].isdigit()
    ):
        try:
            day = _midnight_ms(int(text[:4]), int(text[5:7]), int(text[8:10]))
            clock = _time_of_day_ms(
                int(text[11:13]), int(text[14:16]), int(text[17:19]), int(text[20:])
            )
        except ValueError:
            return None
        return None if day is None or clock is None else Timestamp(day + clock)
    return _parse_any_form(text)


def _parse_time_of_day(text: str) -> Timestamp | None:
    """`HH:mm:ss` or `HH:mm:ss,SSS`, sooner than by parts."""
    digits = text[:2] + text[3:5] + text[6:8] + text[9:]
    if not digits.isdecimal() or text[5] != ":" or text[8:9] not in ("", ",", ".", ":"):
        return _parse_any_form(text)
    clock = _time_of_day_ms(
        int(digits[:2]), int(digits[2:4]), int(digits[4:6]), int(digits[6:] or 0)
    )
    return None if clock is None else Timestamp(clock, dated=False)


def _time_of_day_ms(hour: int, minute: int, second: int, ms: int) -> int | None:
    """Milliseconds of the day; a leap second is the last one of its minute."""
    if hour > 23 or minute > 59 or second > 60:
        return None
    return (hour * 3600 + minute * 60 + min(second, 59)) * 1000 + ms


def _parse_any_form(text: str) -> Timestamp | None:
    fine = len(text) in _FINE_EPOCH_DIGITS and text < "2"
    if text.isdecimal() and (len(text) == 13 or fine):
        return Timestamp(int(text[:13]), zoned=True)
    if re.fullmatch(r"\d{10}(?:[.,]\d+)?", text):
        return Timestamp(int(text[:10]) * 1000 + int(text[11:14].ljust(3, "0")), zoned=True)
    match = _PARTS.match(text)
    if not match:
        return None
    clock = _clock_part_ms(match)
    if clock is None:
        return None
    day, dated = _date_part_ms(match)
    if dated and day is None:
        return None
    offset = _utc_offset_ms(match["zone"])
    return Timestamp(
        (day or 0) + clock - (offset or 0) * dated, dated=dated, zoned=dated and offset is not None
    )


def _clock_part_ms(match: re.Match[str]) -> int | None:
    hour, minute, second = (
        int(part)
        for part in match.group(
            "clock", match.re.groupindex["clock"] + 1, match.re.groupindex["clock"] + 2
        )
    )
    if match["half"]:
        hour = hour % 12 + (12 if match["half"][0] in "Pp" else 0)
    return _time_of_day_ms(hour, minute, second, int((match["fraction"] or "0")[:3].ljust(3, "0")))


def _date_part_ms(match: re.Match[str]) -> tuple[int | None, bool]:
    """The day in milliseconds (None for an impossible one) and whether the text has a date with a
    year.
    """
    if match["ymd"]:
        year, month, day = (int(part) for part in match.groups()[1:7] if part)
        return _midnight_ms(year, month, day), True
    if match["dmy"]:
        first, second, year = re.findall(rf"\d+|{_WORD}+", match["dmy"])
        if "/" in match["dmy"] and (match["half"] or "").isupper():
            first, second = _month_second(first, second)
        return _day_first_date_ms(first, second, year), True
    if match["local"]:
        return _short_date_ms(match["local"]), True
    if match["short"]:
        year, month, day = (int(part) for part in match["short"].split("/"))
        return _midnight_ms(2000 + year, month, day), True
    year_text = match["year"] or match["late"]
    if match["named"] and year_text:
        name, day_text = match["named"].split()
        return _midnight_ms(int(year_text), _month_number(name), int(day_text)), True
    return None, False


def _short_date_ms(text: str) -> int | None:
    """The day of a short local date: with slashes the month comes first unless it can be none, with
    dots the day.
    """
    first, second, year = (int(part) for part in re.split("[/.]", text))
    day, month = (first, second) if "." in text or first > 12 else (second, first)
    return _midnight_ms(2000 + year, month, day)


def _month_number(name: str) -> int:
    """The number of a month by its name, whole or shortened; 0 for another word."""
    known = (_MONTHS.get(name.lower()[:length]) for length in (4, 3))
    return next((number for number in known if number), 0)


def _month_second(first: str, second: str) -> tuple[str, str]:
    """Put the month of a date with slashes second: who writes `AM` and `PM` writes it first."""
    return (second, first) if second.isdigit() and int(first) <= 12 else (first, second)


def _day_first_date_ms(first: str, second: str, year: str) -> int | None:
    if not second.isdigit():
        return _midnight_ms(int(year), _month_number(second), int(first))
    if int(second) > 12:
        first, second = second, first
    return _midnight_ms(int(year), int(second), int(first))


def _utc_offset_ms(zone: str | None) -> int | None:
    """East of UTC, in milliseconds; None for no zone and for an abbreviation, which more than one
    zone may have.
    """
    if zone in ("Z", "UTC", "GMT"):
        return 0
    if not zone or zone[0] not in "+-":
        return None
    minutes = int(zone[1:3]) * 60 + int(zone[-2:] if len(zone) > 3 else 0)
    return minutes * 60_000 * (-1 if zone[0] == "-" else 1)


def in_zone(moment: Timestamp, zone: tzinfo) -> Timestamp:
    """Take a dated time without zone as a local time of `zone`; return others unchanged.

    Args:
        moment: as read.
        zone: of the program.

    Returns:
        A moment in epoch milliseconds, UTC.
    """
    if not moment.dated or moment.zoned:
        return moment
    local = datetime(1970, 1, 1) + timedelta(milliseconds=moment.at_ms)
    return Timestamp(
        int(local.replace(tzinfo=zone).timestamp()) * 1000 + moment.at_ms % 1000, zoned=True
    )


def settled_by_capture(moment: Timestamp, wrapper: Timestamp) -> Timestamp:
    """Settle zone and date of a program's own time by the time at which its line was captured.

    A line is captured within seconds after it was written, and the zones of the world are multiples
    of a quarter of an hour: so the program's time is the one before the capture that differs from
    it by no more. Where none does (an odd zone, a log of another day that is shown again), a time
    with date stays as it is, and one without is that of the capture.

    Args:
        moment: the program's own time.
        wrapper: when the line was captured, with date and zone.

    Returns:
        The moment in UTC; as it was where no quarter of an hour fits.
    """
    if moment.zoned or not wrapper.zoned:
        return moment
    late = (wrapper.at_ms - moment.at_ms + _EARLY_MS) % _QUARTER_HOUR_MS - _EARLY_MS
    far = moment.dated and abs(moment.at_ms - wrapper.at_ms) > _FARTHEST_MS
    if late <= _LATE_MS and not far:
        return Timestamp(wrapper.at_ms - late, zoned=True)
    return moment if moment.dated else wrapper
