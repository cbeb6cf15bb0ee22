"""Lines at WARN, ERROR or FATAL that no machine knows: what a program itself called trouble, kept
to be quoted beside what happened then; all that are loud, and of the others those that are rare.
"""

from __future__ import annotations

import zlib
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


def add_loud_line(loud_lines: LoudLines, unit: str | None, line: LoudLine) -> None:
    """Keep a line of a unit, if it is one of the first few of its second."""
    key = unit, line.second
    loud_lines[key] = _first_few((*loud_lines.get(key, ()), line))


def make_loud_line(record: LoudRecord) -> LoudLine | None:
    """Return what is kept of a line; None where it has no time: it stands beside nothing."""
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
        for loud in same:
            moved = loud.moved(lines, days_ms.get(unit, 0))
            key = unit, moved.second
            joined[key] = _first_few((*joined.get(key, ()), moved))
    return joined


def _first_few(lines: Iterable[LoudLine]) -> tuple[LoudLine, ...]:
    """Return the first lines that differ in more than digits, in the file's order."""
    by_wording: dict[bytes, LoudLine] = {}
    for line in sorted(lines, key=lambda loud: loud.line):
        by_wording.setdefault(line.wording, line)
    return tuple(by_wording.values())[:MOST_A_SECOND]


MOST_WORDINGS = 300
"""Wordings of a file that are counted: those with the least ranks.

A wording that is among the least of all pieces is among the least of each in which it stands, so
its count is exact, and no cut of the file changes it.
"""
RARE = 2
"""A wording that stands no oftener in its process is unusual; of others it is known no more than
that they stand oftener.
"""


class RareLine(NamedTuple):
    """How often one wording stands in a unit, and where first and last while it is rare."""

    rank: int
    times: int
    first: LoudLine
    last: LoudLine


RareLines = dict[tuple[str | None, bytes], RareLine]
"""By unit and wording."""


def add_rare_line(rare_lines: RareLines, unit: str | None, line: LoudLine) -> None:
    """Count a line of a unit."""
    rank = zlib.crc32(line.wording, zlib.crc32((unit or "").encode()))
    _add(rare_lines, (unit, line.wording), RareLine(rank, 1, line, line))


def join_rare_lines(
    left: RareLines, right: RareLines, lines: int, days_ms: Mapping[str | None, int]
) -> RareLines:
    """Return the lines of two neighbouring pieces of a file.

    Args:
        left, right: of the two pieces.
        lines: how many the left one has.
        days_ms: by unit, what times of the right one gain that have no date.
    """
    joined = dict(left)
    for (unit, wording), rare in right.items():
        gained = days_ms.get(unit, 0)
        first, last = (moving.moved(lines, gained) for moving in (rare.first, rare.last))
        _add(joined, (unit, wording), rare._replace(first=first, last=last))
    return joined


def _add(rare_lines: RareLines, key: tuple[str | None, bytes], line: RareLine) -> None:
    known = rare_lines.get(key)
    rare_lines[key] = line if known is None else _joined(known, line)
    if len(rare_lines) > MOST_WORDINGS:
        del rare_lines[
            max(rare_lines, key=lambda key: (rare_lines[key].rank, key[0] or "", key[1]))
        ]


def _joined(before: RareLine, line: RareLine) -> RareLine:
    """Count two rows of one wording together, in any order; where it is not rare, the first line is
    enough.
    """
    times = min(before.times + line.times, RARE + 1)
    first = min(before.first, line.first, key=_number)
    last = max(before.last, line.last, key=_number) if times <= RARE else first
    return before._replace(times=times, first=first, last=last)


def _number(line: LoudLine) -> int:
    return line.line
