"""Cuts lines of known forms out of blocks of whole lines, and leaves the others to the layouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from hashlib import blake2b
from itertools import accumulate, compress
from typing import Any, NamedTuple

from statemachines.logs.records import plain_columns
from statemachines.logs.records.line_clocks import ClockTimes
from statemachines.logs.records.plain_columns import PlainColumns, cut_columns, gather_columns
from statemachines.logs.records.plain_lines import (
    LineForm,
    LineForms,
    PlainRun,
    line_key,
)
from statemachines.logs.records.record_beginnings import RecordBeginnings
from statemachines.logs.records.waiting_lines import WaitingLines
from statemachines.logs.search.engines import LiteralSearch
from statemachines.model.arrays import load_numpy

LEAST_AT_ONCE = 64
"""Fewer lines of a block are sooner read one by one."""
LEAST_PLAIN = 8
"""Lines of a block are read at once unless one of so many is not plain."""
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


class _HitLines(NamedTuple):
    """Lines of a block that hit, column by column."""

    places: Sequence[tuple[int, int]]
    """Where each begins, and its number."""
    ends: Sequence[int]
    """Where its line feed stands; -1 where it has none."""
    raws: Sequence[bytes]
    keys: Sequence[bytes]


def _cut_lines(data: bytes, places: Sequence[tuple[int, int]]) -> _HitLines:
    ends = [data.find(b"\n", at) for at, _ in places]
    raws = [data[at:end].removesuffix(b"\r") for (at, _), end in zip(places, ends, strict=True)]
    keys = line_key(b"\n".join(raws)).split(b"\n") if raws else []
    return _HitLines(places, ends, raws, keys)


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
        self._waiting = WaitingLines(in_columns=in_columns)
        """What will be one run."""
        self._beginnings = RecordBeginnings(forms, self._times)

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
        hit = _cut_lines(data, list(lines))
        columns, others = None, list[int]()
        if self._in_columns and len(hit.places) >= LEAST_AT_ONCE:
            columns, others = self._columns_of(data, hit)
        if columns is None:
            yield from self._read_alone(data, hit, 0, len(hit.places))
            return
        start = 0
        for before, place in enumerate([*others, len(hit.places)]):
            if place > start:
                self._waiting.add_columns(columns.alone(start - before, place - before))
            yield from self._read_alone(data, hit, place, place + 1)
            start = place + 1

    def _columns_of(self, data: bytes, hit: _HitLines) -> tuple[PlainColumns | None, list[int]]:
        """Return those of many lines that are surely plain as columns of a text of their own, and
        the places of the others; no columns where those are many, or a time is of no calendar.
        """
        forms = list(map(self._forms.known.get, hit.keys))
        mask = self._surely_plain(data, forms, hit.ends)
        others = [place for place, is_plain in enumerate(mask) if not is_plain]
        if len(others) * LEAST_PLAIN > len(mask):
            return None, others
        known = [form for form in compress(forms, mask) if form is not None]
        numbers = [number for _, number in compress(hit.places, mask)]
        raws = list(compress(hit.raws, mask))
        return gather_columns(known, raws, numbers, self._times), others

    def _surely_plain(
        self, data: bytes, forms: Sequence[LineForm | None], ends: Sequence[int]
    ) -> list[bool]:
        """Say of many lines at once which are surely of known forms, with nothing below them that
        may belong to them.
        """
        numpy, kinds = load_numpy(), {form: code for code, form in enumerate(dict.fromkeys(forms))}
        codes = numpy.fromiter(map(kinds.__getitem__, forms), numpy.intp, len(forms))
        feeds = numpy.array(ends, numpy.int64)
        known = numpy.array([form is not None for form in kinds])[codes] & (feeds >= 0)
        whole = numpy.array([form is not None and form.is_whole for form in kinds])[codes]
        plain, unsure = known & whole, numpy.flatnonzero(known & ~whole)
        plain[unsure] = self._beginnings.surely_begin(data, feeds[unsure] + _LINE_FEED)
        mask: list[bool] = plain.tolist()
        return mask

    def _read_alone(
        self, data: bytes, hit: _HitLines, start: int, end: int
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """Read some lines one by one."""
        known = self._forms.known
        columns = (column[start:end] for column in hit)
        for (at, number), feed, raw, key in zip(*columns, strict=True):
            form = known.get(key)
            if feed < 0:
                form = None
            elif form is None or not (form.is_whole or self._beginnings.begins(data, feed + 1)):
                form = self._form_of(data, at, feed, raw, key)
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
        taken = self._waiting.taken()
        if taken is not None:
            yield taken

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
        if (form is not None and form.is_whole) or self._beginnings.begins(data, end + 1):
            return form
        below = self._lines_below(data, end + 1) if self._beginnings.begins(data, at) else b""
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
            if self._beginnings.begins(data, at):
                return data[start:at]
            at = data.find(b"\n", at) + 1
        return b""

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
                if self._beginnings.begins(lines.raw(above + 1), 0):
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


def _lines_that_hit(
    lines: _BlockLines, others: Sequence[int], search: LiteralSearch
) -> Iterator[int]:
    """Yield the places of those among some lines that hit."""
    raws = list(map(lines.raw, others))
    starts = accumulate((len(raw) + 1 for raw in raws), initial=0)
    place_at = dict(zip(starts, others, strict=False))
    return (place_at[at] for at in search(b"\n".join(raws)))
