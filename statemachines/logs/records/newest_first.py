"""Whether the records of a file stand newest first, as many exports give them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from statemachines.logs.fields.log_times import Timestamp
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.records.physical_lines import PhysicalLines

NEWEST_FIRST = (
    "its records stand newest first, and each would be taken for what came before: turn them "
    "round (`tac FILE`), or export them oldest first"
)
_MOST_RECORDS = 200
_FEWEST_FALLS = 3
"""Times that go back without one that goes on; less may be clocks that were set."""
_LEAST_FALL_MS = 1000
"""In all; lines that change places within a moment are put in order by the judge."""
_MOST_LINES = 1000


def is_newest_first(head: bytes) -> bool:
    """Whether no time in the beginning of a file is later than the one before it, at least three
    are earlier, and the last one by more than a second.

    The first time that goes on settles it: of nearly every file two lines are read.

    Args:
        head: the first bytes of a file, in UTF-8.

    Returns:
        True where lines go back in time.
    """
    falls = fallen_ms = 0
    for before, after in pairwise(islice(_dated_times(head), _MOST_RECORDS)):
        if after.at_ms > before.at_ms:
            return False
        falls += after.at_ms < before.at_ms
        fallen_ms += before.at_ms - after.at_ms
    return falls >= _FEWEST_FALLS and fallen_ms > _LEAST_FALL_MS


def _dated_times(head: bytes) -> Iterator[Timestamp]:
    """Yield the times of the records that have a date; not of the last line, which may be cut."""
    lines, offset = PhysicalLines(head, default_layouts()), 0
    end = head.rfind(b"\n") + 1
    for _ in range(_MOST_LINES):
        if offset >= end:
            return
        line = lines.line_at(offset)
        offset = line.end
        if line.parsed and line.timestamp and line.timestamp.dated:
            yield line.timestamp
