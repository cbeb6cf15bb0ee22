"""Texts as every form of a report writes them: printable, cut to a width, counted."""

from __future__ import annotations


def printable_text(text: str) -> str:
    """Replace what a terminal would obey (escapes, other directions of writing) by a visible sign.

    >>> printable_text("red \\x1b[31m")
    'red �[31m'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "�" for letter in text
    )


def cut_end(text: str, width: int) -> str:
    """Cut a text at its end.

    >>> cut_end("something long", 9)
    'somethin…'
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def cut_middle(text: str, width: int) -> str:
    """Cut a name in its middle: what differs is mostly at the end.

    >>> cut_middle("shop-north-0b7c-till-17", 13)
    'shop…-till-17'
    """
    if len(text) <= width:
        return text
    head = max((width - 1) // 3, 1)
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def count_text(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things.

    >>> count_text(1, "file"), count_text(2413, "line"), count_text(2, "process", "processes")
    ('1 file', '2,413 lines', '2 processes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
