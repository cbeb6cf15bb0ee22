"""What keeps the answer on one screen: what stands below it in full, or a line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from statemachines.model.counts import count_text
from statemachines.model.evidence.reports import Report
from statemachines.report.sections.plain_texts import cut_end, cut_names, printable_text
from statemachines.report.sections.unjudged_counts import unjudged_counts
from statemachines.report.text.text_columns import COLUMN_GAP, Cell, OutputStyle, aligned_rows

SCREEN_LINES = 24
"""Lines of a terminal."""
UNDER_WAY = "Under way, not too long yet"
AGAIN, STATES, UNJUDGED = "Again and again", "States at the end", "Not judged"
_MOST_STATES = 4
_NARROWEST_TEXT = 24
_LINES_OF_ANOTHER, _MOST_MORE = 6, 3
_Sections = Sequence[tuple[str, Sequence[str]]]
"""Titles, and the lines below each."""


def fitted_sections(
    report: Report, sections: _Sections, above: int, style: OutputStyle
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield sections as they are where nothing was ever wrong, where all is asked for, and as far
    as they fit below the answer; of the rest one that has a line for each.

    Args:
        report: what a check found.
        sections: those that are no part of the answer, with their lines, in the order of how much
            they are wanted.
        above: lines of the answer.
        style: width and limit.

    Yields:
        Titles with lines.
    """
    filled = [(title, lines) for title, lines in sections if lines]
    fitting = filled
    if report.incidents and not style.shows_all:
        fitting = list(_first_fitting(filled, _room(report) - above))
    yield from fitting
    rest = filled[len(fitting) :]
    if not rest:
        return
    heads = max(len(title) for title, _ in rest)
    room = style.width - heads - len(COLUMN_GAP) - 2
    rows = [
        [Cell(head), Cell(line)]
        for title, lines in rest
        for head, line in _brief_rows(report, title, lines, room)
    ]
    yield "Besides (--all shows it)", list(aligned_rows(rows, style))
    if report.errors:
        named = (cut_end(printable_text(error), style.width - 2) for error in report.errors)
        yield "Not read", [f"  {line}" for line in named]


def _room(report: Report) -> int:
    """Return the lines of a report: a screen for one incident, and some for each of a few more."""
    more = min(len(report.incidents) - 1, _MOST_MORE)
    return SCREEN_LINES + _LINES_OF_ANOTHER * more


def _first_fitting(filled: _Sections, room: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the first sections that fit, with a line for each of the others."""
    for index, (title, lines) in enumerate(filled):
        rest = len(filled) - index - 1
        room -= len(lines) + 2
        if room < (rest + 2 if rest else 0):
            return
        yield title, lines


def _brief_rows(
    report: Report, title: str, lines: Sequence[str], room: int
) -> Iterator[tuple[str, str]]:
    """Yield a title with its line; what was not judged is said whole."""
    if title != UNJUDGED:
        yield title, _brief(report, title, lines, room)
        return
    whole = wrap(unjudged_counts(report), max(room, _NARROWEST_TEXT)) or [""]
    yield from zip((title, *("" for _ in whole[1:])), whole, strict=True)


def _brief(report: Report, title: str, lines: Sequence[str], room: int) -> str:
    if title == STATES:
        return cut_end(_brief_states(report), room)
    rows = [line for line in lines if not line.startswith("   ")]
    is_split = title != AGAIN and len(lines) > 1 and lines[1].startswith("   ")
    whole = f"{rows[0]}   {lines[1].strip()}" if is_split else rows[0]
    more = f"; {len(rows) - 1:,} more" if len(rows) > 1 else ""
    first = cut_names(whole.strip().lstrip("↻· "), room - len(more))
    return cut_end(first, room - len(more)) + more


def _brief_states(report: Report) -> str:
    """Count what everything is in, but for what may have left it since."""
    states = Counter(" or ".join(now.state) for now in report.now if not now.doubt)
    shown = [f"{number:,} {state}" for state, number in states.most_common(_MOST_STATES)]
    rest = sum(states.values()) - sum(number for _, number in states.most_common(_MOST_STATES))
    return ", ".join([*shown, count_text(rest, "other")] if rest else shown)
