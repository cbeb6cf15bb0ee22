"""Texts that go on in the line below where a screen is narrow: nothing that differs is cut."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from statemachines.report.sections.plain_texts import cut_end, cut_line, without_origin
from statemachines.report.text.text_columns import OutputStyle

MARGIN = "      "
QUOTE_LINES = 2
"""On so many lines stands a line of a log: the log has the rest of it."""
_NARROWEST_TEXT = 24
_LEAST_TEXT = 44
"""Letters of a line that stand beside its place."""


def hanging_lines(text: str, margin: str, style: OutputStyle) -> Iterator[str]:
    """Show a text whole.

    Args:
        text: a sentence.
        margin: what stands before its first line; below it are as many blanks.
        style: width of the screen.

    Yields:
        Lines to print.
    """
    room = max(style.width - len(margin), _NARROWEST_TEXT)
    lines = wrap(text, room, break_on_hyphens=False)
    yield from ((" " * len(margin) if i else margin) + line for i, line in enumerate(lines))


def quoted_lines(
    text: str, where: str, style: OutputStyle, most: int = QUOTE_LINES
) -> Iterator[str]:
    """Show a line of a log with its place on few lines. What is the same in other lines is left out
    first: its logger and the packages of classes, then who wrote it.

    Args:
        text: without control characters.
        where: `file:line`, which is never cut; on a line of its own where it leaves too little.
        style: width of the screen, and how places look.
        most: so many lines at most.

    Yields:
        Lines to print.
    """
    room = max(style.width - len(MARGIN), _NARROWEST_TEXT)
    beside = room - len(where) - 3 if where else room
    last = beside if beside >= _LEAST_TEXT else room
    text = text if len(text) <= beside else without_origin(text)
    text = cut_line(text, (most - 1) * room + last)
    lines = wrap(text, room, break_on_hyphens=False)
    if len(lines) > most or (len(lines) == most and len(lines[-1]) > last):
        lines = [*lines[: most - 1], cut_end(" ".join(lines[most - 1 :]), last)]
    if where and lines and len(lines[-1]) <= beside:
        lines[-1] += f"   {style.paint(where, 'dim')}"
    elif where:
        lines.append(style.paint(where, "dim"))
    yield from (MARGIN + line for line in lines)
