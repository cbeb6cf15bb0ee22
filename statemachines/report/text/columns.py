"""Lines of text: aligned, cut to the width, and with nothing in them that a terminal would obey."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import field, frozen

Paint = Callable[[str, str], str]
"""Gives a text (first) the look of a style (second): good, bad, doubt, head, dim, plain."""
GAP = "   "
NARROWEST = 24
"""What a cut column keeps; a line that is still too long stays so."""


def unpainted(text: str, _: str) -> str:
    """Leave a text as it is."""
    return text


@frozen
class Look:
    """Where a report is shown."""

    width: int = 120
    """Columns; places and numbers are never cut, so a line may be longer."""
    paint: Paint = unpainted
    limit: int = 10
    """Rows a list; the rest is counted."""


def harmless(text: str) -> str:
    """Replace what a terminal would obey (escapes, other directions of writing) by a visible sign.

    >>> harmless("red \\x1b[31m")
    'red �[31m'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else "�" for letter in text)


class Gives(enum.Enum):
    """How a cell gives way where a line is too long; first those that may be left out, then the widest of those that may be cut."""

    NOTHING = "nothing"
    ITS_END = "its end"
    ITS_MIDDLE = "its middle"
    ITSELF = "itself"


@frozen
class Cell:
    """A text with its style."""

    text: str = field(converter=harmless)
    style: str = "plain"
    gives: Gives = Gives.NOTHING


def clipped(text: str, width: int) -> str:
    """Cut a text at its end.

    >>> clipped("something long", 9)
    'somethin…'
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def middle(text: str, width: int) -> str:
    """Cut a name in its middle: what differs is mostly at the end.

    >>> middle("shop-north-0b7c-till-17", 13)
    'shop…-till-17'
    """
    if len(text) <= width:
        return text
    head = max((width - 1) // 3, 1)
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


CUTS: dict[Gives, Callable[[str, int], str]] = {Gives.ITS_END: clipped, Gives.ITS_MIDDLE: middle}


def table(rows: Sequence[Sequence[Cell]], look: Look, margin: str = "  ") -> Iterator[str]:
    """Align rows of cells; columns that may be cut share what the others leave.

    Args:
        rows: of cells; a row may be shorter than others.
        look: width and paint.
        margin: what stands before each line.

    Returns:
        One line a row, without blanks at its end.
    """
    widths = _widths(rows, look.width - len(margin))
    for row in rows:
        line = margin
        for place, (cell, width) in enumerate(zip(row, widths, strict=False)):
            if width:
                text = CUTS[cell.gives](cell.text, width) if cell.gives in CUTS else cell.text
                line += look.paint(text, cell.style) + " " * (width - len(text)) + (GAP if place + 1 < len(row) else "")
        yield line.rstrip()


def _widths(rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    columns = max(map(len, rows), default=0)
    widths = [max((len(row[c].text) for row in rows if c < len(row)), default=0) for c in range(columns)]
    over = sum(widths) + len(GAP) * (columns - 1) - width
    for c in _giving(rows, columns, {Gives.ITSELF}):
        if over > 0:
            over -= widths[c] + len(GAP)
            widths[c] = 0
    cut = _giving(rows, columns, {Gives.ITS_END, Gives.ITS_MIDDLE})
    while over > 0 and cut and widths[widest := max(cut, key=lambda c: widths[c])] > NARROWEST:
        widths[widest] -= 1
        over -= 1
    return widths


def _giving(rows: Sequence[Sequence[Cell]], columns: int, ways: set[Gives]) -> list[int]:
    return [c for c in range(columns) if all(row[c].gives in ways for row in rows if c < len(row))]


def section(title: str, lines: Iterable[str], look: Look) -> Iterator[str]:
    """Put a blank line and a title before lines; nothing where there are none."""
    first = True
    for line in lines:
        if first:
            yield ""
            yield look.paint(title, "head")
            first = False
        yield line


def count(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things.

    >>> count(1, "file"), count(2413, "line"), count(2, "process", "processes")
    ('1 file', '2,413 lines', '2 processes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
