"""What keeps the answer on one screen: what stands below it in full, or a line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from statemachines.model.evidence.reports import Report
from statemachines.report.sections.plain_texts import count_text, cut_end, cut_names, printable_text
from statemachines.report.text.text_columns import COLUMN_GAP, Cell, OutputStyle, aligned_rows
from statemachines.report.text.unjudged import rows_about_lines

SCREEN_LINES = 24
"""Lines of a terminal."""
UNDER_WAY = "Under way, not too long yet"
AGAIN, STATES, UNJUDGED = "Again and again", "States at the end", "Not judged"
_MOST_STATES = 4
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
    rows = [[Cell(title), Cell(_brief(report, title, lines, room))] for title, lines in rest]
    yield "Besides (--all shows it)", list(aligned_rows(rows, style))
    if report.errors:
        named = (cut_end(printable_text(error), style.width - 2) for error in report.errors)
        yield "Not read", [f"  {one}" for one in named]


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


def _brief(report: Report, title: str, lines: Sequence[str], room: int) -> str:
    brief = _BRIEFS.get(title)
    if brief is not None:
        return cut_end(brief(report), room)
    rows = [line for line in lines if not line.startswith("   ")]
    more = f"; {len(rows) - 1:,} more" if len(rows) > 1 else ""
    first = cut_names(rows[0].strip().lstrip("↻· "), room - len(more))
    return cut_end(first, room - len(more)) + more


def _brief_states(report: Report) -> str:
    """Count what everything is in, but for what may have left it since."""
    states = Counter(" or ".join(now.state) for now in report.now if not now.doubt)
    shown = [f"{number:,} {state}" for state, number in states.most_common(_MOST_STATES)]
    rest = sum(states.values()) - sum(number for _, number in states.most_common(_MOST_STATES))
    return ", ".join([*shown, count_text(rest, "other")] if rest else shown)


def _brief_unjudged(report: Report) -> str:
    """Count what the verdict does not cover."""
    unjudged = sum(row.count for row in rows_about_lines(report))
    troubled = sum(bool(source.problems) for source in report.sources)
    unseen = [row for row in report.rules if row.verdict is None]
    counts = (
        (report.checked.hidden_steps, "step is hidden", "steps are hidden"),
        (report.checked.missing_steps, "step is missing", "steps are missing"),
        (report.checked.unread_lines, "line is not read", "lines are not read"),
        (unjudged, "line is not judged", "lines are not judged"),
        (troubled, "file has a flaw", "files have flaws"),
        (len(unseen), "rule was never decided", "rules were never decided"),
    )
    return ", ".join(count_text(number, one, many) for number, one, many in counts if number)


_BRIEFS: Mapping[str, Callable[[Report], str]] = {STATES: _brief_states, UNJUDGED: _brief_unjudged}
