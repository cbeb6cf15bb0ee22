"""Where a text of one line is broken so that it can be read: prose anywhere, expressions where they
join parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

FILLED = 0.4
"""The part of a line that is filled before it is broken; else lines become stubs."""
_GAP = re.compile(r"(?<=[^ ]) (?=[^ ])")
_JOINING = re.compile(r"(and|or|if|else|for|[|&+-]) ")


def fold_prose(text: str, width: int) -> list[str]:
    """Return the lines of a text, each as full as it can be.

    Args:
        text: of one line; it is broken at single blanks only, so joining the lines with a blank
            gives it again.
        width: columns of a line; a longer word has a line of its own.

    >>> fold_prose("a door  of a shed", 10)
    ['a door  of', 'a shed']

    Returns:
        At least one line.
    """
    return _folded(text, width, lambda gaps: gaps[-1])


def fold_expression(text: str, width: int) -> list[str]:
    """Return the lines of an expression, broken where the fewest brackets are open, and there
    before a word that joins two parts.

    Args:
        text: of one line.
        width: columns of a line.

    >>> fold_expression("{a for a in some} | {b for b in more}", 30)
    ['{a for a in some}', '| {b for b in more}']

    Returns:
        At least one line.
    """
    depths = list(accumulate(map(_depth_change, text)))

    def best(gaps: Sequence[int]) -> int:
        return min(gaps, key=lambda gap: (depths[gap], not _JOINING.match(text, gap + 1), -gap))

    return _folded(text, width, best)


def _folded(text: str, width: int, choose: Callable[[Sequence[int]], int]) -> list[str]:
    gaps = [gap.start() for gap in _GAP.finditer(text)]
    lines, start = [], 0
    while len(text) - start > width:
        first = bisect_left(gaps, start + int(width * FILLED))
        last = bisect_right(gaps, start + width)
        fitting = gaps[first:last] or gaps[bisect_left(gaps, start) :][:1]
        if not fitting:
            break
        end = choose(fitting)
        lines.append(text[start:end])
        start = end + 1
    return [*lines, text[start:]]


def _depth_change(letter: str) -> int:
    """Return how many brackets a letter opens."""
    return (letter in "([{") - (letter in ")]}")
