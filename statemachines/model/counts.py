"""Numbers of things in words: the one answer to whether it is `1 line` or `2 lines`."""

from __future__ import annotations


def count_text(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things.

    >>> count_text(1, "file"), count_text(2413, "line"), count_text(2, "process", "processes")
    ('1 file', '2,413 lines', '2 processes')

    Args:
        number: how many.
        one: the word for one of them.
        many: the word for several; None: with an `s`.

    Returns:
        The number, with commas, and the word.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
