"""Dates as a layout asks for them (`%d{yyMMdd HHmmss}`): patterns of Java, and the names that log4j
has for some, to readers of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from statemachines.logs.fields.log_times import TIME_REGEX, Timestamp, in_zone, parse_time
from statemachines.model.evidence.moments import time_zone
from statemachines.model.values import frozen

_NAMED_PATTERNS = {
    "ABSOLUTE": "HH:mm:ss,SSS", "ABSOLUTE_PERIOD": "HH:mm:ss.SSS",
    "ABSOLUTE_MICROS": "HH:mm:ss,SSSSSS",
    "ABSOLUTE_NANOS": "HH:mm:ss,SSSSSSSSS", "COMPACT": "yyyyMMddHHmmssSSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS", "DATE_PERIOD": "dd MMM yyyy HH:mm:ss.SSS",
    "DEFAULT": "yyyy-MM-dd HH:mm:ss,SSS", "DEFAULT_PERIOD": "yyyy-MM-dd HH:mm:ss.SSS",
    "DEFAULT_MICROS": "yyyy-MM-dd HH:mm:ss,SSSSSS",
    "DEFAULT_NANOS": "yyyy-MM-dd HH:mm:ss,SSSSSSSSS",
    "ISO8601": "yyyy-MM-dd['T'][ ]HH:mm:ss,SSS[X]", "STRICT": "yyyy-MM-dd HH:mm:ss,SSS",
    "ISO8601_BASIC": "yyyyMMdd'T'HHmmss,SSS", "ISO8601_BASIC_PERIOD": "yyyyMMdd'T'HHmmss.SSS",
    "ISO8601_PERIOD": "yyyy-MM-dd'T'HH:mm:ss.SSS",
    "ISO8601_PERIOD_MICROS": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "ISO8601_OFFSET_DATE_TIME_HH": "yyyy-MM-dd'T'HH:mm:ss,SSSX",
    "ISO8601_OFFSET_DATE_TIME_HHMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXX",
    "ISO8601_OFFSET_DATE_TIME_HHCMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXXX",
    "RFC3339": "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "US_MONTH_DAY_YEAR2_TIME": "dd/MM/yy HH:mm:ss.SSS",
    "US_MONTH_DAY_YEAR4_TIME": "dd/MM/yyyy HH:mm:ss.SSS",
}  # fmt: skip
"""As log4j has them, its slip with days and months among them."""
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[\[\]]|[^A-Za-z'\[\]]")
_ZONE = (
    r"(?:Z|[+-]\d\d(?::?\d\d)?|(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d\d)?)?"
    r"|[A-Z]{3,5}|[A-Z][a-z]+/[A-Za-z_/]+)"
)
_SUPPORTED_LETTERS = (
    "y u M L d D H k h K m s S n E a z Z X x V O, text in '…', and names such as ISO8601 or"
    " UNIX_MILLIS"
)


class DateError(ValueError):
    """A pattern of dates that is not understood; the message says what of it."""


@frozen(slots=True)
class DateReader:
    """Reads the times that one pattern writes."""

    regex: re.Pattern[str]
    zone: tzinfo | None = None
    """Where they are written, as the layout says."""

    def read(self, text: str) -> Timestamp | None:
        """Read one time; None for a text that is none.

        Args:
            text: a time as the program writes it, nothing around it.

        Returns:
            The moment, with its zone where the text tells one.
        """
        moment = self._read_own_form(text) or parse_time(text)
        return in_zone(moment, self.zone) if moment and self.zone else moment

    @property
    def source(self) -> str:
        """A regular expression, without groups of a name, of what the pattern writes, or of any
        other form.
        """
        return f"(?:{re.sub(r'[(][?]P<[a-z0-9_]+>', '(?:', self.regex.pattern)}|{TIME_REGEX})"

    def _read_own_form(self, text: str) -> Timestamp | None:
        match = self.regex.fullmatch(text)
        try:
            return (
                _make_timestamp({name: part for name, part in match.groupdict().items() if part})
                if match
                else None
            )
        except (ValueError, OverflowError):
            return None


def make_date_reader(options: str) -> DateReader | None:
    """Return the reader of what `%d{…}{…}` writes; None where every form of time may be read.

    Args:
        options: all that stands behind `%d`, in braces; a second one, or what stands behind a
            comma, may be a zone.

    Returns:
        A reader that takes that form of time only.

    Raises:
        DateError: for letters that no time is made of.
    """
    groups = re.findall(r"\{([^{}]*)\}", options)
    if not groups or not groups[0].strip():
        return None
    pattern, zone = _split_zone(groups[0].strip(), groups[1].strip() if len(groups) > 1 else "")
    if zone is None and _is_unambiguous(pattern):
        return None
    return DateReader(
        re.compile("".join(_regex_parts(_NAMED_PATTERNS.get(pattern, pattern)))), zone
    )


def _split_zone(pattern: str, option: str) -> tuple[str, tzinfo | None]:
    """Take a zone off: log4j has it in braces of its own, logback behind a comma."""
    begin, comma, end = pattern.rpartition(",")
    if not option and comma and (zone := _parse_zone(end.strip())):
        pattern, option = begin.strip(), ""
        return pattern.strip('"'), zone
    return pattern.strip('"'), _parse_zone(option)


def _parse_zone(text: str) -> tzinfo | None:
    if (
        not re.fullmatch(
            r"(?:UTC|GMT|Z)?(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z][A-Za-z_]+/[A-Za-z_/]+|[A-Z]{3,4}",
            text,
        )
        or not text
    ):
        return None
    try:
        return UTC if text in ("UTC", "GMT", "Z") else time_zone(text)
    except (ValueError, KeyError, OSError):
        return None


def _regex_parts(pattern: str) -> Iterator[str]:
    if pattern in ("UNIX", "UNIX_MILLIS"):
        yield r"(?P<unix>\d{9,10})" if pattern == "UNIX" else r"(?P<millis>\d{12,13})"
        return
    at, groups = 0, set[str]()
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if match is None:
            raise DateError(
                f"`%d{{{pattern}}}`: a quote opens at {pattern[at:]!r} and does not close"
            )
        yield _token_regex(match, pattern, groups)
        at = match.end()


def _token_regex(token: re.Match[str], pattern: str, groups: set[str]) -> str:
    text = token[0]
    if token[1] is not None:
        return re.escape(token[1].replace("''", "'") or "'")
    if text in "[]":
        return "(?:" if text == "[" else ")?"
    if token[2] is None:
        return " +" if text == " " else re.escape(text)
    name, source = _letter_group(token[2], len(text), pattern)
    if not name or name in groups:
        return source
    groups.add(name)
    return f"(?P<{name}>{source})"


def _letter_group(letter: str, count: int, pattern: str) -> tuple[str, str]:
    """The name of what a letter writes, and a regular expression for it."""
    if letter == "S":
        return "fraction", rf"\d{{{count}}}"
    if letter in ("M", "L") and count > 2:
        return "month_name", r"[^\W\d]{3,12}\.?"
    fields = {
        "y": ("year2", r"\d\d") if count == 2 else ("year", r"\d{4}"),
        "u": ("year2", r"\d\d") if count == 2 else ("year", r"\d{4}"),
        "M": ("month", ""), "L": ("month", ""), "d": ("day", ""), "H": ("hour", ""),
        "k": ("hour24", ""), "h": ("hour12", ""),
        "K": ("hour11", ""), "m": ("minute", ""), "s": ("second", ""), "n": ("nano", r"\d{1,9}"),
        "D": ("day_of_year", r"\d{1,3}"),
        "a": ("half", r"[AaPp]\.?[Mm]\.?"), "E": ("", r"[^\W\d]{2,12}\.?"),
        **dict.fromkeys("zZXxVO", ("zone", _ZONE)),
    }  # fmt: skip
    if letter not in fields:
        raise DateError(
            f"`%d{{{pattern}}}`: the letters {letter * count!r} are not understood; there are"
            f" {_SUPPORTED_LETTERS}"
        )
    name, source = fields[letter]
    return name, source or (r"\d\d" if count > 1 else r"\d{1,2}")


def _make_timestamp(groups: Mapping[str, str]) -> Timestamp | None:
    if "millis" in groups or "unix" in groups:
        return Timestamp(
            int(groups["millis"]) if "millis" in groups else int(groups["unix"]) * 1000, zoned=True
        )
    clock = _clock_time(groups)
    day = _date(groups)
    if day is None:
        return Timestamp(clock // timedelta(milliseconds=1), dated=False)
    offset = _utc_offset(groups.get("zone", ""))
    at = day + clock - (offset or timedelta())
    return Timestamp(
        (at - datetime(1970, 1, 1)) // timedelta(milliseconds=1), zoned=offset is not None
    )


def _clock_time(groups: Mapping[str, str]) -> timedelta:
    hour = int(groups.get("hour", groups.get("hour24", "0"))) % 24
    if part := groups.get("hour12", groups.get("hour11")):
        hour = int(part) % 12 + 12 * groups.get("half", "A").upper().startswith("P")
    second, minute = int(groups.get("second", "0")), int(groups.get("minute", "0"))
    if minute > 59 or second > 60 or int(groups.get("hour", "0")) > 23:
        raise ValueError("no time of day")
    micros = (
        int(groups["nano"]) // 1000
        if "nano" in groups
        else int(groups.get("fraction", "0")[:6].ljust(6, "0"))
    )
    return timedelta(hours=hour, minutes=minute, seconds=min(second, 59), microseconds=micros)


def _date(groups: Mapping[str, str]) -> datetime | None:
    """The day; None where the pattern has no year, or no day."""
    year = (
        int(groups["year"])
        if "year" in groups
        else 2000 + int(groups["year2"])
        if "year2" in groups
        else None
    )
    if year is None:
        return None
    if "day_of_year" in groups:
        return datetime(year, 1, 1) + timedelta(days=int(groups["day_of_year"]) - 1)
    month = (
        _MONTHS.get(groups["month_name"][:3].lower(), 0)
        if "month_name" in groups
        else int(groups.get("month", "0"))
    )
    return datetime(year, month, int(groups["day"])) if "day" in groups else None


def _utc_offset(zone: str) -> timedelta | None:
    """East of UTC; None for no zone and for an abbreviation, which more than one zone may have."""
    match = re.fullmatch(r"(Z|GMT|UTC)?(?:([+-])(\d{1,2}):?(\d\d)?)?", zone)
    if not zone or not match:
        return None
    east = timedelta(hours=int(match[3] or 0), minutes=int(match[4] or 0))
    return -east if match[2] == "-" else east


def _is_unambiguous(pattern: str) -> bool:
    """Say whether every form of time may be read for a pattern: it writes one of the forms that can
    mean but one thing.
    """
    bare = re.sub(
        r"[.,]S+$", "", re.sub("X+$", "", _NAMED_PATTERNS.get(pattern, pattern).replace("'T'", "T"))
    )
    return pattern == "ISO8601" or bare in (
        "yyyy-MM-dd HH:mm:ss",
        "yyyy-MM-ddTHH:mm:ss",
        "HH:mm:ss",
    )
