"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.evidence.reports import Repetition, Report
from statemachines.report.sections.display_names import ReportClock, place_name
from statemachines.report.sections.frequent_repeats import (
    RepeatSentences,
    frequency_text,
    frequent_repeats,
    reasons_text,
    total_duration_text,
)
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.text.text_columns import OutputStyle
from statemachines.report.text.wrapped_lines import hanging_lines, quoted_lines

FEW_SUBJECTS = 2
"""So many subjects of one kind are shown; of more, the one that it happened to most often."""
_REASON_LINES = 3
"""On so many lines stands when and why."""
_MOST_ROWS = 3
"""So many rows are shown where something is or was wrong, and what that is stands above them."""


def repeated_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what happened to one subject again and again: of each kind the subject that it happened
    to most often, or all of `--all`; beside incidents no more than a few of them.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    sentences = RepeatSentences(report)
    rows = [row for same in frequent_repeats(report).values() for row in _shown_rows(same, style)]
    most = _MOST_ROWS if report.incidents and not style.shows_all else len(rows)
    for row, others in rows[:most]:
        yield from _repeat_lines(row, others, sentences, clock, style)
    if len(rows) > most:
        yield f"  ↻ … and {len(rows) - most:,} more (--all lists them)"


def _shown_rows(same: list[Repetition], style: OutputStyle) -> Iterator[tuple[Repetition, int]]:
    """Yield rows of one kind, and how many each stands for besides."""
    shown = same if len(same) <= FEW_SUBJECTS or style.shows_all else same[:1]
    yield from ((row, len(same) - len(shown)) for row in shown)


def _repeat_lines(
    row: Repetition, others: int, sentences: RepeatSentences, clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    """Say on one line what happened how often, and below it when and why."""
    times = f", {row.count:,} times" + (f", and {others:,} more like it" if others else "")
    yield from hanging_lines(f"{printable_text(sentences.sentence(row))}{times}", "  ↻ ", style)
    details = (frequency_text(row, clock), total_duration_text(row), reasons_text(row))
    yield from quoted_lines(
        printable_text("; ".join(filter(None, details))),
        place_name(row.place),
        style,
        _REASON_LINES,
    )
