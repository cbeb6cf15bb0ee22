"""Lines of text: aligned, cut to the width, and with nothing in them that a terminal would obey."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import field, frozen

from statemachines.report.sections.plain_texts import (
    cut_common_start,
    cut_end,
    cut_middle,
    cut_names,
    distinct_head,
    printable_text,
)

Paint = Callable[[str, str], str]
"""Gives a text (first) the look of a style (second): good, bad, doubt, head, dim, plain."""
COLUMN_GAP = "   "
_USUAL_LIMIT = 10
_NARROWEST_COLUMN = 24
"""What a cut column keeps; a line that is still too long stays so."""


def unpainted(text: str, _: str) -> str:
    """Leave a text as it is.

    Args:
        text: of a cell.

    Returns:
        The same text.
    """
    return text


@frozen
class OutputStyle:
    """Where a report is shown."""

    width: int = 120
    """Columns; places and numbers are never cut, so a line may be longer."""
    paint: Paint = unpainted
    limit: int = _USUAL_LIMIT
    """Rows a list; the rest is counted."""
    wraps: bool = True
    """Whether a sentence goes on in the line below; elsewhere `head -n 1` gets all of it."""

    @property
    def shows_all(self) -> bool:
        """Whether somebody asked for more than what fits a screen."""
        return self.limit > _USUAL_LIMIT


class CellShortening(enum.Enum):
    """How a cell gives way where a line is too long; first those that may be left out, then the
    widest of those that may be cut.
    """

    NEVER = "nothing"
    AT_END = "its end"
    IN_MIDDLE = "its middle"
    IN_NAMES = "the names in it"
    LEFT_OUT = "itself"


_CUT = {CellShortening.AT_END, CellShortening.IN_MIDDLE, CellShortening.IN_NAMES}


@frozen
class Cell:
    """A text with its style."""

    text: str = field(converter=printable_text)
    style: str = "plain"
    shortening: CellShortening = CellShortening.NEVER


def aligned_rows(
    rows: Sequence[Sequence[Cell]], style: OutputStyle, margin: str = "  "
) -> Iterator[str]:
    """Align rows of cells; columns that may be cut share what the others leave.

    Args:
        rows: of cells; a row may be shorter than others.
        style: width and paint.
        margin: what stands before each line.

    Returns:
        One line a row, without blanks at its end.
    """
    widths = _column_widths(rows, style.width - len(margin))
    cuts = [_column_cuts(rows, column, width) for column, width in enumerate(widths)]
    for row in rows:
        line = margin
        for index, (cell, width, cut) in enumerate(zip(row, widths, cuts, strict=False)):
            if width:
                text = cut.get(cell, cell.text)
                line += (
                    style.paint(text, cell.style)
                    + " " * (width - len(text))
                    + (COLUMN_GAP if index + 1 < len(row) else "")
                )
        yield line.rstrip()


def _column_cuts(rows: Sequence[Sequence[Cell]], column: int, width: int) -> dict[Cell, str]:
    """Return what the cells of a column become that may be cut; those that differ still do, where
    some place keeps them apart.
    """
    cells = dict.fromkeys(row[column] for row in rows if column < len(row))
    in_names = [cell for cell in cells if cell.shortening is CellShortening.IN_NAMES]
    too_long = any(len(cell.text) > width for cell in in_names)
    if too_long and len(in_names) == len(cells):
        whole = cut_common_start([cell.text for cell in in_names], width)
        if whole is not None:
            return dict(zip(in_names, whole, strict=True))
    cut = {cell: cut_end(cut_names(cell.text, width), width) for cell in in_names}
    in_middle = [cell for cell in cells if cell.shortening is CellShortening.IN_MIDDLE]
    if len(set(cut.values())) < len({cell.text for cell in in_names}):
        in_middle += in_names
    head = distinct_head((cell.text for cell in in_middle), width)
    cut |= {cell: cut_middle(cell.text, width, head) for cell in in_middle}
    at_end = (cell for cell in cells if cell.shortening is CellShortening.AT_END)
    return cut | {cell: cut_end(cell.text, width) for cell in at_end}


def _column_widths(rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    columns = max(map(len, rows), default=0)
    widths = [
        max((len(row[c].text) for row in rows if c < len(row)), default=0) for c in range(columns)
    ]
    over = sum(widths) + len(COLUMN_GAP) * (columns - 1) - width
    for c in _shortenable_columns(rows, columns, {CellShortening.LEFT_OUT}):
        if over > 0:
            over -= widths[c] + len(COLUMN_GAP)
            widths[c] = 0
    cut = _shortenable_columns(rows, columns, _CUT)
    while (
        over > 0 and cut and widths[widest := max(cut, key=lambda c: widths[c])] > _NARROWEST_COLUMN
    ):
        widths[widest] -= 1
        over -= 1
    return widths


def _shortenable_columns(
    rows: Sequence[Sequence[Cell]], columns: int, shortenings: set[CellShortening]
) -> list[int]:
    return [
        c
        for c in range(columns)
        if all(row[c].shortening in shortenings for row in rows if c < len(row))
    ]


def titled_section(title: str, lines: Iterable[str], style: OutputStyle) -> Iterator[str]:
    """Put a blank line and a title before lines; nothing where there are none.

    Args:
        title: of the section.
        lines: may be none.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    first = True
    for line in lines:
        if first:
            yield ""
            yield style.paint(title, "head")
            first = False
        yield line
