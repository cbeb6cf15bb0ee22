"""The clocks of a piece of a log whose lines tell no date: where they pass midnight."""

from __future__ import annotations

from collections.abc import Iterator, Set

from statemachines.logs.fields.log_times import ClockSpan, Timestamp
from statemachines.logs.records.physical_lines import PhysicalLines
from statemachines.logs.records.undated_lines import read_undated_lines
from statemachines.logs.search.scanner import line_starts
from statemachines.model.arrays import is_numpy_installed

LEAST_AT_ONCE = 1 << 18
"""Bytes of a block from which on arrays pay, although they must be loaded (256 KiB)."""


class DayClocks:
    """What the times of day show that were read so far, process by process."""

    def __init__(self, lines: PhysicalLines) -> None:
        """Know no time yet.

        Args:
            lines: reads the lines of the file.
        """
        self._lines = lines
        self.spans: dict[str | None, ClockSpan] = {}
        """By process; None is the file's."""

    def advance(self, base: int, data: bytes, hits: Set[int]) -> Iterator[tuple[int, int]]:
        """Go through all lines of a block.

        Args:
            base: where the block begins in the file.
            data: whole lines.
            hits: where in it the lines begin at which to stop.

        Yields:
            Each of these, and how many lines of the block stand before it, when its time and those
            of all before it were read.
        """
        always = self._lines.layouts.clock_anywhere
        if not always and len(data) >= LEAST_AT_ONCE and is_numpy_installed():
            yield from self._advance_at_once(base, data, hits)
            return
        for place, at in enumerate(line_starts(data)):
            self._read(base + at)
            if at in hits:
                yield at, place

    def _advance_at_once(self, base: int, data: bytes, hits: Set[int]) -> Iterator[tuple[int, int]]:
        """Do the same where most lines begin with their time."""
        lines, first = read_undated_lines(data), 0
        for at in (*sorted(hits), None):
            end = len(lines.starts) if at is None else lines.place(at) + 1
            for clock in lines.clocks(first, end):
                if isinstance(clock, ClockSpan):
                    self._add(None, clock)
                else:
                    self._read(base + clock)
            first = end
            if at is not None:
                yield at, end - 1

    def _read(self, offset: int) -> None:
        """Read the time of the line that begins somewhere in the file."""
        observed: tuple[str | None, Timestamp] | None = self._lines.time_of_day(offset)
        if observed is not None:
            process, moment = observed
            self._add(process, ClockSpan(moment.at_ms, moment.at_ms))

    def _add(self, process: str | None, now: ClockSpan) -> None:
        clock = self.spans.get(process)
        self.spans[process] = clock.followed_by(now) if clock else now
