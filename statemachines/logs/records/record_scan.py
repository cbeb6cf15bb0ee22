"""Read the records of one piece of a log: find bytes first, understand later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import accumulate

from attrs import evolve

from statemachines.logs.fields.levels import WARNING_LEVELS
from statemachines.logs.fields.log_times import Midnights, Timestamp, in_zone
from statemachines.logs.layouts.parsed_lines import ParsedLine
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.layouts.text_layouts import Layouts
from statemachines.logs.records.day_clocks import DayClocks
from statemachines.logs.records.physical_lines import (
    NEIGHBOUR_LINES,
    PhysicalLine,
    PhysicalLines,
    continuation_lines,
    split_tail,
)
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_line_reader import PlainLineReader
from statemachines.logs.records.plain_lines import LinePair, PlainRun
from statemachines.logs.records.wordless_records import (
    SAME_SECOND,
    LoudRecord,
    RepeatedWarnings,
    SilentLines,
    UnreadRecord,
)
from statemachines.logs.records.wrapped_line_reader import WrappedForms, WrappedLineReader
from statemachines.logs.search.buffers import count_feeds, count_feeds_between, cut_line_starts
from statemachines.logs.search.loggers import Loggers
from statemachines.logs.search.scanner import (
    Buffer,
    Scanner,
    may_have_undated_lines,
    next_line_start,
)
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.records import Record

NO_LAYOUT = "plain"
"""The layout of a record that no layout read."""
_UNDATED_PROBLEM = "times without a date: the time of every line was read"
_HOLE_PROBLEM = "zero bytes stand in it, as a crash leaves them: what was there is lost"
_EXCEPTION_LINE = re.compile(
    r"\s*(?:Caused by: |Suppressed: )?(?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*: (?P<said>.+)"
)
"""A line of a stack trace that names an exception and has its message."""
_NO_ORIGIN = (None, None, False)
"""The origin of a line without prefix."""


class RecordScan:
    """The records of one piece; iterate once, then read the counts."""

    def __init__(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        scanner: Scanner,
        layouts: Layouts,
        zone: tzinfo | None,
        loggers: Loggers | None,
    ) -> None:
        self._physical_lines, self._loggers = PhysicalLines(buffer, layouts), loggers
        self._scanner, self._zone = scanner, zone
        self._start, self._end = next_line_start(buffer, start), next_line_start(buffer, end)
        self._clocks = DayClocks(self._physical_lines)
        self._warnings = RepeatedWarnings(buffer, scanner)
        self._silent_lines = SilentLines(self._physical_lines, loggers)
        self._has_hole = False
        self.lines = 0
        """Line feeds of the piece so far; an unfinished last line counts."""
        self.layouts: Counter[str] = Counter()
        """Records by layout."""
        self.unread: list[UnreadRecord] = []
        """Records of the loggers that hold none of their words; these are not yielded."""
        self.loud: list[LoudRecord] = []
        """Records at WARN, ERROR or FATAL that hold none of the words; these are not yielded."""

    @property
    def midnights(self) -> Midnights:
        """What the piece shows of clocks without date, to be joined with that of the pieces before
        and after it.
        """
        return Midnights(dict(self._clocks.spans))

    @property
    def problems(self) -> tuple[str, ...]:
        """What a reader of the report should know."""
        undated, hole = bool(self._clocks.spans), self._has_hole
        return (_UNDATED_PROBLEM,) * undated + (_HOLE_PROBLEM,) * hole

    def __iter__(self) -> Iterator[Record]:
        for base, data in self._blocks():
            for at, number in self._numbered_hits(base, data)[0]:
                yield from self._records_at(base + at, number)

    def with_plain_lines(self, forms: WrappedForms) -> Iterator[Record | PlainRun]:
        """The same, where lines of known forms are cut at their places, run by run.

        Args:
            forms: that are known, and learn more.

        Yields:
            Records and runs, in the order of the file.
        """
        reader = PlainLineReader(forms, self._zone)
        for known_form in self._with_known_forms(reader, forms):
            yield known_form.run() if isinstance(known_form, PlainColumns) else known_form

    def with_plain_columns(self, forms: WrappedForms) -> Iterator[Record | PlainRun | PlainColumns]:
        """The same, where many such lines that stand together are columns.

        Args:
            forms: that are known, and learn more.

        Yields:
            Records, runs and columns, in the order of the file.
        """
        reader = PlainLineReader(forms, self._zone, in_columns=True)
        return self._with_known_forms(reader, forms)

    def _with_known_forms(
        self, reader: PlainLineReader, forms: WrappedForms
    ) -> Iterator[Record | PlainRun | PlainColumns]:
        for hit in self._hits_and_runs(reader, forms):
            if not isinstance(hit, PlainRun | PlainColumns):
                yield from self._records_at(*hit)
            elif (lines := self._without_wordless(hit)).line_count:
                yield lines

    def _hits_and_runs(
        self, reader: PlainLineReader, forms: WrappedForms
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """The lines that hit, by their offsets and numbers, and those of known forms in runs; all
        are counted.
        """
        wrapped_reader = WrappedLineReader(forms, self._zone)
        self._physical_lines.wrappings = forms.wrappings
        for base, data in self._blocks():
            is_wrapped = wrapped_reader.reads(data)
            if not is_wrapped and reader.is_dense(data) and self._is_dated(data):
                hits = self._dense_hits(reader, data)
            else:
                lines, is_dated = self._numbered_hits(base, data)
                if is_wrapped or not is_dated:
                    yield from reader.rest()
                    alone = self._wrapped_hits(wrapped_reader, base, data, lines, forms.silent)
                    yield from alone if is_dated else ((base + at, n) for at, n in lines)
                    continue
                hits = reader.gathered_runs(data, lines)
            for hit in hits:
                if isinstance(hit, PlainRun | PlainColumns):
                    yield hit
                elif not self._silent_lines.has(base, data, hit[0], forms.silent):
                    yield base + hit[0], hit[1]
        yield from reader.rest()

    def _wrapped_hits(
        self,
        reader: WrappedLineReader,
        base: int,
        data: bytes,
        lines: Iterable[tuple[int, int]],
        silent: set[LinePair],
    ) -> Iterator[PlainRun | tuple[int, int]]:
        """The lines of a block that a tool wrapped."""
        for hit in reader.runs(data, lines):
            if isinstance(hit, PlainRun):
                yield hit
                continue
            pair = reader.silent_pair(hit[0])
            if pair is None or not self._silent_lines.learn(base + hit[0], pair, silent):
                yield base + hit[0], hit[1]

    def _dense_hits(
        self, reader: PlainLineReader, data: bytes
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        first = self.lines + 1
        self.lines += count_feeds(data) + (not data.endswith(b"\n"))
        return reader.dense_runs(data, first, self._line_hits)

    def _without_wordless(self, lines: PlainRun | PlainColumns) -> PlainRun | PlainColumns:
        """Leave out the lines that hit by their logger alone; all are counted."""
        counts = lines.counts()
        for form, times in counts.items():
            if not form.is_wordless:
                self.layouts[form.layout] += times
        wordless = {form for form in counts if form.is_wordless}
        if not wordless:
            return lines
        counted = {form for form in wordless if form.logger is not None or form.warning_level}
        if counted:
            alone = lines.of_forms(counted)
            self._count_wordless(alone.run() if isinstance(alone, PlainColumns) else alone)
        return lines.of_forms(counts.keys() - wordless)

    def _count_wordless(self, lines: PlainRun) -> None:
        columns, process = (lines.forms, lines.quoted, lines.numbers, lines.times), lines.process
        for form, text, number, at_ms in zip(*columns, strict=True):
            if form.warning_level:
                warning = form.warning_message, form.warning_level
                self.loud.append(LoudRecord(process, at_ms, True, number, text, *warning))
            if form.logger is not None:
                self.unread.append(UnreadRecord(process, form.logger, number, text))

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        return self._scanner.blocks(self._physical_lines.buffer, self._start, self._end)

    def _is_dated(self, data: bytes, feeds: int | None = None) -> bool:
        """Whether all times of a block have a date; its holes are noted.

        Args:
            data: the block.
            feeds: how many line feeds it has; None: they are counted where that is needed.
        """
        signs = self._scanner.rare_signs(data)
        self._has_hole = self._has_hole or b"\x00" in signs
        always = self._physical_lines.layouts.clock_anywhere
        return not (always or may_have_undated_lines(data, signs, feeds))

    def _numbered_hits(self, base: int, data: bytes) -> tuple[Iterable[tuple[int, int]], bool]:
        """The lines of a block that hit, with their numbers, and whether all its times have a date;
        all lines are counted.
        """
        hits = self._line_hits(data)
        between = count_feeds_between(data, [0, *hits, len(data)])
        if not self._is_dated(data, sum(between)):
            return self._count_all_lines(base, data, set(hits)), False
        _, *numbers, behind = accumulate(between, initial=self.lines + 1)
        self.lines = behind - data.endswith(b"\n")
        return zip(hits, numbers, strict=True), True

    def _line_hits(self, data: bytes) -> list[int]:
        """The lines that hold a word, or may hold it where their parts are joined."""
        hits = self._scanner.line_hits(data)
        cut = [] if self._scanner.has_no_aside(data) else cut_line_starts(data)
        return sorted({*hits, *cut}) if cut else hits

    def _count_all_lines(self, base: int, data: bytes, hits: set[int]) -> Iterator[tuple[int, int]]:
        """The same where every line's time must be read."""
        before = self.lines
        for at, place in self._clocks.advance(base, data, hits):
            self.lines = before + place
            yield at, self.lines + 1
        self.lines = before + count_feeds(data) + (not data.endswith(b"\n"))

    def _records_at(self, offset: int, number: int) -> Iterator[Record]:
        if self._warnings.has_often(offset):
            return
        line = self._physical_lines.line_at(offset)
        if not self._begins_record(line):
            yield from self._records_below(line, number)
            return
        if line.unwrapped.is_partial and not self._scanner.line_hits(
            line.unwrapped.inner.encode("utf-8", "replace")
        ):
            return
        if self._loggers is not None and self._is_unread(self._loggers, line, number):
            return
        record = self._make_record(line, number)
        self.layouts[record.layout] += 1
        yield record

    def _is_unread(self, loggers: Loggers, line: PhysicalLine, number: int) -> bool:
        """Say whether a record hit by its logger alone, and count it if it is one that is known."""
        message = line.parsed.message if line.parsed else line.unwrapped.inner
        if loggers.has_line_literal(line.text, *(() if message in line.text else (message,))):
            return False
        logger = loggers.full_name(line.parsed.logger) if line.parsed else None
        if line.parsed and line.parsed.level in WARNING_LEVELS:
            self.loud.append(self._loud_record(line, number, line.parsed))
        if logger is not None and line.parsed and line.parsed.message:
            self.unread.append(UnreadRecord(line.unwrapped.process, logger, number, line.text))
        elif line.parsed and line.parsed.level == "WARN" and line.unwrapped.process is None:
            self._warnings.count(line.offset)
        return True

    def _loud_record(self, line: PhysicalLine, number: int, parsed: ParsedLine) -> LoudRecord:
        moment = self._timestamp(line)
        at_ms, dated = (moment.at_ms, moment.dated) if moment else (None, True)
        return LoudRecord(
            line.unwrapped.process, at_ms, dated, number, line.text, parsed.message,
            parsed.level or "",
        )  # fmt: skip

    def _begins_record(self, line: PhysicalLine) -> bool:
        """Whether a record begins here, told from this line and the few before it."""
        if self._is_later_part(line):
            return False
        if line.parsed is not None:
            return True
        inner = line.unwrapped.inner
        if SAME_SECOND.match(inner):
            return True
        if inner[:1] in ("", "\t", " ") or inner.startswith(("at ", "Caused by:", "... ")):
            return False
        return not any(
            other.parsed and other.unwrapped.origin in (line.unwrapped.origin, _NO_ORIGIN)
            for other in self._physical_lines.lines_before(line.offset)
        )

    def _records_below(self, line: PhysicalLine, number: int) -> Iterator[Record]:
        """What a line below a record says: the exception that it names; else, where there are
        loggers that are known, the whole line.
        """
        inner = line.unwrapped.inner
        has_literal = self._loggers is None or self._loggers.has_line_literal(inner)
        if not has_literal or self._is_later_part(line):
            return
        if match := _EXCEPTION_LINE.match(inner):
            yield from self._exception_record(line, number, match)
        elif self._loggers is not None and inner.strip():
            record = self._make_record(line, number)
            yield evolve(record, message=inner.strip(), is_continuation=True)

    def _exception_record(
        self, line: PhysicalLine, number: int, match: re.Match[str]
    ) -> Iterator[Record]:
        """The exception that a line below a record names, where that record does not already tell
        of it.
        """
        for other in self._physical_lines.lines_before(line.offset):
            if other.unwrapped.origin != line.unwrapped.origin:
                continue
            if match["said"] in other.unwrapped.inner:
                return
            if other.parsed:
                record = self._make_record(other, number)
                message = line.unwrapped.inner.strip()
                yield evolve(
                    record,
                    offset=line.offset,
                    text=line.text,
                    message=message,
                    following_lines=(),
                    logger=None,
                    level=None,
                    is_trailing_exception=True,
                )
                return

    def _is_later_part(self, line: PhysicalLine) -> bool:
        """Whether this is a later part of a line that a tool cut."""
        if line.unwrapped.stream is None:
            return False
        before = next(
            (
                other
                for other in self._physical_lines.lines_before(line.offset)
                if other.unwrapped.origin == line.unwrapped.origin
            ),
            None,
        )
        return before is not None and before.unwrapped.is_partial

    def _make_record(self, line: PhysicalLine, number: int) -> Record:
        reading, moment = line.parsed, self._timestamp(line)
        rest = (
            *(reading.message_rest if reading else ()),
            *line.unwrapped.further_lines,
            *continuation_lines(self._physical_lines, line),
        )[:NEIGHBOUR_LINES]
        message = reading.message if reading else line.unwrapped.inner.strip()
        logger, thread = (reading.logger, reading.thread) if reading else (None, None)
        if reading and reading.tail_pattern:
            rest, tail = split_tail(rest, reading.tail_pattern)
            logger, thread = tail.get("logger", logger), tail.get("thread", thread)
        return Record(
            line=number,
            offset=line.offset,
            text=line.text,
            message=message,
            layout=reading.layout if reading else NO_LAYOUT,
            following_lines=rest,
            at_ms=moment.at_ms if moment else None,
            dated=moment.dated if moment else True,
            zoned=moment.zoned if moment else False,
            level=reading.level if reading else None,
            logger=logger,
            thread=thread,
            process=line.unwrapped.process,
            is_cut=line.unwrapped.inner.rstrip().endswith(message)
            and self._physical_lines.is_cut(line),
        )

    def _timestamp(self, line: PhysicalLine) -> Timestamp | None:
        moment = line.timestamp
        if moment is None or moment.dated:
            return in_zone(moment, self._zone) if moment and self._zone else moment
        clock = self._clocks.spans.get(line.unwrapped.process)
        return evolve(moment, at_ms=moment.at_ms + DAY_MS * clock.midnights) if clock else moment


def scan(
    buffer: Buffer | memoryview,
    start: int,
    end: int,
    scanner: Scanner,
    layouts: Layouts | None = None,
    *,
    zone: tzinfo | None = None,
    loggers: Loggers | None = None,
) -> RecordScan:
    """Read the records of one piece of a log.

    Args:
        buffer: the file in its uncompressed UTF-8 form, or a part with a byte more than 64 KiB
            before `start`, and 192 KiB after `end`.
        start: first byte of the piece, which owns the lines that begin in `[start, end)`.
        end: first byte behind it.
        scanner: which lines are of interest.
        layouts: how lines are taken apart; the shipped ones if not given.
        zone: where times without zone were written; if not given they are taken as UTC and said to
            be without zone.
        loggers: those whose lines without a word are counted in `unread`, and not yielded.

    Returns:
        An iterable of the records whose first line hits, in the file's order. Lines are counted
        from the piece's beginning. The time of a record without date counts from the midnight
        before the piece's first time of its process.
    """
    return RecordScan(
        bytes(buffer) if isinstance(buffer, memoryview) else buffer,
        start,
        end,
        scanner,
        layouts or default_layouts(),
        zone,
        loggers,
    )
