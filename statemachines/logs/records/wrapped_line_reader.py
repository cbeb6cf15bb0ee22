"""Cuts lines of known forms out of blocks of lines that a tool wrapped, process by process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from statemachines.logs.records.line_clocks import ClockTimes, LineClock
from statemachines.logs.records.line_wrappings import (
    LineWrappings,
    WrappedLine,
    Wrapping,
)
from statemachines.logs.records.physical_lines import NEIGHBOUR_BYTES, NEIGHBOUR_LINES
from statemachines.logs.records.plain_line_reader import DIGEST_BYTES
from statemachines.logs.records.plain_lines import (
    LONGEST_PLAIN_LINE,
    AroundLine,
    LineForm,
    LineForms,
    LinePair,
    PlainRun,
    line_key,
)

_FIRST_LINES = 5
"""Lines of a block by which it is told whether its lines are wrapped."""
_LONGEST_BELOW = 1 << 15
"""Bytes below a line that are known again."""
_SETTLED = b"\n"
"""Ends what a key has of the wrapping of a line: no key of a line has it."""
_BLANKS = (b" ", b"\t", b"\\t")
_UNMET: Any = object()


class WrappedForms(LineForms, Protocol):
    """Knows forms of lines, and what stands around them."""

    @property
    def wrappings(self) -> LineWrappings:
        """What stands around lines."""


class _BlockLine(NamedTuple):
    """A line of a block."""

    start: int
    end: int
    """Where its line feed stands; -1 of an unfinished line."""
    raw: bytes
    """Without what ends it."""
    cut: WrappedLine | None
    body: bytes
    """The program's line, as it wrote it where that is plain ASCII, else as JSON spells it."""
    is_spelled: bool
    """Whether it is as JSON spells it."""
    clock: LineClock | None
    """Where its time stands in the program's line; None where it may begin no record."""


class _ProcessLines(NamedTuple):
    """Lines of known forms of one process, column by column."""

    forms: list[LineForm]
    bodies: list[bytes]
    raws: list[bytes]
    numbers: list[int]
    times: list[int]

    def add(self, form: LineForm, body: bytes, raw: bytes, number: int, at_ms: int) -> None:
        """Put a line behind the others."""
        self.forms.append(form)
        self.bodies.append(body)
        self.raws.append(raw)
        self.numbers.append(number)
        self.times.append(at_ms)


class WrappedLineReader:
    """Reads lines of known forms, in blocks of whole lines that are wrapped.

    What belongs to one record are lines of one origin, whatever stands between them. So a line is
    read with the next of its origin in view, and where a line between them is of no known wrapping,
    it is left to its layout.

    Complexity: a few look-ups a line that hits and for each line up to the next of its origin.
    """

    def __init__(self, forms: WrappedForms, zone: tzinfo | None) -> None:
        """Prepare reading.

        Args:
            forms: what is known of lines.
            zone: where times were written, which tell none.
        """
        self._forms = forms
        self._as_utc, self._in_zone = ClockTimes(None), ClockTimes(zone)
        self._data, self._lines = b"", dict[int, _BlockLine]()
        self._waiting = dict[str | None, _ProcessLines]()
        self._known_processes = set[str | None]()
        """Processes of which something was read: their order is that of their first lines."""

    def reads(self, data: bytes) -> bool:
        """Say whether the lines of a block are wrapped, by its first ones.

        Args:
            data: whole lines.

        Returns:
            True where one of them is, in a way that is known.
        """
        if b"\0" in data:
            return False
        start = 0
        for _ in range(_FIRST_LINES):
            end = data.find(b"\n", start)
            if end < 0:
                return False
            if self._forms.wrappings.cut(data[start:end].removesuffix(b"\r")):
                return True
            start = end + 1
        return False

    def runs(
        self, data: bytes, hits: Iterable[tuple[int, int]]
    ) -> Iterator[PlainRun | tuple[int, int]]:
        """Yield the lines of a block of which the form is known, in runs of one process; any other
        as it was given. What one process wrote comes in its order.

        Args:
            data: the block, whole lines.
            hits: offset and number of the lines to read.

        Yields:
            Runs, and pairs of an offset and a number.
        """
        self._data, self._lines = data, {}
        for at, number in hits:
            line = self._line_at(at)
            cut = line.cut
            if cut is not None and line.end >= 0 and line.clock and line.raw.isascii():
                read = self._read(line, cut, line.clock)
                if read is not None:
                    yield from self._add(line, cut, number, *read)
                    continue
            elif cut is not None and self._is_silent(line, cut):
                continue
            yield from self._rest_before(line)
            yield at, number
        yield from self.rest()
        self._data, self._lines = b"", {}

    def silent_pair(self, at: int) -> LinePair | None:
        """Return by which a line of the block is known that tells nothing; None of one that may.

        Args:
            at: where it begins.

        Returns:
            The line, and before it what stands above it.
        """
        line = self._lines.get(at)
        return None if line is None or line.cut is None else self._pair(line, line.cut)

    def rest(self) -> Iterator[PlainRun]:
        """Yield the runs that wait.

        Yields:
            One of each process.
        """
        waiting, self._waiting = self._waiting, {}
        yield from map(_make_run, waiting, waiting.values())

    def _rest_before(self, line: _BlockLine) -> Iterator[PlainRun]:
        """Yield what must be known before a line is read by its layout."""
        if line.cut is None or not line.clock:
            yield from self.rest()
        elif (process := line.cut.wrapping.process) in self._waiting:
            yield _make_run(process, self._waiting.pop(process))

    def _add(
        self, line: _BlockLine, cut: WrappedLine, number: int, form: LineForm, at_ms: int
    ) -> Iterator[PlainRun]:
        process = cut.wrapping.process
        waiting = self._waiting.get(process)
        if waiting is None:
            waiting = self._waiting[process] = _ProcessLines([], [], [], [], [])
        waiting.add(form, line.body, line.raw, number, at_ms)
        if process not in self._known_processes and not form.is_wordless:
            self._known_processes.add(process)
            yield _make_run(process, self._waiting.pop(process))

    def _read(
        self, line: _BlockLine, cut: WrappedLine, clock: LineClock
    ) -> tuple[LineForm, int] | None:
        """Return the form and the time of a line; None where it must be read by its layout."""
        if cut.wrapping.stream is not None and not self._follows_whole_line(line, cut.wrapping):
            return None
        moment = self._moment(line.body, cut, clock)
        if moment is None:
            return None
        form = self._form_of(line, cut, *moment)
        return None if form is None else (form, moment[0])

    def _moment(self, body: bytes, cut: WrappedLine, clock: LineClock) -> tuple[int, bool] | None:
        """Return the time of a line, and whether its capture tells the zone."""
        own = self._as_utc.time_of(clock, body)
        settled = None if own is None else cut.wrapping.settled(own, cut.around)
        if own is not None and settled is not None and clock.shape.is_zoned:
            return own, False
        if settled is None or settled[1]:
            return settled
        in_zone = self._in_zone.time_of(clock, body)
        return None if in_zone is None else (in_zone, False)

    def _form_of(
        self, line: _BlockLine, cut: WrappedLine, at_ms: int, is_settled: bool
    ) -> LineForm | None:
        forms, wrapping = self._forms, cut.wrapping
        kind = 1 + is_settled + 2 * line.is_spelled
        key = _SETTLED + wrapping.shape + _SETTLED * kind + line_key(line.body)
        form: LineForm | None = forms.known.get(key, _UNMET)
        if form is _UNMET:
            form = forms.learn(key, line.body, b"", self._around(line, cut, at_ms))
        if form is not None and form.is_whole:
            return form
        below = self._lines_below(line, wrapping)
        if not below:
            return form if below is not None else None
        key += b"\n" + blake2b(_bodies(below), digest_size=DIGEST_BYTES).digest()
        form = forms.known.get(key, _UNMET)
        if form is not _UNMET:
            return form
        raws = b"".join(self._data[other.start : other.end + 1] for other in below)
        return forms.learn(key, line.body, raws, self._around(line, cut, at_ms))

    @staticmethod
    def _around(line: _BlockLine, cut: WrappedLine, at_ms: int) -> AroundLine:
        head = line.raw.find(cut.body) if cut.wrapping.shape else len(cut.around)
        spelled = None if line.body == cut.body else cut.body
        around, process = cut.around, cut.wrapping.process
        return AroundLine(around[:head], around[head:], process, at_ms, spelled)

    def _lines_below(self, line: _BlockLine, wrapping: Wrapping) -> list[_BlockLine] | None:
        """Return the lines of the same origin up to the next that surely begins a record; None
        where they cannot all be told.
        """
        below, size, at = list[_BlockLine](), 0, line.end + 1
        for _ in range(NEIGHBOUR_LINES):
            if at >= len(self._data) or at - line.end >= NEIGHBOUR_BYTES:
                return None
            other = self._line_at(at)
            if other.cut is None or other.end < 0:
                return None
            if other.cut.wrapping.origin == wrapping.origin:
                if other.clock:
                    at_ms = self._as_utc.time_of(other.clock, other.body)
                    return below if at_ms is not None else None
                below.append(other)
                size += len(other.raw)
                if size > _LONGEST_BELOW:
                    return None
            at = other.end + 1
        return None

    def _follows_whole_line(self, line: _BlockLine, wrapping: Wrapping) -> bool:
        """Say whether a line is surely no later part of one that a tool cut."""
        at = line.start
        for _ in range(NEIGHBOUR_LINES):
            if at <= 0:
                return False
            other = self._line_at(self._data.rfind(b"\n", 0, at - 1) + 1)
            if other.cut is None:
                return False
            if other.cut.wrapping.origin == wrapping.origin:
                return True
            at = other.start
        return False

    def _is_silent(self, line: _BlockLine, cut: WrappedLine) -> bool:
        pair = self._pair(line, cut)
        return pair is not None and pair in self._forms.silent

    def _pair(self, line: _BlockLine, cut: WrappedLine) -> LinePair | None:
        """Return a line that begins with a blank, and before it what stands above it."""
        if not cut.body.startswith(_BLANKS) or line.start == 0:
            return None
        above = self._line_at(self._data.rfind(b"\n", 0, line.start - 1) + 1).cut
        if above is None or len(cut.body) + len(above.body) > LONGEST_PLAIN_LINE:
            return None
        is_same = above.wrapping.origin == cut.wrapping.origin
        return _SETTLED + cut.wrapping.shape + above.body * is_same, _SETTLED + cut.body

    def _line_at(self, at: int) -> _BlockLine:
        line = self._lines.get(at)
        if line is None:
            end = self._data.find(b"\n", at)
            raw = self._data[at : end if end >= 0 else len(self._data)].removesuffix(b"\r")
            wrappings = self._forms.wrappings
            cut = wrappings.cut(raw)
            body, is_spelled = _own_line(cut) if cut else (b"", False)
            clock = wrappings.clock_of(body) if cut else None
            line = _BlockLine(at, end, raw, cut, body, is_spelled, clock)
            self._lines[at] = line
        return line


def _own_line(cut: WrappedLine) -> tuple[bytes, bool]:
    """Return a program's line as it wrote it, and False; as it is spelled in the file, and True,
    where it has other signs than those of ASCII that are printed, or is not what JSON writes.
    """
    if not cut.wrapping.shape or b"\\" not in cut.body or not cut.body.isascii():
        return cut.body, False
    text = cut.wrapping.text_of(cut.body)
    if text is None or not text.isascii() or not text.isprintable():
        return cut.body, True
    return text.encode(), False


def _bodies(lines: Iterable[_BlockLine]) -> bytes:
    return b"\n".join(line.cut.body for line in lines if line.cut is not None)


def _make_run(process: str | None, waiting: _ProcessLines) -> PlainRun:
    texts = [body.decode("ascii") for body in waiting.bodies]
    wrapped = [raw.decode("ascii") for raw in waiting.raws]
    return PlainRun(waiting.forms, texts, waiting.numbers, waiting.times, wrapped, process)
