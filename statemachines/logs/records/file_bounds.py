"""When a file begins and ends."""

from __future__ import annotations

from datetime import tzinfo

from statemachines.logs.fields.log_times import Timestamp, in_zone
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.layouts.text_layouts import Layouts
from statemachines.logs.records.physical_lines import PhysicalLine, PhysicalLines
from statemachines.logs.search.scanner import Buffer

_MOST_LINES = 1000
"""Lines that are tried from each end."""


def first_and_last_times(
    buffer: Buffer, layouts: Layouts | None = None, *, zone: tzinfo | None = None
) -> tuple[Timestamp | None, Timestamp | None]:
    """The times of the first and of the last line of a file that can be read.

    Args:
        buffer: the whole file, uncompressed, as UTF-8.
        layouts: how lines are taken apart; the shipped ones if not given.
        zone: where times without zone were written.

    Returns:
        Two moments, each None where none of the thousand lines at that end has a time.
    """
    lines = PhysicalLines(buffer, layouts or default_layouts())
    return _in_given_zone(_first_time(lines), zone), _in_given_zone(_last_time(lines), zone)


def _in_given_zone(moment: Timestamp | None, zone: tzinfo | None) -> Timestamp | None:
    return in_zone(moment, zone) if moment and zone else moment


def _line_time(line: PhysicalLine) -> Timestamp | None:
    return line.timestamp if line.parsed else None


def _first_time(lines: PhysicalLines) -> Timestamp | None:
    offset = 0
    for _ in range(_MOST_LINES):
        if offset >= len(lines.buffer):
            return None
        line = lines.line_at(offset)
        if (moment := _line_time(line)) is not None:
            return moment
        offset = line.end
    return None


def _last_time(lines: PhysicalLines) -> Timestamp | None:
    end = len(lines.buffer)
    for _ in range(_MOST_LINES):
        if end <= 0:
            return None
        start = lines.buffer.rfind(b"\n", 0, end - 1) + 1
        if (moment := _line_time(lines.line_at(start))) is not None:
            return moment
        end = start
    return None
