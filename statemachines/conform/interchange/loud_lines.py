"""Lines at ERROR or FATAL that no machine knows: what a program itself called trouble, kept to be
quoted beside what happened then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from statemachines.logs import LoudRecord
from statemachines.logs.records.plain_lines import line_key

MOST_A_SECOND = 3
"""Lines of one unit that are kept of each second: the first ones that differ in more than digits.

Of neighbouring pieces of a file the first few of both are among the first few of each, so that no
cut of the file changes what is kept.
"""
_LONGEST_TEXT = 1_000
_LONGEST_WORDING = 200
_SECOND_MS = 1_000


class LoudLine(NamedTuple):
    """A line at WARN, ERROR or FATAL that no machine knows."""

    at_ms: int
    dated: bool
    line: int
    text: str
    wording: bytes
    """The beginning of its message with every digit as a zero."""

    @property
    def second(self) -> int:
        """The second in which it was written."""
        return self.at_ms // _SECOND_MS

    def moved(self, lines: int, days_ms: int) -> LoudLine:
        """Return the line behind a piece of so many lines; a time without a date gains days."""
        gained = 0 if self.dated else days_ms
        return self._replace(line=self.line + lines, at_ms=self.at_ms + gained)


LoudLines = dict[tuple[str | None, int], tuple[LoudLine, ...]]
"""By unit and second: lines in the file's order."""


def add_loud_line(kept: LoudLines, record: LoudRecord) -> None:
    """Keep a line, if it is one of the first few of its second; one without a time stands beside
    nothing.
    """
    line = make_loud_line(record)
    if line is not None:
        key = record.process, line.second
        kept[key] = _first_few((*kept.get(key, ()), line))


def make_loud_line(record: LoudRecord) -> LoudLine | None:
    """Return what is kept of a line; None where it has no time."""
    if record.at_ms is None:
        return None
    wording = line_key(record.message[:_LONGEST_WORDING].encode())
    return LoudLine(record.at_ms, record.dated, record.line, record.text[:_LONGEST_TEXT], wording)


def join_loud_lines(
    left: LoudLines, right: LoudLines, lines: int, days_ms: Mapping[str | None, int]
) -> LoudLines:
    """Return the lines of two neighbouring pieces of a file.

    Args:
        left, right: of the two pieces.
        lines: how many the left one has.
        days_ms: by unit, what times of the right one gain that have no date.
    """
    joined = dict(left)
    for (unit, _), same in right.items():
        for one in same:
            moved = one.moved(lines, days_ms.get(unit, 0))
            key = unit, moved.second
            joined[key] = _first_few((*joined.get(key, ()), moved))
    return joined


def _first_few(lines: Iterable[LoudLine]) -> tuple[LoudLine, ...]:
    """Return the first lines that differ in more than digits, in the file's order."""
    by_wording: dict[bytes, LoudLine] = {}
    for line in sorted(lines, key=lambda each: each.line):
        by_wording.setdefault(line.wording, line)
    return tuple(by_wording.values())[:MOST_A_SECOND]
