"""Lines that differ from lines read before in nothing but their digits.

Most lines that a program writes of its life cycles are one statement of its code with other
numbers in it. What is read in such a line is settled by its *form*, the line with every digit as a
zero: where its fields stand, which layout reads it, which templates. So a form is read once, and a
line of a known form is cut at places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping
from itertools import compress
from typing import NamedTuple, Protocol

from statemachines.logs.records.line_clocks import LineClock

LONGEST_PLAIN_LINE = 4096
"""Bytes; a longer line is read by its layout each time."""
_DIGITS_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_PLAIN_TIME = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3}"
RECORD_BEGINS = re.compile(
    rb"(?:\[(?P<bracketed>" + _PLAIN_TIME + rb")\][ \t]"
    rb"|(?P<bare>" + _PLAIN_TIME + rb")[ \t]+(?:[\[a-z]|TRACE|DEBUG|INFO|WARN|ERROR))"
)
"""How most layouts begin a line: a layout of a time and a message reads all of these."""
_CLASSES = re.compile(r"\\d|0-9|\{\d+(?:,\d*)?\}|\(\?P<\w+>|\(\?P=\w+\)")
"""What stands for any digit in a regular expression, and digits that are none of the text."""


class LineForm(Protocol):
    """What is known of the lines of a form."""

    @property
    def clock(self) -> LineClock:
        """Where their time stands."""

    @property
    def layout(self) -> str:
        """The layout that reads them."""

    @property
    def is_wordless(self) -> bool:
        """Whether they hit by their logger alone: they are no records that are read."""

    @property
    def logger(self) -> str | None:
        """The logger of lines that nothing reads."""

    @property
    def warning_level(self) -> str:
        """The level of lines that nothing reads and that are warnings; empty for all others."""

    @property
    def warning_message(self) -> str:
        """What such lines say, with every digit as a zero."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing that stands below such a line could change what it tells."""


class PlainRun(NamedTuple):
    """Lines of known forms that stand together, column by column; all of one process."""

    forms: list[LineForm]
    texts: list[str]
    """The lines as the program wrote them, from which values are cut."""
    numbers: list[int]
    """1-based lines, counted from the start of the piece that was scanned."""
    times: list[int]
    """Milliseconds."""
    wrapped: list[str] | None = None
    """The lines as they stand in the file; None where that is as the program wrote them."""
    process: str | None = None
    """As what stands around the lines names it; None: that of the file."""

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self.forms)

    @property
    def quoted(self) -> list[str]:
        """The lines as they stand in the file."""
        return self.texts if self.wrapped is None else self.wrapped

    def counts(self) -> dict[LineForm, int]:
        """Return how many lines each form has, in the order in which the forms are met."""
        return Counter(self.forms)

    def of_forms(self, chosen: Container[LineForm]) -> PlainRun:
        """Return the lines whose form is one of some.

        Args:
            chosen: forms to keep.

        Returns:
            Those lines, in order.
        """
        mask = [form in chosen for form in self.forms]
        forms, texts = list(compress(self.forms, mask)), list(compress(self.texts, mask))
        numbers, times = list(compress(self.numbers, mask)), list(compress(self.times, mask))
        wrapped = None if self.wrapped is None else list(compress(self.wrapped, mask))
        return PlainRun(forms, texts, numbers, times, wrapped, self.process)


LinePair = tuple[bytes, bytes]
"""A line, and before it the line above."""


_JSON_SIGN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.S)
"""What spells one sign in a text of JSON."""


class AroundLine(NamedTuple):
    """What stands around a program's line, and what that tells of it."""

    head: bytes
    tail: bytes
    process: str | None
    at_ms: int
    """When the line was written, in milliseconds."""
    spelled: bytes | None = None
    """The line as JSON spells it in the file; None where that is as the program wrote it."""

    def quoted(self, text: str) -> str:
        """Return as it stands in the file what differs from the program's line in digits only.

        Args:
            text: as the program would have written it.

        Returns:
            The whole line, spelled as this one.
        """
        if self.spelled is not None:
            signs = _JSON_SIGN.findall(self.spelled.decode("ascii"))
            text = "".join(
                own if len(sign) == 1 else sign for sign, own in zip(signs, text, strict=True)
            )
        return f"{self.head.decode()}{text}{self.tail.decode()}"


class LineForms(Protocol):
    """Knows forms of lines, and learns them from lines that it does not know."""

    @property
    def known(self) -> Mapping[bytes, LineForm | None]:
        """Forms by the key of their lines; None where each line must be read by its layout."""

    @property
    def silent(self) -> set[LinePair]:
        """Lines that begin no record, each with the line above it, and hold no word of a line:
        nothing comes of them wherever they stand. Who meets others adds them.
        """

    def clock_of(self, raw: bytes) -> LineClock | None:
        """Return where the time of a line stands that surely begins a record, where a calendar has
        that time.

        Args:
            raw: the line as it stands in the file, without what ends it.

        Returns:
            Its place; None of any other line.
        """

    def learn(
        self, key: bytes, raw: bytes, below: bytes = b"", around: AroundLine | None = None
    ) -> LineForm | None:
        """Return the form of a line whose key is not known; None where it must be read by its
        layout.

        Args:
            key: the line with every digit as a zero, and a digest of the lines below it.
            raw: the line as it stands in the file.
            below: the lines below it up to the next record, as they stand in the file; none where
                the form is that of the line alone.
            around: what stands around the line in the file; None: nothing.

        Returns:
            Its form, known from now on.
        """


def line_key(raw: bytes) -> bytes:
    """Return what all lines of one form share: the line with every digit as a zero.

    >>> line_key(b"door 12 opened in 3.5 s")
    b'door 00 opened in 0.0 s'

    Args:
        raw: a line as it stands in the file.

    Returns:
        As many bytes as the line has.
    """
    return raw.translate(_DIGITS_TO_ZEROS)


def is_digit_blind(pattern: str) -> bool:
    """Say whether a regular expression tells no digit from another, so that it reads all lines of a
    form or none.

    >>> is_digit_blind(r"epoch=(?P<epoch>\\d{1,9})")
    True
    >>> is_digit_blind("with 0 members")
    False

    Args:
        pattern: source of a regular expression.

    Returns:
        True where every digit may stand for every other.
    """
    return not re.search(r"\d", _CLASSES.sub("", pattern))


def time_start(raw: bytes) -> int | None:
    """Return where the time of a line stands that may be plain; None of any other line.

    Args:
        raw: a line as it stands in the file.

    Returns:
        0-based place in bytes.
    """
    match = RECORD_BEGINS.match(raw)
    if not match or not raw.isascii() or len(raw) > LONGEST_PLAIN_LINE:
        return None
    return 1 if raw[:1] == b"[" else 0
