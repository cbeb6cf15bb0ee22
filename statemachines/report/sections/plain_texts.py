"""Texts as every form of a report writes them: printable, cut to a width, counted."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain


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


def cut_middle(text: str, width: int, head: int | None = None) -> str:
    """Cut a name in its middle: what differs is mostly at the end.

    Args:
        text: what is cut where it is longer than the width.
        width: in characters, the ellipsis included.
        head: how many characters stand before the ellipsis; a third where none is given.

    >>> cut_middle("shop-north-0b7c-till-17", 13)
    'shop…-till-17'
    """
    if len(text) <= width:
        return text
    head = _usual_head(width) if head is None else head
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def distinct_head(texts: Iterable[str], width: int) -> int:
    """Return how many characters `cut_middle` shall leave before the ellipsis so that texts that
    differ still do: a third or little more, else less; a third where no place keeps them apart.
    Signs before the first letter (`● `) keep nothing apart.

    >>> tills = ["till 3 of the north", "till 4 of the north"]
    >>> [cut_middle(till, 12, distinct_head(tills, 12)) for till in tills]
    ['till 3…north', 'till 4…north']
    """
    different = {_without_sign(text): text for text in texts}
    usual = _usual_head(width)
    for head in chain(range(usual, max(width - 1, 2)), range(usual - 1, 0, -1)):
        cut = {_without_sign(cut_middle(text, width, head)) for text in different.values()}
        if len(cut) == len(different):
            return head
    return usual


def _without_sign(text: str) -> str:
    return text.lstrip("●○✗✓↻ ")


def _usual_head(width: int) -> int:
    return max((width - 1) // 3, 1)


def count_text(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things.

    >>> count_text(1, "file"), count_text(2413, "line"), count_text(2, "process", "processes")
    ('1 file', '2,413 lines', '2 processes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
