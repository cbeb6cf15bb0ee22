"""Cuts lines of known forms out of blocks of whole lines, and leaves the others to the layouts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple, cast

from statemachines.logs.fields.log_times import in_zone, parse_time
from statemachines.logs.records import plain_columns
from statemachines.logs.records.plain_columns import PlainColumns, cut_columns
from statemachines.logs.records.plain_lines import (
    RECORD_BEGINS,
    LineForm,
    LineForms,
    PlainRun,
    line_key,
)
from statemachines.logs.search.engines import LiteralSearch

_SECOND_CHARACTERS = 19
_MINUTE_CHARACTERS = 17
_LAST_SECOND = b"59"
_TIME_CHARACTERS = 23
_MOST_SECONDS = 10_000
_BRACKET = ord("[")
_BEGINNING_BYTES = 32
"""Bytes that are enough to see that a record begins, but where there are many blanks."""
_MOST_BEGINNINGS = 10_000
_SAMPLE_BYTES = 1 << 14
"""Bytes of a block by which it is told whether most of its lines are of known forms."""
_UNMET: Any = object()
_MAY_BEGIN = re.compile(rb"\n(?=\[?\d{4}-)")
_LONGEST_BELOW = 1 << 15
"""Bytes below a line that are known again."""
_DIGEST_BYTES = 16


class _Seconds(dict[bytes, "int | None"]):
    """The milliseconds to each second that was met; None for a time that no calendar has."""

    def __init__(self, zone: tzinfo | None) -> None:
        super().__init__()
        self._zone = zone
        self._minutes: dict[bytes, int | None] = {}

    def __missing__(self, text: bytes) -> int | None:
        if len(self) >= _MOST_SECONDS:
            self.clear()
            self._minutes.clear()
        minute, second = text[:_MINUTE_CHARACTERS], text[_MINUTE_CHARACTERS:]
        if minute not in self._minutes:
            self._minutes[minute] = self._read_minute(minute)
        start = self._minutes[minute]
        plain = start is not None and second <= _LAST_SECOND
        self[text] = at_ms = (start or 0) + 1000 * int(second) if plain else self._read(text)
        return at_ms

    def _read_minute(self, minute: bytes) -> int | None:
        """Return when a minute begins whose seconds all follow one another; None of one that no
        calendar has, or in which clocks are put forward or back.
        """
        start, last = self._read(minute + b"00"), self._read(minute + _LAST_SECOND)
        goes_on = start is not None and last == start + 1000 * int(_LAST_SECOND)
        return start if goes_on else None

    def _read(self, text: bytes) -> int | None:
        moment = parse_time(text.decode() + ",000")
        if moment is not None and self._zone is not None:
            moment = in_zone(moment, self._zone)
        return moment.at_ms if moment is not None else None


class _BlockLines(NamedTuple):
    """The lines of a block."""

    data: bytes
    feedless: list[int]
    """Bytes before each line, and before the end, without those that end lines."""

    def start(self, place: int) -> int:
        """Return where a line begins."""
        return self.feedless[place] + place

    def raw(self, place: int) -> bytes:
        """Return a line without what ends it."""
        return self.data[self.feedless[place] + place : self.feedless[place + 1] + place]


class PlainLineReader:
    """Reads lines of known forms, in blocks of whole lines."""

    def __init__(self, forms: LineForms, zone: tzinfo | None, *, in_columns: bool = False) -> None:
        """Prepare reading.

        Args:
            forms: what is known of lines.
            zone: where times were written, which tell none.
            in_columns: whether many lines with no other line that hits between them are columns.
        """
        self._forms, self._seconds, self._in_columns = forms, _Seconds(zone), in_columns
        self._waiting = list[tuple[LineForm, bytes, int]]()
        """Forms, lines and numbers of what will be one run."""
        self._beginnings = set[bytes]()
        """How lines begin that surely begin a record, with every digit as a zero."""

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
        hits = list(lines)
        ends = [data.find(b"\n", at) for at, _ in hits]
        raws = [data[at:end] for (at, _), end in zip(hits, ends, strict=True)]
        keys = line_key(b"\n".join(raws)).split(b"\n")
        for hit, end, raw, key in zip(hits, ends, raws, keys, strict=False):
            cut, form = raw.removesuffix(b"\r"), None
            if end >= 0:
                form = self._form_of(data, hit[0], end, cut, key.removesuffix(b"\r"))
            if form is not None and self._is_timed(cut):
                self._waiting.append((form, cut, hit[1]))
                continue
            yield from self.rest()
            yield hit

    def rest(self) -> Iterator[PlainRun | PlainColumns]:
        """Yield the run that waits, if there is one.

        Yields:
            At most one, as lists or as columns.
        """
        if self._waiting:
            forms, raws, numbers = map(list, zip(*self._waiting, strict=True))
            self._waiting.clear()
            yield self._joined_lines(forms, raws, numbers)

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
        key += b"\n" + blake2b(below, digest_size=_DIGEST_BYTES).digest()
        form = forms.known.get(key, _UNMET)
        return forms.learn(key, raw, below) if form is _UNMET else form

    def _lines_below(self, data: bytes, start: int) -> bytes:
        """Return the lines from one on up to the next that surely begins a record; nothing where
        the block has none of them, or only far below.
        """
        for match in _MAY_BEGIN.finditer(data, start, start + _LONGEST_BELOW):
            if self._begins_record(data, match.end()):
                return data[start : match.end()]
        return b""

    def _is_timed(self, raw: bytes) -> bool:
        """Say whether the time with which a line begins is of a calendar."""
        low = raw[0] == _BRACKET
        return self._seconds[raw[low : low + _SECOND_CHARACTERS]] is not None

    def _joined_lines(
        self, forms: list[LineForm], raws: Sequence[bytes], numbers: Sequence[int]
    ) -> PlainRun | PlainColumns:
        """Return lines that may stand apart, all with times of a calendar; as columns of a text of
        their own, so that what stands between them is not kept.
        """
        cut: PlainRun | PlainColumns | None
        if self._in_columns and len(forms) >= plain_columns.LEAST_LINES:
            bounds, seconds = [*accumulate(map(len, raws), initial=0)], self._seconds.__getitem__
            cut = cut_columns(b"\n".join(raws), forms, 0, bounds, numbers, seconds)
        else:
            cut = self._cut_run(forms, raws, numbers)
        assert cut is not None
        return cut

    def is_dense(self, data: bytes) -> bool:
        """Say whether most lines of a block are of known forms, by its first ones.

        Args:
            data: whole lines.

        Returns:
            True where most of the first lines are.
        """
        keys = line_key(data[:_SAMPLE_BYTES]).split(b"\n")
        known = sum(self._forms.known.get(key) is not None for key in keys)
        return known * 2 > len(keys)

    def dense_runs(
        self, data: bytes, first: int, search: LiteralSearch
    ) -> Iterator[PlainRun | PlainColumns | tuple[int, int]]:
        """The same of all lines of a block that hit, for a block most of whose lines are of known
        forms: only the others are searched, for of a form all lines hit.

        Args:
            data: the block, whole lines.
            first: number of its first line.
            search: tells the offsets of the lines of a text that hit.

        Yields:
            As of `runs`; columns where many plain lines stand together.
        """
        keys = line_key(data).split(b"\n")
        forms = [*map(self._forms.known.get, keys[:-1]), None]  # an unfinished line is not plain
        lines = _BlockLines(data, list(accumulate(map(len, keys), initial=0)))
        others = [place for place, form in enumerate(forms) if form is None]
        hits = set(_lines_that_hit(lines, others, search))
        start = 0
        yield from self.rest()
        for end in others:
            run = self._cut_lines(lines, cast("list[LineForm]", forms[start:end]), start, first)
            if run.line_count:
                yield run
            alone = range(start + run.line_count, end + (end in hits))
            yield from self.runs(data, [(lines.start(place), first + place) for place in alone])
            start = end + 1

    def _cut_lines(
        self, lines: _BlockLines, forms: list[LineForm], start: int, first: int
    ) -> PlainRun | PlainColumns:
        """Return neighbouring lines of known forms, but the last where what stands after it does
        not surely begin a record, and none where a time is of no calendar.

        Args:
            lines: of the block that they stand in.
            forms: of the lines.
            start: the place of the first one among the lines of the block.
            first: the number of the first line of the block.
        """
        cut: PlainRun | PlainColumns | None
        end = start + len(forms)
        numbers = range(first + start, first + end)
        if self._in_columns and len(forms) >= plain_columns.LEAST_LINES:
            bounds, seconds = lines.feedless[start : end + 1], self._seconds.__getitem__
            cut = cut_columns(lines.data, forms, start, bounds, numbers, seconds)
        else:
            cut = self._cut_run(forms, list(map(lines.raw, range(start, end))), numbers)
        if cut is None:
            return PlainRun([], [], [], [])
        ends = not forms or forms[-1].is_whole or self._begins_record(lines.raw(end), 0)
        return cut if ends else cut.but_last()

    def _cut_run(
        self, forms: list[LineForm], raws: Sequence[bytes], numbers: Sequence[int]
    ) -> PlainRun | None:
        """Return lines one by one; None where a time is of no calendar."""
        times = self._times_of(raws)
        if times is None:
            return None
        texts = [raw.decode("ascii") for raw in raws]
        return PlainRun(forms, texts, list(numbers), times)

    def _begins_record(self, data: bytes, at: int) -> bool:
        """Say whether a line surely begins a record of its own, so that it is no part of the one
        before it.
        """
        start = data[at : at + _BEGINNING_BYTES]
        key = line_key(start)
        if key not in self._beginnings:
            match = RECORD_BEGINS.match(data, at)
            if match is None:
                return False
            if match.end() - at > _BEGINNING_BYTES or len(self._beginnings) >= _MOST_BEGINNINGS:
                return self._seconds[(match[1] or match[2])[:_SECOND_CHARACTERS]] is not None
            self._beginnings.add(key)
        low = start[0] == _BRACKET
        return self._seconds[start[low : low + _SECOND_CHARACTERS]] is not None

    def _times_of(self, lines: Sequence[bytes]) -> list[int] | None:
        """Return the milliseconds to the times with which lines begin; None where one of them is a
        time that no calendar has.
        """
        seconds, times = self._seconds, list[int]()
        for raw in lines:
            low = raw[0] == _BRACKET
            second = seconds[raw[low : low + _SECOND_CHARACTERS]]
            if second is None:
                return None
            times.append(second + int(raw[low + _SECOND_CHARACTERS + 1 : low + _TIME_CHARACTERS]))
        return times


def _lines_that_hit(
    lines: _BlockLines, others: Sequence[int], search: LiteralSearch
) -> Iterator[int]:
    """Yield the places of those among some lines that hit."""
    raws = list(map(lines.raw, others))
    starts = accumulate((len(raw) + 1 for raw in raws), initial=0)
    place_at = dict(zip(starts, others, strict=False))
    return (place_at[at] for at in search(b"\n".join(raws)))
