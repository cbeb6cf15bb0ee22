"""Records that hold none of the words that are looked for: nothing can read them, and they are not
lost in silence. Of warnings that are written again and again a few are read.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from statemachines.logs.records.plain_lines import line_key
from statemachines.logs.search.engines import LINE_LIMIT
from statemachines.logs.search.scanner import Buffer, Scanner

MOST_ALIKE = 3
"""Warnings of a piece that differ in digits only and are read: what stands oftener is not rare."""


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
