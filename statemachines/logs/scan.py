"""Read the records of one piece of a log: find bytes first, understand later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from typing import NamedTuple

from attrs import evolve

from statemachines.logs.following import following
from statemachines.logs.layout import Layouts
from statemachines.logs.lines import LOOK_LINES, Line, Lines
from statemachines.logs.loading import default_layouts
from statemachines.logs.loggers import Loggers
from statemachines.logs.midnights import Clock, Midnights
from statemachines.logs.scanner import Buffer, Scanner, line_start
from statemachines.logs.times import DAY_MS, Moment, in_zone
from statemachines.logs.undated import line_starts, may_be_undated
from statemachines.model.records import Record

PLAIN = "plain"
"""The layout of a record that no layout read."""
UNDATED = "times without a date: the time of every line was read"
_THROWN = re.compile(r"\s*(?:Caused by: |Suppressed: )?(?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*: (?P<said>.+)")
"""A line of a stack trace that names an exception and has its message."""
_BARE = (None, None, False)
"""The origin of a line without prefix."""


class Unread(NamedTuple):
    """A record of a known logger that nothing can read, for it holds none of the words."""

    process: str | None
    logger: str
    line: int
    text: str


class Scan:
    """The records of one piece; iterate once, then read the counts."""

    def __init__(
        self, buffer: Buffer, start: int, end: int, scanner: Scanner, layouts: Layouts, zone: tzinfo | None, loggers: Loggers | None
    ) -> None:
        self._lines, self._loggers = Lines(buffer, layouts), loggers
        self._scanner, self._zone = scanner, zone
        self._start, self._end = line_start(buffer, start), line_start(buffer, end)
        self._clocks: dict[str | None, Clock] = {}
        self.lines = 0
        """Line feeds of the piece so far; an unfinished last line counts."""
        self.layouts: Counter[str] = Counter()
        """Records by layout."""
        self.unread: list[Unread] = []
        """Records of the loggers that hold none of their words; these are not yielded."""

    @property
    def midnights(self) -> Midnights:
        """What the piece shows of clocks without date, to be joined with that of the pieces before and after it."""
        return Midnights(dict(self._clocks))

    @property
    def problems(self) -> tuple[str, ...]:
        """What a reader of the report should know."""
        return (UNDATED,) if self._clocks else ()

    def __iter__(self) -> Iterator[Record]:
        buffer = self._lines.buffer
        always = self._lines.layouts.clock_anywhere
        for base, data, hits in self._scanner.chunks(buffer, self._start, self._end):
            yield from self._every(base, data, set(hits)) if always or may_be_undated(data) else self._only(base, data, hits)

    def _only(self, base: int, data: bytes, hits: list[int]) -> Iterator[Record]:
        """The records of the lines that hit; the others are counted."""
        counted = 0
        for at in hits:
            self.lines += data.count(b"\n", counted, at)
            counted = at
            yield from self._record(base + at, self.lines + 1)
        self.lines += data.count(b"\n", counted) + (not data.endswith(b"\n"))

    def _every(self, base: int, data: bytes, hits: set[int]) -> Iterator[Record]:
        """The same where every line's time must be read."""
        for at in line_starts(data):
            self._tick(self._lines.clock(base + at))
            if at in hits:
                yield from self._record(base + at, self.lines + 1)
            self.lines += 1

    def _tick(self, told: tuple[str | None, Moment] | None) -> None:
        if told is None:
            return
        process, moment = told
        clock = self._clocks.get(process)
        now = Clock(moment.at_ms, moment.at_ms)
        self._clocks[process] = clock.then(now) if clock else now

    def _record(self, offset: int, number: int) -> Iterator[Record]:
        line = self._lines.at(offset)
        if not self._begins(line):
            yield from self._thrown(line, number)
            return
        if self._loggers is not None and self._is_wordless(self._loggers, line, number):
            return
        record = self._made(line, number)
        self.layouts[record.layout] += 1
        yield record

    def _is_wordless(self, loggers: Loggers, line: Line, number: int) -> bool:
        """Say whether a record hit by its logger alone, and count it if it is one that is known."""
        if loggers.has_word(line.text, line.reading.message if line.reading else line.peeled.inner):
            return False
        logger = loggers.known(line.reading.logger) if line.reading else None
        if logger is not None:
            self.unread.append(Unread(line.peeled.process, logger, number, line.text))
        return True

    def _begins(self, line: Line) -> bool:
        """Whether a record begins here, told from this line and the few before it."""
        if self._goes_on(line):
            return False
        if line.reading is not None:
            return True
        inner = line.peeled.inner
        if inner[:1] in ("", "\t", " ") or inner.startswith(("at ", "Caused by:", "... ")):
            return False
        return not any(other.reading and other.peeled.key in (line.peeled.key, _BARE) for other in self._lines.before(line.offset))

    def _thrown(self, line: Line, number: int) -> Iterator[Record]:
        """The exception that a line below a record names, where that record does not already tell of it."""
        found = _THROWN.match(line.peeled.inner)
        if not found or self._goes_on(line) or not (self._loggers is None or self._loggers.has_word(found[0])):
            return
        for other in self._lines.before(line.offset):
            if other.peeled.key != line.peeled.key:
                continue
            if found["said"] in other.peeled.inner:
                return
            if other.reading:
                record = self._made(other, number)
                message = line.peeled.inner.strip()
                yield evolve(record, offset=line.offset, text=line.text, message=message, rest=(), logger=None, level=None, below=True)
                return

    def _goes_on(self, line: Line) -> bool:
        """Whether this is a later part of a line that a tool cut."""
        if line.peeled.stream is None:
            return False
        before = next((other for other in self._lines.before(line.offset) if other.peeled.key == line.peeled.key), None)
        return before is not None and before.peeled.partial

    def _made(self, line: Line, number: int) -> Record:
        reading, moment = line.reading, self._moment(line)
        rest = (*(reading.rest if reading else ()), *line.peeled.rest, *following(self._lines, line))[:LOOK_LINES]
        logger, thread = (reading.logger, reading.thread) if reading else (None, None)
        if reading and reading.tail:
            rest, told = _with_tail(rest, reading.tail)
            logger, thread = told.get("logger", logger), told.get("thread", thread)
        return Record(
            line=number,
            offset=line.offset,
            text=line.text,
            message=reading.message if reading else line.peeled.inner.strip(),
            layout=reading.layout if reading else PLAIN,
            rest=rest,
            at_ms=moment.at_ms if moment else None,
            dated=moment.dated if moment else True,
            zoned=moment.zoned if moment else False,
            level=reading.level if reading else None,
            logger=logger,
            thread=thread,
            process=line.peeled.process,
        )

    def _moment(self, line: Line) -> Moment | None:
        moment = line.moment
        if moment is None or moment.dated:
            return in_zone(moment, self._zone) if moment and self._zone else moment
        clock = self._clocks.get(line.peeled.process)
        return evolve(moment, at_ms=moment.at_ms + DAY_MS * clock.midnights) if clock else moment


def _with_tail(rest: tuple[str, ...], tail: re.Pattern[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take off what a layout writes behind a message of several lines, at the end of its last line."""
    for i, text in enumerate(rest):
        if text.lstrip().startswith(("at ", "Caused by:")):
            break
        found = tail.search(text)
        if found and "." in (found.groupdict().get("logger") or ""):
            return (*rest[:i], text[: found.start()].rstrip(), *rest[i + 1 :]), found.groupdict()
    return rest, {}


def scan(
    buffer: Buffer | memoryview,
    start: int,
    end: int,
    scanner: Scanner,
    layouts: Layouts | None = None,
    *,
    zone: tzinfo | None = None,
    loggers: Loggers | None = None,
) -> Scan:
    """Read the records of one piece of a log.

    Args:
        buffer: the file in its uncompressed UTF-8 form, or a part with a byte more than 64 KiB before `start`, and 192 KiB after `end`.
        start, end: bytes; the piece owns the lines that begin in `[start, end)`.
        scanner: which lines are of interest.
        layouts: how lines are taken apart; the shipped ones if not given.
        zone: where times without zone were written; if not given they are taken as UTC and said to be without zone.
        loggers: those whose lines without a word are counted in `unread`, and not yielded.

    Returns:
        An iterable of the records whose first line hits, in the file's order. Lines are counted from the piece's beginning.
        The time of a record without date counts from the midnight before the piece's first time of its process.
    """
    return Scan(
        bytes(buffer) if isinstance(buffer, memoryview) else buffer, start, end, scanner, layouts or default_layouts(), zone, loggers
    )
