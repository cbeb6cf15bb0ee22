"""Durations in words: the one wording of all reports and pictures."""

from __future__ import annotations

from statemachines.model.evidence.moments import DAY_MS

_UNIT_MS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": DAY_MS}


def parse_duration(text: str) -> int:
    """Return the milliseconds of a duration as people write it.

    Args:
        text: numbers and units in turn.

    Returns:
        Milliseconds.

    >>> parse_duration("1 min 30 s"), parse_duration("500 ms")
    (90000, 500)
    """
    words = text.split()
    return sum(int(n) * _UNIT_MS[unit] for n, unit in zip(words[::2], words[1::2], strict=True))


def exact_duration(ms: int) -> str:
    """Write a duration as the notation does, of all units that it has.

    Args:
        ms: milliseconds, more than 0.

    Returns:
        Numbers and units in turn.

    >>> exact_duration(90_000), exact_duration(500), exact_duration(90_061_001)
    ('1 min 30 s', '500 ms', '1 d 1 h 1 min 1 s 1 ms')
    """
    parts = list[str]()
    for unit, size in reversed(_UNIT_MS.items()):
        number, ms = divmod(ms, size)
        parts += [f"{number} {unit}"] if number else []
    return " ".join(parts)


def format_duration(ms: int) -> str:
    """Write a duration as a person would say it, in at most two units.

    Args:
        ms: milliseconds.

    Returns:
        One or two numbers with their units.

    >>> [format_duration(ms) for ms in (40, 1_100, 9_999, 14_000, 59_999, 200_000)]
    ['40 ms', '1.1 s', '9.9 s', '14 s', '59 s', '3 min 20 s']
    >>> format_duration(7_500_000), format_duration(200_000_000)
    ('2 h 5 min', '2 d 7 h')
    """
    if ms < 1000:
        return f"{ms} ms"
    if ms < 10_000 and ms % 1000 >= 100:
        return f"{min(round(ms / 1000, 1), 9.9):g} s"
    for size, unit, smaller, name in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if (seconds := ms // 1000) >= size:
            rest = seconds % size // smaller
            return f"{seconds // size} {unit}" + (f" {rest} {name}" if rest else "")
    return f"{ms // 1000} s"
