"""Where the time of a line stands: tried with other times in the same place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from statemachines.logs.fields.log_times import TIME_PATTERN, Timestamp
from statemachines.logs.layouts.json_layouts import INSTANT_PATTERN
from statemachines.logs.records.line_clocks import ClockShape, LineClock, clock_shape, read_clock
from statemachines.logs.records.plain_lines import time_start

_SECONDS = re.compile(
    r"\d\d?:\d\d:(?P<second>\d\d)(?:[.,:](?P<fraction>\d{1,9}))?"
    r"|\d{8}(?P<of_hundred>\d\d)(?:[.,]?(?P<of_epoch>\d{1,9}))?"
)
"""The seconds of a time of day, or those of an epoch, of which a hundred are read at once."""
_MINUTE, _HUNDRED = 60, 100
_MOST_PLACES = 5
"""Times of a line that may be its own."""
_PLAIN_SKELETONS = {sign: b"0000-00-00 00:00:00" + sign + b"000" for sign in (b",", b".")}
_SECOND_CHARACTERS = 19
_PROBES = (("07", "123456789"), ("59", "999999999"), ("30", "000500000"))
"""Seconds and fractions by which it is tried whether a time is that of its line."""
_EXACT_NUMBERS = (10, 13)
"""Digits of an epoch that JSON has as a number and that no rounding changes."""


def plain_clock(raw: bytes) -> LineClock | None:
    """Return where the time of a line stands that begins with a plain one.

    Args:
        raw: a line as it stands in the file.

    Returns:
        Its place; None of any other line.
    """
    low = time_start(raw)
    if low is None:
        return None
    sign = low + _SECOND_CHARACTERS
    return LineClock(
        low, clock_shape(_PLAIN_SKELETONS[raw[sign : sign + 1]], 17, 20, 23, 3, 1, _MINUTE, False)
    )


def find_clock(raw: bytes, read: Callable[[str], Timestamp | None]) -> LineClock | None:
    """Return where the time of a line stands; it is tried with other times in the same place.

    Args:
        raw: a line as it stands in the file, in ASCII.
        read: returns the time of such a line; None where it tells none, or begins no record.

    Returns:
        Its place; None where it has no date, or does not stand in the line as it is read.
    """
    text = raw.decode("ascii")
    moment = read(text)
    if moment is None or not moment.dated:
        return None
    for count, (low, shape) in enumerate(_clocks(text, is_zoned=moment.zoned)):
        own = text[low : low + shape.size]
        if read_clock(own) == moment and all(
            read_clock(other) == read(text[:low] + other + text[low + shape.size :]) is not None
            for other in _other_times(own, shape)
        ):
            return LineClock(low, shape)
        if count >= _MOST_PLACES:
            return None
    return None


def _clocks(text: str, *, is_zoned: bool) -> Iterator[LineClock]:
    """Yield the places of all that looks like a time in a line."""
    is_json = text.startswith("{")
    for instant in INSTANT_PATTERN.finditer(text) if is_json else ():
        low = instant.start()
        start, end = (place - low for place in instant.span("nanos"))
        digits = max(end - start - 6, 0)  # of nanoseconds, written as a number
        second = instant.end("seconds") - 2 - low
        parts = second, start, end, digits, 1, _HUNDRED, is_zoned
        yield LineClock(low, clock_shape(_skeleton(instant[0]), *parts))
    for time in TIME_PATTERN.finditer(text):
        match = _SECONDS.search(time[0])
        if match is None or (is_json and _is_rounded(time[0])):
            continue
        name, behind = ("second", "fraction") if match["second"] else ("of_hundred", "of_epoch")
        start, end = match.span(behind) if match[behind] else (match.end(), match.end())
        read = min(end - start, 3)
        seconds = _MINUTE if match["second"] else _HUNDRED
        parts = match.start(name), start, end, read, 10 ** (3 - read), seconds, is_zoned
        yield LineClock(time.start(), clock_shape(_skeleton(time[0]), *parts))


def _is_rounded(text: str) -> bool:
    """Say whether a time is a number that is read from JSON as one with a fraction."""
    return text.replace(".", "").isdecimal() and len(text) not in _EXACT_NUMBERS


def _skeleton(text: str) -> bytes:
    return re.sub("[0-9]", "0", text).encode("ascii")


def _other_times(text: str, shape: ClockShape) -> Iterator[str]:
    for second, fraction in _PROBES:
        size = shape.fraction_end - shape.fraction
        before, between = text[: shape.second], text[shape.second + 2 : shape.fraction]
        number = fraction[:size] if shape.scale > 1 or size <= 3 else "9" + fraction[1:size]
        yield before + second + between + number + text[shape.fraction_end :]
