"""Cuts lines of known forms out of blocks of whole lines, and leaves the others to the layouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from hashlib import blake2b
from itertools import accumulate, compress
from typing import Any, NamedTuple

from statemachines.logs.records import plain_columns
from statemachines.logs.records.clock_search import plain_clock
from statemachines.logs.records.line_clocks import ClockTimes, LineClock
from statemachines.logs.records.plain_columns import PlainColumns, cut_columns
from statemachines.logs.records.plain_lines import (
    RECORD_BEGINS,
    LineForm,
    LineForms,
    PlainRun,
    line_key,
)
from statemachines.logs.search.engines import LiteralSearch

_BLANKS = b" \t\r\n"
_BEGINNING_BYTES = 32
"""Bytes that are enough to see that a record begins, but where there are many blanks."""
_MOST_BEGINNINGS = 10_000
_SAMPLE_BYTES = 1 << 14
"""Bytes of a block by which it is told whether most of its lines are of known forms."""
_FIRST_BYTES = 1 << 11
"""Bytes of a block of whose whole lines one is of a known form, if most of all are (2 KiB)."""
_UNMET: Any = object()
_LONGEST_BELOW = 1 << 15
"""Bytes below a line that are known again."""
DIGEST_BYTES = 16
_LINE_FEED = 1
"""Bytes that end a line."""


class _BlockLines(NamedTuple):
    """The lines of a block, and the forms of those of which they are known."""

    data: bytes
    forms: list[LineForm | None]
    starts: list[int]
    sizes: list[int]
    """Bytes without what ends the line."""

    def raw(self, place: int) -> bytes:
        """Return a line without what ends it."""
        start = self.starts[place]
        return self.data[start : start + self.sizes[place]]


class _WaitingLines(NamedTuple):
    """Lines of known forms with times of a calendar, column by column."""

    forms: list[LineForm]
    raws: list[bytes]
    numbers: list[int]
    times: list[int]

    def add(self, form: LineForm, raw: bytes, number: int, at_ms: int) -> None:
        """Put a line behind the others."""
        self.forms.append(form)
        self.raws.append(raw)
        self.numbers.append(number)
        self.times.append(at_ms)

    def extend(
        self,
        forms: Sequence[LineForm],
        raws: Sequence[bytes],
        numbers: Sequence[int],
        times: Sequence[int],
    ) -> None:
        """Put lines behind the others."""
        self.forms.extend(forms)
        self.raws.extend(raws)
        self.numbers.extend(numbers)
        self.times.extend(times)


class PlainLineReader:
    """Reads lines of known forms, in blocks of whole lines."""

    def __init__(self, forms: LineForms, zone: tzinfo | None, *, in_columns: bool = False) -> None:
        """Prepare reading.

        Args:
            forms: what is known of lines.
            zone: where times were written, which tell none.
            in_columns: whether many lines with no other line that hits between them are columns.
        """
        self._forms, self._times, self._in_columns = forms, ClockTimes(zone), in_columns
        self._waiting = _WaitingLines([], [], [], [])
        """What will be one run."""
        self._beginnings = dict[bytes, LineClock]()
        """How lines begin that surely begin a record with a plain time, every digit as a zero."""

    def runs(
        self, data: bytes, lines: Iterable[tuple[int, int]]
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """Yield the lines of a block of which the form is known, those with no other that hits
        between them as one run; any other as it was given: it must be read by its layout, with what
        stands around it.

        Args:
            data: the block, whole lines.
            lines: offset and number of the lines to read.

        Yields:
            Runs, columns where they are long, and pairs of an offset and a number, in the order of
            the block.
        """
        yield from self.gathered_runs(data, lines)
        yield from self.rest()

    def gathered_runs(
        self, data: bytes, lines: Iterable[tuple[int, int]]
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """The same, but the last run waits for what the next blocks hold, and for `rest`: where
        few lines hit, many blocks are one run.

        Args:
            data: the block, whole lines.
            lines: offset and number of the lines to read.

        Yields:
            As of `runs`, but for what waits.
        """
        hits, known = list(lines), self._forms.known
        ends = [data.find(b"\n", at) for at, _ in hits]
        raws = [data[at:end].removesuffix(b"\r") for (at, _), end in zip(hits, ends, strict=True)]
        keys = line_key(b"\n".join(raws)).split(b"\n")
        for (at, number), end, raw, key in zip(hits, ends, raws, keys, strict=False):
            form = known.get(key)
            if end < 0:
                form = None
            elif form is None or not (form.is_whole or self._begins_record(data, end + 1)):
                form = self._form_of(data, at, end, raw, key)
            at_ms = None if form is None else self._times.time_of(form.clock, raw)
            if form is not None and at_ms is not None:
                self._waiting.add(form, raw, number, at_ms)
                continue
            yield from self.rest()
            yield at, number

    def rest(self) -> Iterator[PlainRun | PlainColumns]:
        """Yield the run that waits, if there is one.

        Yields:
            At most one, as lists or as columns.
        """
        if self._waiting.forms:
            waiting, self._waiting = self._waiting, _WaitingLines([], [], [], [])
            yield self._joined_lines(waiting)

    def _form_of(self, data: bytes, at: int, end: int, raw: bytes, key: bytes) -> LineForm | None:
        """Return the form of a line, or of it and the lines below it that may belong to it; None
        where it must be read by its layout.

        Args:
            data: the block.
            at: where the line begins.
            end: where it ends.
            raw: the line without what ends it.
            key: its key.
        """
        forms = self._forms
        form: LineForm | None = forms.known.get(key, _UNMET)
        if form is _UNMET:
            form = forms.learn(key, raw)
        if (form is not None and form.is_whole) or self._begins_record(data, end + 1):
            return form
        below = self._lines_below(data, end + 1) if self._begins_record(data, at) else b""
        if not below:
            return None
        key += b"\n" + blake2b(below, digest_size=DIGEST_BYTES).digest()
        form = forms.known.get(key, _UNMET)
        return forms.learn(key, raw, below) if form is _UNMET else form

    def _lines_below(self, data: bytes, start: int) -> bytes:
        """Return the lines from one on up to the next that surely begins a record; nothing where
        the block has none of them, or only far below.
        """
        at = start
        while start <= at < start + _LONGEST_BELOW:
            if self._begins_record(data, at):
                return data[start:at]
            at = data.find(b"\n", at) + 1
        return b""

    def _joined_lines(self, lines: _WaitingLines) -> PlainRun | PlainColumns:
        """Return lines that may stand apart; as columns of a text of their own, so that what stands
        between them is not kept.
        """
        forms, raws, numbers, times = lines
        if not self._in_columns or len(forms) < plain_columns.LEAST_LINES:
            return PlainRun(forms, [raw.decode("ascii") for raw in raws], numbers, times)
        sizes = list(map(len, raws))
        starts = list(accumulate(map(_LINE_FEED.__add__, sizes[:-1]), initial=0))
        cut = cut_columns(b"\n".join(raws), forms, starts, sizes, numbers, self._times)
        assert cut is not None
        return cut

    def is_dense(self, data: bytes) -> bool:
        """Say whether most lines of a block are of known forms, by its first ones.

        Args:
            data: whole lines.

        Returns:
            True where most of the first lines are.
        """
        known = self._forms.known
        *first, _ = line_key(data[:_FIRST_BYTES]).split(b"\n")
        if first and not any(map(known.get, first)):
            return False
        forms = list(map(known.get, line_key(data[:_SAMPLE_BYTES]).split(b"\n")))
        return forms.count(None) * 2 < len(forms)

    def dense_runs(
        self, data: bytes, first: int, search: LiteralSearch
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """The same of all lines of a block that hit, for a block most of whose lines are of known
        forms: only the others are searched, for of a form all lines hit. Here, too, the last run
        waits.

        Args:
            data: the block, whole lines.
            first: number of its first line.
            search: tells the offsets of the lines of a text that hit.

        Yields:
            As of `gathered_runs`; columns where many plain lines stand together.
        """
        keys = line_key(data).split(b"\n")
        forms = [*map(self._forms.known.get, keys[:-1]), None]  # an unfinished line is not plain
        sizes = list(map(len, keys))
        starts = list(accumulate(map(_LINE_FEED.__add__, sizes), initial=0))
        lines = _BlockLines(data, forms, starts, sizes)
        others = [place for place, form in enumerate(forms) if form is None]
        alone = {*_lines_that_hit(lines, others, search), *self._lines_above(lines, others)}
        start = 0
        for end in sorted(alone):
            yield from self._known_lines(lines, start, end, first)
            yield from self.gathered_runs(data, [(starts[end], first + end)])
            start = end + 1
        yield from self._known_lines(lines, start, len(forms), first)

    def _lines_above(self, lines: _BlockLines, others: Iterable[int]) -> Iterator[int]:
        """Yield the places of the lines of known forms below which something stands that does not
        surely begin a record, so that it may belong to them.
        """
        for place in others:
            above = place - 1
            while above >= 0 and (form := lines.forms[above]) is not None and not form.is_whole:
                if self._begins_record(lines.raw(above + 1), 0):
                    break
                yield above
                above -= 1

    def _known_lines(
        self, lines: _BlockLines, start: int, end: int, first: int
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """Yield the lines of known forms in a part of a block in which no other line hits: many at
        once as columns, few with the run that waits, and one by one where a time is of no calendar.

        Args:
            lines: of the block.
            start: the place of the first line of the part.
            end: the place behind its last.
            first: the number of the first line of the block.
        """
        part, mask = slice(start, end), lines.forms[start:end]
        forms = [form for form in mask if form is not None]
        starts, sizes = (list(compress(column[part], mask)) for column in lines[2:])
        numbers = list(compress(range(first + start, first + end), mask))
        if self._in_columns and len(forms) >= plain_columns.LEAST_LINES:
            cut = cut_columns(lines.data, forms, starts, sizes, numbers, self._times)
            if cut is not None:
                yield from self.rest()
                yield cut
                return
        places = zip(starts, sizes, strict=True)
        raws = [lines.data[at : at + size] for at, size in places]
        read = map(self._times.time_of, (form.clock for form in forms), raws)
        times = [at_ms for at_ms in read if at_ms is not None]
        if len(times) == len(raws):
            self._waiting.extend(forms, raws, numbers, times)
        else:
            yield from self.gathered_runs(lines.data, zip(starts, numbers, strict=True))

    def _begins_record(self, data: bytes, at: int) -> bool:
        """Say whether a line surely begins a record of its own, so that it is no part of the one
        before it.
        """
        start = data[at : at + _BEGINNING_BYTES]
        if not start or start[0] in _BLANKS:
            return False
        key = line_key(start)
        clock = self._beginnings.get(key)
        if clock is None:
            match = RECORD_BEGINS.match(data, at)
            if match is None:
                return self._begins_otherwise(data, at)
            clock = plain_clock(match[0])
            if clock is None:
                return False
            if match.end() - at <= _BEGINNING_BYTES and len(self._beginnings) < _MOST_BEGINNINGS:
                self._beginnings[key] = clock
        return self._times.second_at(clock.shape, data, at + clock.low) is not None

    def _begins_otherwise(self, data: bytes, at: int) -> bool:
        """The same of a line that begins with no plain time."""
        end = data.find(b"\n", at)
        raw = data[at : end if end >= 0 else len(data)].removesuffix(b"\r")
        clock = self._forms.clock_of(raw)
        return clock is not None and self._times.time_of(clock, raw) is not None


def _lines_that_hit(
    lines: _BlockLines, others: Sequence[int], search: LiteralSearch
) -> Iterator[int]:
    """Yield the places of those among some lines that hit."""
    raws = list(map(lines.raw, others))
    starts = accumulate((len(raw) + 1 for raw in raws), initial=0)
    place_at = dict(zip(starts, others, strict=False))
    return (place_at[at] for at in search(b"\n".join(raws)))
