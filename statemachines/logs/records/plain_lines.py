"""Lines that differ from lines read before in nothing but their digits.

Most lines that a program writes of its life cycles are one statement of its code with other
numbers in it. What is read in such a line is settled by its *form*, the line with every digit as a
zero: where its fields stand, which layout reads it, which templates. So a form is read once, and a
line of a known form is cut at places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from typing import Any, Protocol

from statemachines.logs.fields.log_times import in_zone, parse_time

LONGEST_PLAIN_LINE = 4096
"""Bytes; a longer line is read by its layout each time."""
_DIGITS_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_PLAIN_TIME = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3}"
_RECORD_BEGINS = re.compile(
    rb"(?:\[(?P<bracketed>" + _PLAIN_TIME + rb")\][ \t]"
    rb"|(?P<bare>" + _PLAIN_TIME + rb")[ \t]+(?:[\[a-z]|TRACE|DEBUG|INFO|WARN|ERROR))"
)
"""How most layouts begin a line: a layout of a time and a message reads all of these."""
_SECOND_CHARACTERS = 19
_TIME_CHARACTERS = 23
_MOST_SECONDS = 10_000
_BRACKET = ord("[")
_BEGINNING_BYTES = 32
"""Bytes that are enough to see that a record begins, but where there are many blanks."""
_MOST_BEGINNINGS = 10_000
_UNMET: Any = object()
_CLASSES = re.compile(r"\\d|0-9|\{\d+(?:,\d*)?\}|\(\?P<\w+>|\(\?P=\w+\)")
"""What stands for any digit in a regular expression, and digits that are none of the text."""


class LineForm(Protocol):
    """What is known of the lines of a form."""

    @property
    def layout(self) -> str:
        """The layout that reads them."""

    @property
    def is_wordless(self) -> bool:
        """Whether they hit by their logger alone: they are no records that are read."""

    @property
    def logger(self) -> str | None:
        """The logger of lines that nothing reads."""


PlainLine = tuple[LineForm, str, int, int]
"""A line of a known form: the form, the text, the 1-based line, counted from the start of the piece
that was scanned, and its time in milliseconds.
"""


class LineForms(Protocol):
    """Knows forms of lines, and learns them from lines that it does not know."""

    @property
    def known(self) -> Mapping[bytes, LineForm | None]:
        """Forms by the key of their lines; None where each line must be read by its layout."""

    def meet(self, key: bytes, raw: bytes) -> LineForm | None:
        """Return the form of a line whose key is not known; None where it must be read by its
        layout.
        """


def line_key(raw: bytes) -> bytes:
    """Return what all lines of one form share: the line with every digit as a zero.

    >>> line_key(b"door 12 opened in 3.5 s")
    b'door 00 opened in 0.0 s'
    """
    return raw.translate(_DIGITS_TO_ZEROS)


def is_digit_blind(pattern: str) -> bool:
    """Say whether a regular expression tells no digit from another, so that it reads all lines of a
    form or none.

    >>> is_digit_blind(r"epoch=(?P<epoch>\\d{1,9})")
    True
    >>> is_digit_blind("with 0 members")
    False
    """
    return not re.search(r"\d", _CLASSES.sub("", pattern))


def time_start(raw: bytes) -> int | None:
    """Return where the time of a line stands that may be plain; None of any other line."""
    found = _RECORD_BEGINS.match(raw)
    if not found or not raw.isascii() or len(raw) > LONGEST_PLAIN_LINE:
        return None
    return 1 if raw[:1] == b"[" else 0


class PlainLineReader:
    """Reads lines of known forms, in blocks of whole lines."""

    def __init__(self, forms: LineForms, zone: tzinfo | None) -> None:
        """Prepare reading.

        Args:
            forms: what is known of lines.
            zone: where times were written, which tell none.
        """
        self._forms, self._zone = forms, zone
        self._seconds: dict[bytes, int | None] = {}
        self._beginnings = set[bytes]()
        """How lines begin that surely begin a record, with every digit as a zero."""

    def runs(
        self, data: bytes, lines: Iterable[tuple[int, int]]
    ) -> Iterator[list[PlainLine] | tuple[int, int]]:
        """Yield the lines of a block of which the form is known, those that stand together as one
        list; any other as it was given: it must be read by its layout, with what stands around it.

        Args:
            data: the block, whole lines.
            lines: offset and number of the lines to read.
        """
        known, run = self._forms.known, list[PlainLine]()
        for at, number in lines:
            end = data.find(b"\n", at)
            raw = data[at:end].removesuffix(b"\r")
            key = raw.translate(_DIGITS_TO_ZEROS)
            form = known.get(key, _UNMET) if end >= 0 else None
            if form is _UNMET:
                form = self._forms.meet(key, raw)
            if form is not None and self._begins_record(data, end + 1):
                start = raw[0] == _BRACKET
                second = self._second_ms(raw[start : start + _SECOND_CHARACTERS])
                if second is not None:
                    thousandths = raw[start + _SECOND_CHARACTERS + 1 : start + _TIME_CHARACTERS]
                    run.append((form, raw.decode("ascii"), number, second + int(thousandths)))
                    continue
            if run:
                yield run
                run = []
            yield at, number
        if run:
            yield run

    def _begins_record(self, data: bytes, at: int) -> bool:
        """Say whether a line surely begins a record of its own, so that it is no part of the one
        before it.
        """
        start = data[at : at + _BEGINNING_BYTES]
        key = start.translate(_DIGITS_TO_ZEROS)
        if key not in self._beginnings:
            found = _RECORD_BEGINS.match(data, at)
            if found is None:
                return False
            if found.end() - at > _BEGINNING_BYTES or len(self._beginnings) >= _MOST_BEGINNINGS:
                return self._second_ms((found[1] or found[2])[:_SECOND_CHARACTERS]) is not None
            self._beginnings.add(key)
        low = start[0] == _BRACKET
        return self._second_ms(start[low : low + _SECOND_CHARACTERS]) is not None

    def _second_ms(self, text: bytes) -> int | None:
        """Return the milliseconds to a second; None for a time that no calendar has."""
        try:
            return self._seconds[text]
        except KeyError:
            if len(self._seconds) >= _MOST_SECONDS:
                self._seconds.clear()
            moment = parse_time(text.decode() + ",000")
            if moment is not None and self._zone is not None:
                moment = in_zone(moment, self._zone)
            self._seconds[text] = moment.at_ms if moment is not None else None
            return self._seconds[text]
