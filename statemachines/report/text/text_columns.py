"""Lines of text: aligned, cut to the width, and with nothing in them that a terminal would obey."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from textwrap import wrap

from attrs import evolve, field

from statemachines.model.values import frozen
from statemachines.report.sections.plain_texts import cut_end, printable_text

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
    """How a cell gives way where a line is too long."""

    NEVER = "nothing"
    OWN_LINES = "it stands whole on lines above the rest of its row, where it is the first"
    AT_END = "its end"
    LEFT_OUT = "itself"


@frozen
class Cell:
    """A text with its style."""

    text: str = field(converter=printable_text)
    style: str = "plain"
    shortening: CellShortening = CellShortening.NEVER


def aligned_rows(
    rows: Sequence[Sequence[Cell]], style: OutputStyle, margin: str = "  "
) -> Iterator[str]:
    """Align rows of cells, each on a line, or on several where its first cell is too long.

    Args:
        rows: of cells; a row may be shorter than others.
        style: width and paint.
        margin: what stands before each line.

    Returns:
        Lines without blanks at their ends.
    """
    return chain.from_iterable(aligned_blocks(rows, style, margin))


def aligned_blocks(
    rows: Sequence[Sequence[Cell]], style: OutputStyle, margin: str = "  "
) -> list[list[str]]:
    """Align rows of cells. What may be left out is, then ends are cut; where a line is still too
    long, the longest first cells stand on lines of their own, above what else their rows say.

    Args:
        rows: of cells; a row may be shorter than others.
        style: width and paint.
        margin: what stands before each line.

    Returns:
        The lines of each row, without blanks at their ends.
    """
    apart = _rows_apart(rows, style.width - len(margin))
    beside = iter(_one_line_rows([r for i, r in enumerate(rows) if i not in apart], style, margin))
    below = iter(_rows_below([rows[i][1:] for i in sorted(apart)], style, f"{margin}    "))
    return [
        [*_own_lines(row[0], style, margin), *next(below)] if index in apart else [next(beside)]
        for index, row in enumerate(rows)
    ]


def _rows_apart(rows: Sequence[Sequence[Cell]], room: int) -> set[int]:
    """Return the numbers of the rows whose first cell stands on lines of its own: the longest ones,
    until the others fit.
    """
    titled = [
        index
        for index, row in enumerate(rows)
        if row and row[0].shortening is CellShortening.OWN_LINES
    ]
    apart: set[int] = set()
    for index in sorted(titled, key=lambda i: -len(rows[i][0].text)):
        beside = [row for other, row in enumerate(rows) if other not in apart]
        if least_width(beside) <= room:
            break
        apart.add(index)
    return apart


def least_width(rows: Sequence[Sequence[Cell]]) -> int:
    """Return the columns that rows take once all has given way that may, but for first cells.

    Args:
        rows: of cells; a row may be shorter than others.

    Returns:
        Characters, without a margin.
    """
    least = {CellShortening.LEFT_OUT: 0, CellShortening.AT_END: _NARROWEST_COLUMN}
    needed = [
        [min(len(cell.text), least.get(cell.shortening, len(cell.text))) for cell in row]
        for row in rows
    ]
    widths = [max(column) for column in zip_longest(*needed, fillvalue=0)]
    return sum(widths) + len(COLUMN_GAP) * (sum(map(bool, widths)) - 1)


def _own_lines(cell: Cell, style: OutputStyle, margin: str) -> Iterator[str]:
    room = max(style.width - len(margin) - 2, _NARROWEST_COLUMN)
    for number, line in enumerate(wrap(cell.text, room, break_on_hyphens=False)):
        yield f"{margin}{'  ' if number else ''}{style.paint(line, cell.style)}"


def _rows_below(
    rows: Sequence[Sequence[Cell]], style: OutputStyle, margin: str
) -> Iterator[list[str]]:
    """Yield what rows say below their first cells; what is wider than the screen is wrapped, and
    has no colours.
    """
    plain = _one_line_rows(rows, evolve(style, paint=unpainted), margin)
    for line, painted in zip(plain, _one_line_rows(rows, style, margin), strict=True):
        if len(line) <= style.width:
            yield [painted] if line.strip() else []
            continue
        yield wrap(
            line.strip(),
            style.width,
            initial_indent=margin,
            subsequent_indent=margin,
            break_on_hyphens=False,
            break_long_words=False,
        )


def _one_line_rows(
    rows: Sequence[Sequence[Cell]], style: OutputStyle, margin: str
) -> Iterator[str]:
    """Align rows, one line each; columns that may be cut share what the others leave."""
    widths = _column_widths(rows, style.width - len(margin))
    for row in rows:
        line = margin
        for index, (cell, width) in enumerate(zip(row, widths, strict=False)):
            if width:
                is_cut = cell.shortening is CellShortening.AT_END
                text = cut_end(cell.text, width) if is_cut else cell.text
                line += (
                    style.paint(text, cell.style)
                    + " " * (width - len(text))
                    + (COLUMN_GAP if index + 1 < len(row) else "")
                )
        yield line.rstrip()


def _column_widths(rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    columns = max(map(len, rows), default=0)
    widths = [
        max((len(row[c].text) for row in rows if c < len(row)), default=0) for c in range(columns)
    ]
    over = sum(widths) + len(COLUMN_GAP) * (columns - 1) - width
    for c in _shortenable_columns(rows, columns, CellShortening.LEFT_OUT):
        if over > 0:
            over -= widths[c] + len(COLUMN_GAP)
            widths[c] = 0
    cut = _shortenable_columns(rows, columns, CellShortening.AT_END)
    while (
        over > 0 and cut and widths[widest := max(cut, key=lambda c: widths[c])] > _NARROWEST_COLUMN
    ):
        widths[widest] -= 1
        over -= 1
    return widths


def _shortenable_columns(
    rows: Sequence[Sequence[Cell]], columns: int, shortening: CellShortening
) -> list[int]:
    return [
        c
        for c in range(columns)
        if all(row[c].shortening is shortening for row in rows if c < len(row))
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
