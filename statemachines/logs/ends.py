"""When a file begins and ends."""

from __future__ import annotations

from datetime import tzinfo

from statemachines.logs.layout import Layouts
from statemachines.logs.lines import Line, Lines
from statemachines.logs.loading import default_layouts
from statemachines.logs.scanner import Buffer
from statemachines.logs.times import Moment, in_zone

_MOST = 1000
"""Lines that are tried from each end."""


def first_and_last(buffer: Buffer, layouts: Layouts | None = None, *, zone: tzinfo | None = None) -> tuple[Moment | None, Moment | None]:
    """The times of the first and of the last line of a file that can be read.

    Args:
        buffer: the whole file, uncompressed, as UTF-8.
        layouts: how lines are taken apart; the shipped ones if not given.
        zone: where times without zone were written.

    Returns:
        Two moments, each None where none of the thousand lines at that end has a time.
    """
    lines = Lines(buffer, layouts or default_layouts())
    return _settled(_first(lines), zone), _settled(_last(lines), zone)


def _settled(moment: Moment | None, zone: tzinfo | None) -> Moment | None:
    return in_zone(moment, zone) if moment and zone else moment


def _time(line: Line) -> Moment | None:
    return line.moment if line.reading else None


def _first(lines: Lines) -> Moment | None:
    offset = 0
    for _ in range(_MOST):
        if offset >= len(lines.buffer):
            return None
        line = lines.at(offset)
        if (moment := _time(line)) is not None:
            return moment
        offset = line.end
    return None


def _last(lines: Lines) -> Moment | None:
    end = len(lines.buffer)
    for _ in range(_MOST):
        if end <= 0:
            return None
        start = lines.buffer.rfind(b"\n", 0, end - 1) + 1
        if (moment := _time(lines.at(start))) is not None:
            return moment
        end = start
    return None
