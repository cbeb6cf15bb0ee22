"""What keeps the answer on one screen: what stands below it in full, or a line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from textwrap import wrap

from statemachines.model.counts import count_text
from statemachines.model.evidence.alike_states import alike_states
from statemachines.model.evidence.reports import Report
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.sections.unjudged_counts import unjudged_counts
from statemachines.report.text.text_columns import COLUMN_GAP, Cell, OutputStyle, aligned_rows
from statemachines.report.text.wrapped_lines import MARGIN

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
    """Yield a title with what is said of its section, which may go on in the lines below."""
    text = {STATES: _brief_states, UNJUDGED: unjudged_counts}.get(title, lambda _: "")(report)
    whole = wrap(text or _first_row(title, lines), max(room, _NARROWEST_TEXT)) or [""]
    yield from zip((title, *("" for _ in whole[1:])), whole, strict=True)


def _first_row(title: str, lines: Sequence[str]) -> str:
    """Return the first row of a section, and how many more it has."""
    rows = [line for line in lines if not line.startswith("   ")]
    below = takewhile(lambda line: line.startswith("   "), lines[1:])
    if title == AGAIN:
        below = takewhile(lambda line: not line.startswith(MARGIN), below)
    first = " ".join([rows[0].strip().lstrip("↻· "), *map(str.strip, below)])
    return f"{first}; {len(rows) - 1:,} more" if len(rows) > 1 else first


def _brief_states(report: Report) -> str:
    """Count what everything is in, but for what may have left it since."""
    states = Counter[str]()
    for _, now, count in alike_states(report.now):
        if not now.doubt:
            states[" or ".join(now.state)] += count
    shown = [f"{number:,} {state}" for state, number in states.most_common(_MOST_STATES)]
    rest = sum(states.values()) - sum(number for _, number in states.most_common(_MOST_STATES))
    return ", ".join([*shown, count_text(rest, "other")] if rest else shown)
