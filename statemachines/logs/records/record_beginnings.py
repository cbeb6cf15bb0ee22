"""Where records surely begin: a line by itself, and many lines of a block at once on arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from statemachines.logs.records.clock_search import plain_clock
from statemachines.logs.records.line_clocks import ClockTimes, LineClock
from statemachines.logs.records.plain_columns import clock_times
from statemachines.logs.records.plain_lines import RECORD_BEGINS, LineForms, line_key
from statemachines.model.arrays import load_numpy

_BLANKS = b" \t\r\n"
_BEGINNING_BYTES = 32
"""Bytes that are enough to see that a record begins, but where there are many blanks."""
_MOST_BEGINNINGS = 10_000
_MOST_TRIED = 8
"""Lines of a block from which others are told to begin alike."""


class RecordBeginnings:
    """Tells which lines surely begin a record of their own, so that they are no part of the one
    before them.
    """

    def __init__(self, forms: LineForms, times: ClockTimes) -> None:
        """Know no beginning yet.

        Args:
            forms: what is known of lines.
            times: reads the times of lines.
        """
        self._forms, self._times = forms, times
        self._known = dict[bytes, LineClock]()
        """How lines begin that surely begin a record with a plain time, every digit as a zero."""

    def begins(self, data: bytes, at: int) -> bool:
        """Say whether a line surely begins a record.

        Args:
            data: a block, whole lines.
            at: where in it the line begins.

        Returns:
            False also where the block ends there.
        """
        start = data[at : at + _BEGINNING_BYTES]
        if not start or start[0] in _BLANKS:
            return False
        key = line_key(start)
        clock = self._known.get(key)
        if clock is None:
            match = RECORD_BEGINS.match(data, at)
            if match is None:
                return self._begins_otherwise(data, at)
            clock = plain_clock(match[0])
            if clock is None:
                return False
            if match.end() - at <= _BEGINNING_BYTES and len(self._known) < _MOST_BEGINNINGS:
                self._known[key] = clock
        return self._times.second_at(clock.shape, data, at + clock.low) is not None

    def surely_begin(self, data: bytes, places: Any) -> Any:
        """Say of many lines at once whether they surely begin a record with a plain time; the few
        that begin otherwise are not told.

        Args:
            data: a block, whole lines.
            places: an array of where in it the lines begin.

        Returns:
            An array of booleans, one a line; False of one that must be asked for by itself.
        """
        sure = load_numpy().zeros(len(places), bool)
        for match, alike in alike_beginnings(data, places, RECORD_BEGINS):
            clock = plain_clock(match[0])
            if clock is not None:
                heads = places[alike] + clock.low
                sure[alike] = clock_times(data, heads, clock.shape, self._times) is not None
        return sure

    def _begins_otherwise(self, data: bytes, at: int) -> bool:
        """Say the same of a line that begins with no plain time."""
        end = data.find(b"\n", at)
        raw = data[at : end if end >= 0 else len(data)].removesuffix(b"\r")
        clock = self._forms.clock_of(raw)
        return clock is not None and self._times.time_of(clock, raw) is not None


_ZEROS = bytes(line_key(bytes(range(256))))
"""Each byte, a digit as a zero."""


def alike_beginnings(
    data: bytes, places: Any, pattern: re.Pattern[bytes]
) -> Iterator[tuple[re.Match[bytes], Any]]:
    """Tell which lines begin as one does that a pattern matches, but for their digits.

    Args:
        data: a text.
        places: an array of where in it the lines begin.
        pattern: tells no digit from another.

    Yields:
        The match of a line, and an array of the indexes of all that begin like it, each line once;
        of lines that begin in many ways not all.
    """
    left = load_numpy().arange(len(places))
    for _ in range(_MOST_TRIED):
        if not len(left):
            break
        match = pattern.match(data, int(places[left[0]]))
        if match is None:
            left = left[1:]
            continue
        alike = _begin_with(data, places[left], line_key(match[0]))
        yield match, left[alike]
        left = left[~alike]


def _begin_with(data: bytes, places: Any, key: bytes) -> Any:
    """Say where a text goes on with what has a key."""
    numpy = load_numpy()
    signs, zeros = numpy.frombuffer(data, numpy.uint8), numpy.frombuffer(_ZEROS, numpy.uint8)
    alike = places + len(key) <= len(data)
    for distance, sign in enumerate(key):
        alike &= zeros[signs.take(places + distance, mode="clip")] == sign
    return alike
