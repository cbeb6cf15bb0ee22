"""Times of day of many lines at once. Where lines tell no date a midnight is known by their times
alone, so all of them are read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from statemachines.logs.fields.log_times import ClockSpan, midnights_between
from statemachines.logs.records.record_beginnings import alike_beginnings
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

_TIME = rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<millisecond>\d{3}))?"
_BEGINS = re.compile(
    rb"(?P<bracket>\[)?" + _TIME + rb"(?(bracket)\])[ \t]+(?:\[|TRACE|DEBUG|INFO|WARN|ERROR)"
)
"""How lines begin whose time is surely theirs: no word stands behind it that may be of the time."""
_UNITS = {"hour": (24, 3_600_000), "minute": (60, 60_000), "second": (60, 1000)}
"""How many there are of each, and its milliseconds."""
_NONE = -1


@frozen(eq=False)
class UndatedLines:
    """The lines of a block, with the times of those that begin with one; arrays with a place a
    line.
    """

    starts: Any
    """Where they begin."""
    times: Any
    """Milliseconds of the day; -1 of a line that must be read by itself."""
    midnights: Any
    """How many there are from the first line on; it counts between neighbours with times only."""
    alone: list[int]
    """The places of the lines that must be read by themselves."""

    def place(self, at: int) -> int:
        """Return the place of a line.

        Args:
            at: where it begins.

        Returns:
            How many stand before it.
        """
        return int(load_numpy().searchsorted(self.starts, at))

    def clocks(self, first: int, end: int) -> Iterator[ClockSpan | int]:
        """Tell what some lines show of the clock, in their order.

        Args:
            first: place of the first of them.
            end: the place behind the last.

        Yields:
            What lines with times show together, and the offset of each other line.
        """
        for number in range(bisect_left(self.alone, first), len(self.alone)):
            place = self.alone[number]
            if place >= end:
                break
            if place > first:
                yield self._span(first, place - 1)
            yield int(self.starts[place])
            first = place + 1
        if first < end:
            yield self._span(first, end - 1)

    def _span(self, first: int, last: int) -> ClockSpan:
        between = int(self.midnights[last] - self.midnights[first])
        return ClockSpan(int(self.times[first]), int(self.times[last]), between)


def read_undated_lines(data: bytes) -> UndatedLines:
    """Read the times of the lines of a block.

    Args:
        data: whole lines.

    Returns:
        All lines; they are as many as `line_starts` gives.
    """
    numpy = load_numpy()
    feeds = numpy.flatnonzero(numpy.frombuffer(data, numpy.uint8) == ord("\n"))
    starts = numpy.append(0, feeds + 1)
    starts = starts[starts < len(data)]
    times = _times(data, starts)
    steps = numpy.zeros(len(times), numpy.int64)
    steps[1:] = midnights_between(times[:-1], times[1:])
    return UndatedLines(starts, times, steps.cumsum(), numpy.flatnonzero(times < 0).tolist())


def _times(data: bytes, starts: Any) -> Any:
    times = load_numpy().full(len(starts), _NONE, "int64")
    for match, alike in alike_beginnings(data, starts, _BEGINS):
        times[alike] = _times_of(data, starts[alike], match)
    return times


def _times_of(data: bytes, starts: Any, match: re.Match[bytes]) -> Any:
    """Return the times of lines that begin as one does that matched."""
    numpy = load_numpy()
    digits = numpy.frombuffer(data, numpy.uint8)

    def number(name: str) -> Any:
        total = numpy.zeros(len(starts), numpy.int64)
        for place in range(match.start(name), match.end(name)):
            total = 10 * total + digits[starts + (place - match.start())] - ord("0")
        return total

    times, is_time = numpy.zeros(len(starts), numpy.int64), numpy.ones(len(starts), bool)
    for name, (most, milliseconds) in _UNITS.items():
        value = number(name)
        times += milliseconds * value
        is_time &= value < most
    if match["millisecond"]:
        times += number("millisecond")
    return numpy.where(is_time, times, _NONE)
