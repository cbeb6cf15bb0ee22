"""The lines of a record after its first one: the rest of its message, a stack trace."""

from __future__ import annotations

from statemachines.logs.records.physical_lines import (
    NEIGHBOUR_BYTES,
    NEIGHBOUR_LINES,
    PhysicalLine,
    PhysicalLines,
)


def continuation_lines(lines: PhysicalLines, line: PhysicalLine) -> list[str]:
    """The lines after the first of a record, until the next record of the same origin.

    In a file that several programs wrote, only lines with the same prefix belong to a record,
    without that prefix; indented lines without any prefix are how journald shows a message of
    several lines.

    Args:
        lines: of the file.
        line: the first of the record.

    Returns:
        Texts without prefix and line feed, in order.

    Limits: 200 lines, those that begin in the 64 KiB after the record's first line.
    """
    continuations: list[str] = []
    first_goes_on = last_goes_on = line.unwrapped.is_partial
    offset, stop = line.end, min(line.end + NEIGHBOUR_BYTES, len(lines.buffer))
    for _ in range(NEIGHBOUR_LINES):
        if offset >= stop:
            break
        if not (line.unwrapped.is_wrapped or last_goes_on) and lines.surely_begins_record(offset):
            break
        other = lines.line_at(offset)
        offset = other.end
        same = other.unwrapped.origin == line.unwrapped.origin
        if same and last_goes_on:
            last_goes_on = other.unwrapped.is_partial
            if not first_goes_on:
                continuations[-1] += other.unwrapped.inner.rstrip()
            first_goes_on = first_goes_on and last_goes_on
            continue
        if other.parsed and (same or not line.unwrapped.is_wrapped):
            break
        if same:
            continuations += [other.unwrapped.inner.rstrip(), *other.unwrapped.further_lines]
            last_goes_on = other.unwrapped.is_partial
        elif not line.unwrapped.is_wrapped or (
            not other.unwrapped.is_wrapped and other.text[:1] in (" ", "\t")
        ):
            continuations.append(other.text.rstrip())
    return continuations
