"""Find bytes first: the lines of a file that hold one of a set of literals, by one pass over raw
bytes; and the lines that may begin with a time of day alone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache, cached_property

from statemachines.logs.fields.log_times import LONGEST_DATE, leading_date
from statemachines.logs.records.plain_lines import line_key
from statemachines.logs.search.buffers import (
    PART_SIGNS,
    FileBuffer,
    count_bytes,
    count_feeds,
    find_any_byte,
    find_bytes,
)
from statemachines.logs.search.engines import (
    FIRST_BYTES,
    LINE_LIMIT,
    Engine,
    SearchPattern,
    compile_fast_pattern,
    make_engine,
)
from statemachines.logs.search.literal_sets import checked_literals, minimal_literals
from statemachines.logs.search.needles_alone import Asides

_TIME_OF_DAY = rb"\d\d:\d\d:\d\d"
_LEVELS = rb"TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
_WORDS = rb"(?: +[a-z0-9][a-z0-9.-]*){0,3}"
_LINE_TIME = (
    rb"\n(?:[ \x00]|\xef\xbb\xbf)*(?:\[?|(?:"
    + _LEVELS
    + rb")[ \[\]]+|(?:[a-z0-9][a-z0-9.-]* ){2,3} *\[?)"
    + _TIME_OF_DAY
)
_LATER_TIMES = (
    (b"|", rb"\|" + _WORDS + rb" +\[?" + _TIME_OF_DAY),
    (b"]", rb"\]" + _WORDS + rb" +\[?" + _TIME_OF_DAY),
    (b"\x1b", rb"\x1b\[[0-9;]*m *\[?" + _TIME_OF_DAY),
)
"""At a line's beginning and after a level; after the prefixes of stern, compose and kubectl, and
after a colour, with the byte that each begins with. So a text without such times costs next to
nothing.
"""
_FIRST_LINES = 1 << 12
"""Bytes whose lines are looked at before those of a whole text are (4 KiB)."""
_BLANK_LEADS = (b"\xc2", b"\xe2", b"\xe3")
"""With which bytes blanks of other kinds begin."""
_RARE_SIGNS = (b"\x00", b"\x1b", b"\\", b"|", *_BLANK_LEADS)
"""Bytes that hardly any text holds: what only stands behind one of them is not looked for else."""


@cache
def _compiled(source: bytes, *, long: bool) -> SearchPattern:
    return compile_fast_pattern(source, long=long)


def may_have_undated_lines(
    data: bytes, signs: Container[bytes] | None = None, feeds: int | None = None
) -> bool:
    """Whether a line of some whole lines may begin with a time of day alone.

    Args:
        data: whole lines.
        signs: the rare bytes that they hold; None: they are looked for.
        feeds: how many line feeds they have; None: they are counted where that is needed.

    Returns:
        False where surely none does.
    """
    long, held = len(data) > FIRST_BYTES, rare_signs(data) if signs is None else signs
    if b"\x00" not in held and _begin_with_one_date(data, feeds):
        return False
    first = _compiled(_LINE_TIME, long=long)
    return bool(first.search(data) or first.search(b"\n" + data[:512])) or any(
        _compiled(source, long=long).search(data)
        for sign, source in _LATER_TIMES
        if sign in held or sign not in _RARE_SIGNS
    )


def _begin_with_one_date(data: bytes, feeds: int | None) -> bool:
    """Whether all lines begin with the date that the first begins with; two counts tell it."""
    date = leading_date(data[:LONGEST_DATE].decode("latin-1")).encode()
    if not date:
        return False
    beginning, first = b"\n" + date, data[: _FIRST_LINES + len(date)]
    if first.count(beginning) < first.count(b"\n", 0, _FIRST_LINES):
        return False
    feeds = count_feeds(data) if feeds is None else feeds
    return count_bytes(data, beginning) == feeds - data.endswith(b"\n")


def rare_signs(data: bytes) -> frozenset[bytes]:
    """Return which of the bytes a text holds that hardly any holds.

    Args:
        data: the text.

    Returns:
        A byte each.
    """
    if find_any_byte(data, b"".join(_RARE_SIGNS)) < 0:
        return frozenset()
    return frozenset(sign for sign in _RARE_SIGNS if sign in data)


def line_starts(data: bytes) -> Iterator[int]:
    """The offsets at which the lines of a text begin.

    Args:
        data: whole lines.

    Yields:
        0-based places in bytes, the first one 0.
    """
    at = 0
    while at < len(data):
        yield at
        feed = data.find(b"\n", at)
        at = feed + 1 if feed >= 0 else len(data)


Buffer = bytes | bytearray | FileBuffer
"""What a file's bytes are read from."""
BLOCK_BYTES = 1 << 21
"""Bytes that are searched at once (2 MiB)."""
_UNUSUAL_BLANKS = (b"\xc2\xa0", b"\xe2\x80\xaf", b"\xe2\x80\x87", b"\xe2\x80\x89", b"\xe3\x80\x80")
"""Blanks of other kinds, as word processors and ticket systems put them in."""
_JSON_BLANKS = (b"\\u00a0", b"\\u00A0", b"\\u202f", b"\\u202F")
_JSON_ESCAPES = (b"\\u001b", b"\\u001B", *_JSON_BLANKS)
_ANY_BLANK = re.compile(b"|".join(map(re.escape, (*_UNUSUAL_BLANKS, *_JSON_BLANKS))))
_ESCAPE_OR_BLANK = re.compile(rb"\x1b\[|\\u001[bB]\[|" + _ANY_BLANK.pattern)
_COLOURS = re.compile(rb"(?:\x1b|\\u001[bB])\[[0-?]*[ -/]*[@-~]")


class Scanner:
    """A set of literals, searched all at once.

    A literal is also found where JSON wrote it with escapes (`\\"`, `\\u0027`) and where terminal
    colours stand inside it.
    """

    def __init__(self, literals: Iterable[bytes], engine: Engine = "auto") -> None:
        """Prepare the search.

        Args:
            literals: what to look for; those that contain another are dropped, for the shorter
                finds their lines too.
            engine: `re2` (google-re2), `arrow` (RE2 through pyarrow), `find` (nothing but Python);
                `auto` is the first there is, beside `sieve` (numpy and stringzilla).

        Raises:
            ValueError: for an empty literal or one with a line feed, which no line can hold.
            ImportError: for an engine whose library is missing.
        """
        self._given = checked_literals(literals)
        self._asides = Asides(b"".join(_RARE_SIGNS), PART_SIGNS)
        self.engine, self._search = make_engine(self._given, engine, self._asides)
        self._last_signs: tuple[bytes, frozenset[bytes]] = b"", frozenset()

    @cached_property
    def literals(self) -> tuple[bytes, ...]:
        """What is looked for, none of which contains another, in order of their bytes."""
        return minimal_literals(self._given)

    @cached_property
    def words_with_digits(self) -> frozenset[bytes]:
        """The literals that a line may hold or not by its digits, each digit as a zero."""
        words = {literal: line_key(literal) for literal in self.literals}
        return frozenset(key for word, key in words.items() if word != key or b"0" in word)

    def rare_signs(self, data: bytes) -> frozenset[bytes]:
        """The bytes that hardly any text holds and this one does; kept for the text that was asked
        for last.

        Args:
            data: the text.

        Returns:
            A byte each.
        """
        if self._last_signs[0] is not data:
            signs = frozenset[bytes]() if self.has_no_aside(data) else rare_signs(data)
            self._last_signs = data, signs
        return self._last_signs[1]

    def has_no_aside(self, data: bytes) -> bool:
        """Whether the last search has told by the way that a text holds none of the rare signs, and
        nothing that says that a line goes on in a later one.

        Args:
            data: the text.

        Returns:
            True where the text was searched last, and surely holds none.
        """
        return self._asides.missing_in is data

    def hits(self, buffer: Buffer | memoryview, start: int, end: int) -> Iterator[int]:
        """The offsets of the lines that hold a literal and begin in `[start, end)`, in order.

        A line counts where a literal lies in its first 64 KiB.

        Args:
            buffer: the file, uncompressed, in UTF-8.
            start: in bytes.
            end: in bytes.

        Yields:
            0-based places of lines in the file.
        """
        data = bytes(buffer) if isinstance(buffer, memoryview) else buffer
        for base, block in self.blocks(data, start, end):
            for at in self.line_hits(block):
                yield base + at

    @staticmethod
    def blocks(buffer: Buffer, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The lines that begin in `[start, end)` in chunks of whole lines: offset and bytes.

        A chunk is about a megabyte; one that is a single longer line holds only the first 64 KiB of
        it, with a line feed after it where the line has one.

        Args:
            buffer: the file, uncompressed, in UTF-8.
            start: in bytes.
            end: in bytes.

        Yields:
            Where the chunk begins in the file, and its bytes.
        """
        return _line_blocks(buffer, next_line_start(buffer, start), next_line_start(buffer, end))

    def line_hits(self, data: bytes) -> list[int]:
        """The offsets of the lines of a text that hold a literal, in order.

        Args:
            data: whole lines.

        Returns:
            0-based places of lines in the text.
        """
        if not self._given:
            return []
        hits = self._search(data)
        return (
            sorted({*hits, *self._hits_under_colours(data, set(hits))})
            if _may_have_colours(data, self.rare_signs(data))
            else hits
        )

    def _hits_under_colours(self, data: bytes, known: set[int]) -> Iterator[int]:
        """The lines that hold a literal once their colours are taken off."""
        at = 0
        while (escape := _ESCAPE_OR_BLANK.search(data, at)) is not None:
            start = data.rfind(b"\n", 0, escape.start()) + 1
            feed = data.find(b"\n", escape.start())
            at = feed + 1 if feed >= 0 else len(data)
            if start not in known and self._search(
                _ANY_BLANK.sub(b" ", _COLOURS.sub(b"", data[start : min(at, start + LINE_LIMIT)]))
            ):
                yield start


def _may_have_colours(data: bytes, signs: Container[bytes]) -> bool:
    """Whether there is an escape sequence or a blank of another kind, also one that JSON wrote;
    quick where there is none.
    """
    if b"\x1b" in signs:
        return True
    if any(lead in signs for lead in _BLANK_LEADS) and _holds_any(data, _UNUSUAL_BLANKS):
        return True
    return b"\\" in signs and _holds_any(data, _JSON_ESCAPES)


def _holds_any(data: bytes, texts: Iterable[bytes]) -> bool:
    return any(find_bytes(data, text) >= 0 for text in texts)


def next_line_start(buffer: Buffer, offset: int) -> int:
    """The first offset at or after `offset` where a line begins; the length of the buffer where
    none does.

    Args:
        buffer: the file, uncompressed, in UTF-8.
        offset: in bytes.

    Returns:
        0-based place in the file.
    """
    if offset <= 0:
        return 0
    feed = buffer.find(b"\n", offset - 1)
    return feed + 1 if feed >= 0 else len(buffer)


def _line_blocks(buffer: Buffer, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Cut `[start, end)`, which begins and ends where lines do, into chunks of whole lines; fewer
    where the file ends sooner by now.
    """
    while start < min(end, len(buffer)):
        stop = min(start + BLOCK_BYTES, end)
        if stop < end:
            stop = buffer.rfind(b"\n", start, stop) + 1
        if stop > start:
            yield start, _block(buffer, start, stop)
            start = stop
            continue
        feed = buffer.find(b"\n", start, end)
        stop = feed if feed >= 0 else end
        yield (
            start,
            bytes(buffer[start : min(stop, start + LINE_LIMIT)]) + (b"\n" if feed >= 0 else b""),
        )
        start = stop + 1 if feed >= 0 else end


def _block(buffer: Buffer, start: int, stop: int) -> bytes:
    """Return a block; the window of a file stays with what is near the lines that hit."""
    if isinstance(buffer, FileBuffer):
        return buffer.read_range(start, stop)
    return bytes(buffer[start:stop])
