"""Records that hold none of the words that are looked for: nothing can read them, and they are not
lost in silence. Of warnings that are written again and again a few are read.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from statemachines.logs.records.physical_lines import PhysicalLines
from statemachines.logs.records.plain_lines import LinePair, line_key
from statemachines.logs.search.engines import LINE_LIMIT
from statemachines.logs.search.loggers import Loggers
from statemachines.logs.search.scanner import Buffer, Scanner

MOST_ALIKE = 3
"""Warnings of a piece that differ in digits only and are read: what stands oftener is not rare."""


SAME_SECOND = re.compile(r" {4,}(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) {2,}\S")
"""A record whose time is left blank since it is that of the record before, as in columns for a
terminal.
"""
_BLANKS = b" \t"
_MOST_SILENT, _LONGEST_PAIR = 10_000, 1000
"""Lines with the line above of which nothing comes that are remembered, and their bytes at most."""


class RepeatedWarnings:
    """Counts warnings that hold no word, by their line without its digits.

    Complexity: memory for the warnings that differ in more than digits.
    """

    def __init__(self, buffer: Buffer, scanner: Scanner) -> None:
        self._buffer, self._scanner = buffer, scanner
        self._times: Counter[bytes] = Counter()

    def count(self, offset: int) -> None:
        """Count the line at an offset; one that other digits may give a word is always read.

        Args:
            offset: in bytes, where the line begins.
        """
        key = self._key(offset)
        if len(key) < LINE_LIMIT and not any(
            word in key for word in self._scanner.words_with_digits
        ):
            self._times[key] += 1

    def has_often(self, offset: int) -> bool:
        """Say whether lines that differ from the one at an offset in digits only were counted often
        enough.

        Args:
            offset: in bytes, where the line begins.

        Returns:
            True from the limit on.
        """
        return bool(self._times) and self._times.get(self._key(offset), 0) >= MOST_ALIKE

    def _key(self, offset: int) -> bytes:
        feed = self._buffer.find(b"\n", offset, offset + LINE_LIMIT)
        return line_key(bytes(self._buffer[offset : feed if feed >= 0 else offset + LINE_LIMIT]))


class SilentLines:
    """Knows the lines of which nothing comes though they hit: they begin with a blank, so each is
    part of the record above, as the lines of a stack trace are, and tell of nothing themselves.
    Only the line directly above could make a record of one, so both together are known again.
    """

    def __init__(self, lines: PhysicalLines, loggers: Loggers | None) -> None:
        self._lines, self._loggers = lines, loggers

    def has(self, base: int, data: bytes, at: int, known: set[LinePair]) -> bool:
        """Say whether nothing comes of a line of a block; False where that is not easily told.

        Args:
            base: where the block begins in the file.
            data: the block, whole lines.
            at: where the line begins in it.
            known: lines with those above of which nothing comes; takes new ones in.

        Returns:
            True where surely nothing does.
        """
        if at == 0 or data[at] not in _BLANKS:
            return False
        end = data.find(b"\n", at)
        above = data.rfind(b"\n", 0, at - 1) + 1
        pair = data[above:at], data[at : end if end >= 0 else len(data)]
        if pair in known:
            return True
        line = self._lines.line_at(base + at).unwrapped
        if line.is_wrapped or line.stream is not None:
            return False
        return self.learn(base + at, pair, known)

    def learn(self, offset: int, pair: LinePair, known: set[LinePair]) -> bool:
        """Say whether nothing comes of a line that is not known, and know it from now on.

        Args:
            offset: where it begins in the file.
            pair: the line, and before it the one above, without what stands around them.
            known: takes it in.

        Returns:
            True where surely nothing does.
        """
        if not self._is_silent(offset):
            return False
        if sum(map(len, pair)) <= _LONGEST_PAIR:
            if len(known) >= _MOST_SILENT:
                known.clear()
            known.add(pair)
        return True

    def _is_silent(self, offset: int) -> bool:
        line = self._lines.line_at(offset)
        inner = line.unwrapped.inner
        return (
            self._loggers is not None
            and line.parsed is None
            and inner[:1] in ("\t", " ")
            and not SAME_SECOND.match(inner)
            and not self._loggers.has_line_literal(inner)
        )


class UnreadRecord(NamedTuple):
    """A record of a known logger that nothing can read, for it holds none of the words."""

    process: str | None
    logger: str
    line: int
    text: str


class LoudRecord(NamedTuple):
    """A record at WARN, ERROR or FATAL that none of the words hit: nobody knows what it says."""

    process: str | None
    at_ms: int | None
    dated: bool
    line: int
    text: str
    message: str
    level: str
