"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.model.evidence.reports import InstanceKey, Repetition, Report
from statemachines.report.sections.display_names import ReportClock, place_name
from statemachines.report.sections.frequent_repeats import (
    frequency_text,
    frequent_repeats,
    reasons_text,
    repeat_names,
    repeat_subject,
    repeat_text,
    total_duration_text,
)
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows

FEW_SUBJECTS = 2
"""So many subjects of one kind are shown; of more, the one that it happened to most often."""
_LIMIT_OF_ALL = 100
"""A limit that is larger is that of somebody who wants to see all."""


def repeated_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what happened to one subject again and again: of each kind the subject that it happened
    to most often, or all of `--all`.
    """
    names = repeat_names(report)
    for rows in frequent_repeats(report).values():
        shown = (
            rows
            if len(rows) <= FEW_SUBJECTS or style.limit > max(len(report.repeated), _LIMIT_OF_ALL)
            else rows[:1]
        )
        for row in shown:
            yield from aligned_rows(
                [_repeat_cells(row, len(rows) - len(shown), names, clock)], style
            )
            if row.reasons:
                yield "      " + cut_end(printable_text(reasons_text(row)), style.width - 6)


def _repeat_cells(
    row: Repetition,
    others: int,
    names: Mapping[tuple[str, str, InstanceKey], str],
    clock: ReportClock,
) -> list[Cell]:
    alike = f" (and of {others:,} more)" if others else ""
    whose = repeat_subject(row, names)
    subject = [Cell(whose + alike, shortening=CellShortening.IN_MIDDLE)] if whose else []
    what = f"↻ {repeat_text(row, names)}{'' if whose else alike}"
    return [
        Cell(what, shortening=CellShortening.NEVER if whose else CellShortening.IN_NAMES),
        *subject,
        Cell(frequency_text(row, clock)),
        Cell(total_duration_text(row)),
        Cell(place_name(row.place), "dim", CellShortening.LEFT_OUT),
    ]
