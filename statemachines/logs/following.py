"""The lines of a record after its first one: the rest of its message, a stack trace."""

from __future__ import annotations

from statemachines.logs.lines import LOOK_BYTES, LOOK_LINES, Line, Lines


def following(lines: Lines, line: Line) -> list[str]:
    """The lines after the first of a record, until the next record of the same origin.

    In a file that several programs wrote, only lines with the same prefix belong to a record, without that prefix;
    indented lines without any prefix are how journald shows a message of several lines.

    Limits: 200 lines, those that begin in the 64 KiB after the record's first line.
    """
    found: list[str] = []
    first_goes_on = last_goes_on = line.peeled.partial
    offset, stop = line.end, min(line.end + LOOK_BYTES, len(lines.buffer))
    for _ in range(LOOK_LINES):
        if offset >= stop:
            break
        other = lines.at(offset)
        offset = other.end
        same = other.peeled.key == line.peeled.key
        if same and last_goes_on:
            last_goes_on = other.peeled.partial
            if not first_goes_on:
                found[-1] += other.peeled.inner.rstrip()
            first_goes_on = first_goes_on and last_goes_on
            continue
        if other.reading and (same or not line.peeled.wrapped):
            break
        if same:
            found += [other.peeled.inner.rstrip(), *other.peeled.rest]
            last_goes_on = other.peeled.partial
        elif not line.peeled.wrapped or (not other.peeled.wrapped and other.text[:1] in (" ", "\t")):
            found.append(other.text.rstrip())
    return found
