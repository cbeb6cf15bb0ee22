"""Durations in words."""

from __future__ import annotations

UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))


def duration(milliseconds: int) -> str:
    """Write a duration with its two largest units.

    >>> [duration(ms) for ms in (7, 1_500, 59_999, 192_000, 3_600_000, 90_061_000)]
    ['7 ms', '1.5 s', '60 s', '3 min 12 s', '1 h', '1 d 1 h']
    """
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1_000:.1f}".removesuffix(".0") + " s"
    place = next(number for number, (_, size) in enumerate(UNITS) if milliseconds >= size)
    (name, size), (small, part) = UNITS[place], UNITS[place + 1]
    rest = milliseconds % size // part
    return f"{milliseconds // size} {name}" + (f" {rest} {small}" if rest else "")
