"""Lines at WARN, ERROR or FATAL that no machine knows and whose wording is rare: what may have been
the first sign of trouble, kept to be quoted as unusual.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import NamedTuple

from statemachines.conform.interchange.loud_lines import LoudLine, make_loud_line
from statemachines.logs import LoudRecord

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


def add_rare_line(kept: RareLines, record: LoudRecord) -> None:
    """Count a line; one without a time stands beside nothing."""
    line = make_loud_line(record)
    if line is not None:
        rank = zlib.crc32(line.wording, zlib.crc32((record.process or "").encode()))
        _add(kept, (record.process, line.wording), RareLine(rank, 1, line, line))


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
    for (unit, wording), one in right.items():
        gained = days_ms.get(unit, 0)
        first, last = (each.moved(lines, gained) for each in (one.first, one.last))
        _add(joined, (unit, wording), one._replace(first=first, last=last))
    return joined


def _add(rare_lines: RareLines, key: tuple[str | None, bytes], line: RareLine) -> None:
    known = rare_lines.get(key)
    rare_lines[key] = line if known is None else _joined(known, line)
    if len(rare_lines) > MOST_WORDINGS:
        del rare_lines[
            max(rare_lines, key=lambda each: (rare_lines[each].rank, each[0] or "", each[1]))
        ]


def _joined(before: RareLine, line: RareLine) -> RareLine:
    """Count two rows of one wording together; where it is not rare, the first line is enough."""
    times = min(before.times + line.times, RARE + 1)
    return before._replace(times=times, last=line.last if times <= RARE else before.first)
