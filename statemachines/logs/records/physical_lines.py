"""The physical lines of a file, read one at a time and remembered for their neighbours; those that
belong to the record before them; and the first and the last time of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from functools import partial

from attrs import evolve

from statemachines.logs.fields.log_times import (
    Timestamp,
    in_zone,
    leading_date,
    parse_time,
    settled_by_capture,
)
from statemachines.logs.layouts.parsed_lines import ParsedLine
from statemachines.logs.layouts.shipped_layouts import default_layouts, unwrap
from statemachines.logs.layouts.text_layouts import Layouts, TextLayout
from statemachines.logs.layouts.wrappers import UnwrappedLine
from statemachines.logs.records.line_wrappings import LineWrappings
from statemachines.logs.records.plain_lines import RECORD_BEGINS
from statemachines.logs.search.engines import LINE_LIMIT
from statemachines.logs.search.scanner import Buffer
from statemachines.model.values import define

NEIGHBOUR_LINES = 200
"""Lines before a hit that may tell whether it begins a record, and lines after it that may belong
to it.
"""
NEIGHBOUR_BYTES = 1 << 16
"""Bytes before a hit, and after its line, that are looked at (64 KiB)."""
_BEGINNING_BYTES = 64
"""Bytes in which a plain time stands, and what follows it."""
_MOST_CACHED = 512
_MOST_UNREAD, _LONGEST_UNREAD = 10_000, 500
"""Texts that no layout reads and that are remembered, and their characters at most: those of stack
traces stand in a log again and again.
"""
Origin = tuple[str | None, str | None, bool]
"""Process and stream of a line, and whether it is wrapped."""
_BEFORE_LINE = "\ufeff\x00\x1e\f"
"""What may stand before a line and is no part of it: joined files, U+001E of a sequence of JSON, a
new page.
"""


@define(slots=True)
class PhysicalLine:
    """One physical line."""

    offset: int
    end: int
    """Where the next line begins."""
    text: str
    """As it stands in the file, without line end; at most 64 KiB of it."""
    unwrapped: UnwrappedLine
    """What is inside, the parts joined of a line that a tool cut."""
    parsed: ParsedLine | None
    """What the first layout that reads it says; None where none does."""
    is_open: bool = False
    """Whether the buffer ends with a part of it that says that more follows."""

    @property
    def timestamp(self) -> Timestamp | None:
        """When: the program's own time, its zone and date settled by the wrapper's where that tells
        more.
        """
        return _settled_timestamp(
            self.parsed.timestamp if self.parsed else None, self.unwrapped.captured_at
        )


def _settled_timestamp(own: Timestamp | None, captured: Timestamp | None) -> Timestamp | None:
    if own is None or captured is None:
        return own or captured
    return settled_by_capture(own, captured)


class PhysicalLines:
    """The lines of a buffer by their offsets."""

    def __init__(self, buffer: Buffer, layouts: Layouts) -> None:
        self.buffer = buffer
        self.layouts = layouts
        self._cache: dict[int, PhysicalLine] = {}
        self._unread, self._unread_wrapped = layouts.unread_texts, layouts.unread_wrapped
        self.wrappings: LineWrappings | None = None
        """What stands around lines, where that is learnt."""
        self._last_peeled: tuple[int, UnwrappedLine] = -1, UnwrappedLine("")

    def line_at(self, offset: int) -> PhysicalLine:
        """The line that begins at an offset.

        Args:
            offset: in bytes, where a line begins.

        Returns:
            The line with its prefix and its text apart.
        """
        line = self._cache.get(offset)
        if line is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            line = self._cache[offset] = self._read_line(offset)
        return line

    def surely_begins_record(self, offset: int) -> bool:
        """Say whether the line at an offset begins with a time, as most records do; quick, for the
        line is not read. Of other lines `line_at` tells.

        Args:
            offset: in bytes, where a line begins.

        Returns:
            True where it does; False where it may.
        """
        return self._begins_with_time(bytes(self.buffer[offset : offset + _BEGINNING_BYTES]))

    def _begins_with_time(self, beginning: bytes) -> bool:
        match = RECORD_BEGINS.match(beginning)
        return (
            match is not None
            and self.layouts.reads_all_dated
            and parse_time((match[1] or match[2]).decode()) is not None
        )

    def surely_ends_record_of(self, origin: Origin, offset: int) -> bool:
        """Say whether the line at an offset begins the next record of an origin; quick, as
        `surely_begins_record` is.

        Args:
            origin: of lines that are wrapped.
            offset: in bytes, where a line begins.

        Returns:
            True where it does; False where it may.
        """
        if offset in self._cache:
            return False
        text = self._line_text(offset)[1]
        if text in self._unread:
            return False
        peeled = self._unwrap(text)
        self._last_peeled = offset, peeled
        return (
            peeled.origin == origin
            and not peeled.is_partial
            and self._begins_with_time(peeled.inner[:_BEGINNING_BYTES].encode())
        )

    def is_cut(self, line: PhysicalLine) -> bool:
        """Say whether the buffer ends before what a line says does: without a line feed, or with a
        part of a line that a tool cut into parts.

        Args:
            line: one of the buffer.

        Returns:
            False where its end is there.
        """
        if line.is_open:
            return True
        if line.end < len(self.buffer) or bytes(self.buffer[line.end - 1 : line.end]) == b"\n":
            return False
        is_whole_object = line.text.startswith("{") and line.text.endswith("}")
        return not is_whole_object

    def time_of_day(self, offset: int) -> tuple[str | None, Timestamp] | None:
        """The process and the time of day of a line that begins a record and tells no date; None
        for any other line.

        Args:
            offset: in bytes, where a line begins.

        Returns:
            Name of the process (None: the file's), and the time.
        """
        text = self._line_text(offset)[1]
        if leading_date(text) and not self.layouts.clock_anywhere:
            return None
        peeled = unwrap(text.lstrip(_BEFORE_LINE))
        if peeled.is_partial or (peeled.captured_at and peeled.captured_at.dated):
            return None
        own = self.layouts.record_time(peeled.inner)
        return (peeled.process, own) if own and not own.dated else None

    def _read_line(self, offset: int) -> PhysicalLine:
        end, text = self._line_text(offset)
        known = self._unread.get(text)
        peeled = known[0] if known else self._peel(offset, text)
        is_open = False
        if peeled.is_partial:
            joined, is_open = self._join_parts(peeled, end)
            peeled = evolve(peeled, inner=joined)
        inner = peeled.inner
        second = known[1] if known else self._unread_wrapped.get(inner)
        reading = self.layouts.read(inner) if second is None else None
        if reading is None:
            if second is None:
                second = self.layouts.second_line_layouts(inner)
                self._remember_unread(text, peeled, second)
            above = partial(self._text_above, offset, peeled)
            reading = self.layouts.read_below(inner, above, second)
        return PhysicalLine(offset, end, text, peeled, reading, is_open)

    def _peel(self, offset: int, text: str) -> UnwrappedLine:
        known = self._last_peeled
        return known[1] if known[0] == offset else self._unwrap(text)

    def _unwrap(self, text: str) -> UnwrappedLine:
        """Take off a line what stands around it; where both are known, each for itself."""
        if self.wrappings is not None and text.isascii():
            cut = self.wrappings.cut_known(text.encode())
            body = cut.wrapping.text_of(cut.body) if cut else None
            if cut and body is not None and body in self._unread_wrapped:
                unwrapped = cut.wrapping.unwrapped(body, cut.around)
                if unwrapped is not None:
                    return unwrapped
        return unwrap(text.lstrip(_BEFORE_LINE))

    def _remember_unread(
        self, text: str, peeled: UnwrappedLine, second: tuple[TextLayout, ...]
    ) -> None:
        if peeled.is_partial or len(text) > _LONGEST_UNREAD:
            return
        for memory in (self._unread, self._unread_wrapped):
            if len(memory) >= _MOST_UNREAD:
                memory.clear()
        self._unread[text] = peeled, second
        if peeled.is_wrapped:
            self._unread_wrapped[peeled.inner] = second

    def _text_above(self, offset: int, peeled: UnwrappedLine) -> str:
        """The line before one, without prefixes; nothing where it is of another origin."""
        if offset <= 0:
            return ""
        start = self.buffer.rfind(b"\n", max(0, offset - NEIGHBOUR_BYTES), offset - 1) + 1
        if start == 0 and offset > NEIGHBOUR_BYTES:
            return ""
        known = self._cache.get(start)
        other = known.unwrapped if known else unwrap(self._line_text(start)[1].lstrip(_BEFORE_LINE))
        return other.inner if other.origin == peeled.origin else ""

    def _line_text(self, offset: int) -> tuple[int, str]:
        """Where a line ends, and its text."""
        feed = self.buffer.find(b"\n", offset)
        end = feed + 1 if feed >= 0 else len(self.buffer)
        raw = bytes(self.buffer[offset : min(feed if feed >= 0 else end, offset + LINE_LIMIT)])
        text = raw.decode("utf-8", "replace").removesuffix("\r")
        return end, self._behind_hole(text) if "\x00" in text else text

    def _behind_hole(self, text: str) -> str:
        """A line with zeros in it, as a machine that crashed leaves them at the end of its log:
        what stands behind them is the next record, where it begins like one.
        """
        whole = text.rstrip("\x00")
        last = whole[whole.rfind("\x00") + 1 :]
        return last if self.layouts.record_time(unwrap(last).inner) else whole

    def _join_parts(self, peeled: UnwrappedLine, offset: int) -> tuple[str, bool]:
        """A line that a tool cut into parts, put together again; and whether its end is missing, as
        the buffer ends before.
        """
        text, low = peeled.inner, offset
        for _ in range(NEIGHBOUR_LINES):
            if not peeled.is_partial or offset >= min(low + NEIGHBOUR_BYTES, len(self.buffer)):
                break
            offset, part = self._line_text(offset)
            other = unwrap(part)
            if other.origin == peeled.origin:
                text, peeled = text + other.inner, other
        return text, peeled.is_partial and offset >= len(self.buffer)

    def lines_before(self, offset: int) -> Iterator[PhysicalLine]:
        """The lines before one, nearest first: at most 200, and only those that begin in the 64 KiB
        before it.

        Args:
            offset: in bytes, where a line begins.

        Yields:
            Lines with their prefix and text apart.
        """
        low = max(0, offset - NEIGHBOUR_BYTES)
        for _ in range(NEIGHBOUR_LINES):
            if offset <= low:
                return
            start = self.buffer.rfind(b"\n", low, offset - 1) + 1
            if start <= 0:
                if low > 0 and self.buffer[low - 1 : low] != b"\n":
                    return
                start = low
            yield self.line_at(start)
            offset = start


def continuation_lines(lines: PhysicalLines, line: PhysicalLine) -> list[str]:
    """The lines after the first of a record, until the next record of the same origin.

    In a file that several programs wrote, only lines with the same prefix belong to a record,
    without that prefix; indented lines without any prefix are how journald shows a message of
    several lines.

    Args:
        lines: of the file.
        line: the first of the record.

    Returns:
        Texts without prefix and line feed, in order.

    Limits: 200 lines, those that begin in the 64 KiB after the record's first line.
    """
    continuations: list[str] = []
    last_goes_on = line.unwrapped.is_partial
    offset, stop = line.end, min(line.end + NEIGHBOUR_BYTES, len(lines.buffer))
    for _ in range(NEIGHBOUR_LINES):
        if offset >= stop:
            break
        if not last_goes_on and _surely_ends(lines, line, offset):
            break
        other = lines.line_at(offset)
        offset = other.end
        same = other.unwrapped.origin == line.unwrapped.origin
        if same and last_goes_on:
            last_goes_on = other.unwrapped.is_partial
            continue
        if other.parsed and (same or not line.unwrapped.is_wrapped):
            break
        if same:
            continuations += [other.unwrapped.inner.rstrip(), *other.unwrapped.further_lines]
            last_goes_on = other.unwrapped.is_partial
        elif not line.unwrapped.is_wrapped or (
            not other.unwrapped.is_wrapped and other.text[:1] in (" ", "\t")
        ):
            continuations.append(other.text.rstrip())
    return continuations


def _surely_ends(lines: PhysicalLines, line: PhysicalLine, offset: int) -> bool:
    """Say whether a record surely ends before the line at an offset."""
    if line.unwrapped.is_wrapped:
        return lines.surely_ends_record_of(line.unwrapped.origin, offset)
    return lines.surely_begins_record(offset)


def split_tail(
    rest: tuple[str, ...], tail: re.Pattern[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Cut what a layout writes behind a message of several lines off its last line.

    Args:
        rest: the lines after the first, in order.
        tail: what the layout writes there, as a regular expression with groups.

    Returns:
        The lines without it, and its groups by name; none where it stands nowhere.
    """
    for i, text in enumerate(rest):
        if text.lstrip().startswith(("at ", "Caused by:")):
            break
        match = tail.search(text)
        if match and "." in (match.groupdict().get("logger") or ""):
            return (*rest[:i], text[: match.start()].rstrip(), *rest[i + 1 :]), match.groupdict()
    return rest, {}


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
