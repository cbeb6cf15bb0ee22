"""The literals of a set that find all lines which the set finds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


def minimal_literals(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Drop every literal that contains another, and sort the others.

    Args:
        literals: parts of one line each, in UTF-8.

    Returns:
        The shortest ones, in order of their bytes.

    Raises:
        ValueError: one is empty, or holds a line feed.
    """
    ordered = sorted(set(literals), key=lambda text: (len(text), text))
    for literal in ordered:
        if not literal or b"\n" in literal:
            raise ValueError(f"a literal is a part of one line, not {literal!r}")
    ends = list(accumulate(len(literal) + 1 for literal in ordered))
    one_a_line, dropped = b"".join(literal + b"\n" for literal in ordered), set[int]()
    for place, literal in enumerate(ordered):
        at = -1 if place in dropped else one_a_line.find(literal, ends[place])
        while at >= 0:
            longer = bisect_right(ends, at)
            dropped.add(longer)
            at = one_a_line.find(literal, ends[longer])
    return tuple(sorted(set(ordered) - {ordered[place] for place in dropped}))
