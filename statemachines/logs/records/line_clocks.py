"""Where in lines their time stands, and reading it there.

The reader of times stays the only one who knows what a time means: it reads each minute once. The
digits of a second and of what follows it are numbers.
"""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache
from typing import NamedTuple

from attrs import field

from statemachines.logs.fields.log_times import Timestamp, in_zone, parse_time
from statemachines.logs.layouts.json_layouts import parse_instant_text
from statemachines.model.values import frozen

_MOST_SECONDS = 10_000


@frozen(eq=False)
class ClockShape:
    """A time with every digit as a zero, and where in it the numbers stand."""

    skeleton: bytes
    second: int
    """Where the two digits of the second stand."""
    fraction: int
    fraction_end: int
    """Where the digits behind the second stand; of no other time they tell."""
    digits_read: int
    """How many of these make milliseconds."""
    scale: int
    """Milliseconds of a unit of them."""
    seconds: int
    """How many there are of one reading."""
    is_zoned: bool
    """Whether it tells its zone."""
    size: int = field(init=False)

    @size.default
    def _count_characters(self) -> int:
        return len(self.skeleton)

    @property
    def second_places(self) -> tuple[int, ...]:
        """Where the digits stand of all but the fraction."""
        fraction = range(self.fraction, self.fraction_end)
        zero = ord("0")
        return tuple(
            place
            for place, sign in enumerate(self.skeleton)
            if sign == zero and place not in fraction
        )

    @property
    def millisecond_places(self) -> range:
        """Where the digits stand that make milliseconds."""
        return range(self.fraction, self.fraction + self.digits_read)


clock_shape = lru_cache(maxsize=1000)(ClockShape)
"""One object for each."""


class LineClock(NamedTuple):
    """Where the time of a line stands."""

    low: int
    shape: ClockShape

    @property
    def places(self) -> range:
        """Where its characters stand."""
        return range(self.low, self.low + self.shape.size)


class _Seconds(dict[bytes, "int | None"]):
    """The milliseconds to each second of one shape; None for a time that no calendar has."""

    def __init__(self, shape: ClockShape, zone: tzinfo | None) -> None:
        super().__init__()
        self._shape, self._zone = shape, zone
        self._minutes = dict[bytes, "int | None"]()

    def __missing__(self, text: bytes) -> int | None:
        if len(self) >= _MOST_SECONDS:
            self.clear()
            self._minutes.clear()
        place, most = self._shape.second, self._shape.seconds
        second = int(text[place : place + 2])
        minute = text[:place] + text[place + 2 :]
        if minute not in self._minutes:
            self._minutes[minute] = self._read_minute(text)
        start = self._minutes[minute]
        plain = start is not None and second < most
        self[text] = at_ms = (start or 0) + 1000 * second if plain else self._read(text)
        return at_ms

    def _read_minute(self, text: bytes) -> int | None:
        """Return when a minute begins whose seconds all follow one another; None of one that no
        calendar has, or in which clocks are put forward or back.
        """
        place, last = self._shape.second, self._shape.seconds - 1
        first_ms, last_ms = (
            self._read(b"%b%02d%b" % (text[:place], second, text[place + 2 :]))
            for second in (0, last)
        )
        goes_on = first_ms is not None and last_ms == first_ms + 1000 * last
        return first_ms if goes_on else None

    def _read(self, text: bytes) -> int | None:
        shape = self._shape
        zeros = b"0" * (shape.fraction_end - shape.fraction)
        whole = text[: shape.fraction] + zeros + text[shape.fraction :]
        moment = read_clock(whole.decode("ascii"))
        if moment is not None and self._zone is not None:
            moment = in_zone(moment, self._zone)
        return moment.at_ms if moment is not None else None


class ClockTimes:
    """Reads the times of lines.

    Complexity: a look-up a line; each minute is read once.
    """

    def __init__(self, zone: tzinfo | None) -> None:
        """Know no time yet.

        Args:
            zone: where times were written, which tell none.
        """
        self._zone, self._by_shape = zone, dict[ClockShape, _Seconds]()

    def second_at(self, shape: ClockShape, data: bytes, head: int) -> int | None:
        """Return the second of a time.

        Args:
            shape: of the time.
            data: the text that it stands in.
            head: where it begins.

        Returns:
            Milliseconds; None where no calendar has that time.
        """
        seconds = self._by_shape.get(shape)
        if seconds is None:
            seconds = self._by_shape[shape] = _Seconds(shape, self._zone)
        text = data[head : head + shape.fraction]
        if shape.fraction_end < shape.size:
            text += data[head + shape.fraction_end : head + shape.size]
        return seconds[text]

    def time_of(self, clock: LineClock, raw: bytes) -> int | None:
        """Return when a line was written.

        Args:
            clock: where its time stands.
            raw: the line.

        Returns:
            Milliseconds; None where no calendar has that time.
        """
        low, shape = clock
        second = self.second_at(shape, raw, low)
        if second is None or not shape.digits_read:
            return second
        start = low + shape.fraction
        return second + shape.scale * int(raw[start : start + shape.digits_read])


def read_clock(text: str) -> Timestamp | None:
    """Read a time alone, as layouts of text or of JSON do.

    Args:
        text: the characters of a clock.

    Returns:
        The moment; None for a text that is none.
    """
    return parse_instant_text(text) if '"' in text else parse_time(text)
