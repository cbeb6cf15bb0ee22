"""The physical lines of a file, read one at a time and remembered for their neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define

from statemachines.logs.engines import LINE_LIMIT
from statemachines.logs.layout import Layouts
from statemachines.logs.reading import Reading
from statemachines.logs.scanner import Buffer
from statemachines.logs.times import Moment, by_wrapper
from statemachines.logs.wrappers import Peeled, peel

LOOK_LINES = 200
"""Lines before a hit that may tell whether it begins a record, and lines after it that may belong to it."""
LOOK_BYTES = 1 << 16
"""Bytes before a hit, and after its line, that are looked at (64 KiB)."""
_REMEMBERED = 512


@define(slots=True)
class Line:
    """One physical line."""

    offset: int
    end: int
    """Where the next line begins."""
    text: str
    """As it stands in the file, without line end; at most 64 KiB of it."""
    peeled: Peeled
    reading: Reading | None
    """What the first layout that reads it says, its parts joined; None where none does."""

    @property
    def moment(self) -> Moment | None:
        """When: the program's own time, its zone and date settled by the wrapper's where that tells more."""
        return _settled(self.reading.moment if self.reading else None, self.peeled.moment)


def _settled(own: Moment | None, captured: Moment | None) -> Moment | None:
    if own is None or captured is None:
        return own or captured
    return by_wrapper(own, captured)


class Lines:
    """The lines of a buffer by their offsets."""

    def __init__(self, buffer: Buffer, layouts: Layouts) -> None:
        self.buffer = buffer
        self.layouts = layouts
        self._known: dict[int, Line] = {}

    def at(self, offset: int) -> Line:
        """The line that begins at an offset."""
        line = self._known.get(offset)
        if line is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            line = self._known[offset] = self._read(offset)
        return line

    def clock(self, offset: int) -> tuple[str | None, Moment] | None:
        """The process and the time of day of a line that begins a record and tells no date; None for any other line."""
        peeled = peel(self._text(offset)[1].lstrip("\ufeff\x00"))
        if peeled.partial or (peeled.moment and peeled.moment.dated):
            return None
        own = self.layouts.time(peeled.inner)
        return (peeled.process, own) if own and not own.dated else None

    def _read(self, offset: int) -> Line:
        end, text = self._text(offset)
        peeled = peel(text.lstrip("\ufeff\x00"))
        inner = self._whole(peeled, end) if peeled.partial else peeled.inner
        reading = self.layouts.read(inner) or self.layouts.read_below(inner, lambda: self._above(offset, peeled))
        return Line(offset, end, text, peeled, reading)

    def _above(self, offset: int, peeled: Peeled) -> str:
        """The line before one, without prefixes; nothing where it is of another origin."""
        if offset <= 0:
            return ""
        start = self.buffer.rfind(b"\n", max(0, offset - LOOK_BYTES), offset - 1) + 1
        if start == 0 and offset > LOOK_BYTES:
            return ""
        other = peel(self._text(start)[1].lstrip("\ufeff\x00"))
        return other.inner if other.key == peeled.key else ""

    def _text(self, offset: int) -> tuple[int, str]:
        """Where a line ends, and its text."""
        feed = self.buffer.find(b"\n", offset)
        end = feed + 1 if feed >= 0 else len(self.buffer)
        raw = bytes(self.buffer[offset : min(feed if feed >= 0 else end, offset + LINE_LIMIT)])
        return end, raw.decode("utf-8", "replace").removesuffix("\r")

    def _whole(self, peeled: Peeled, offset: int) -> str:
        """A line that a tool cut into parts, put together again."""
        text, low = peeled.inner, offset
        for _ in range(LOOK_LINES):
            if not peeled.partial or offset >= min(low + LOOK_BYTES, len(self.buffer)):
                break
            offset, part = self._text(offset)
            other = peel(part)
            if other.key == peeled.key:
                text, peeled = text + other.inner, other
        return text

    def before(self, offset: int) -> Iterator[Line]:
        """The lines before one, nearest first: at most 200, and only those that begin in the 64 KiB before it."""
        low = max(0, offset - LOOK_BYTES)
        for _ in range(LOOK_LINES):
            if offset <= low:
                return
            start = self.buffer.rfind(b"\n", low, offset - 1) + 1
            if start <= 0:
                if low > 0 and self.buffer[low - 1 : low] != b"\n":
                    return
                start = low
            yield self.at(start)
            offset = start
