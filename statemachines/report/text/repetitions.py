"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.evidence.reports import Repetition, Report
from statemachines.report.sections.display_names import ReportClock, instance_name, place_name
from statemachines.report.sections.frequent_repeats import (
    frequency_text,
    frequent_repeats,
    reasons_text,
    total_duration_text,
)
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows

FEW_SUBJECTS = 2
"""So many subjects of one kind are shown; of more, the one that it happened to most often."""
LIMIT_OF_ALL = 100
"""A limit that is larger is that of somebody who wants to see all."""


def repeated_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show what happened to one subject again and again: of each kind the subject that it happened
    to most often, or all of `--all`.
    """
    for rows in frequent_repeats(report).values():
        shown = (
            rows
            if len(rows) <= FEW_SUBJECTS or look.limit > max(len(report.repeated), LIMIT_OF_ALL)
            else rows[:1]
        )
        for row in shown:
            yield from aligned_rows([_repeat_cells(row, len(rows) - len(shown), clock)], look)
            if row.reasons:
                yield "      " + cut_end(printable_text(reasons_text(row)), look.width - 6)


def _repeat_cells(row: Repetition, others: int, clock: ReportClock) -> list[Cell]:
    alike = f" (and of {others:,} more)" if others else ""
    return [
        Cell(f"↻ {row.count:,} × {row.kind}"),
        Cell(instance_name(row.machine, row.subject) + alike, shortening=CellShortening.IN_MIDDLE),
        Cell(frequency_text(row, clock)),
        Cell(total_duration_text(row)),
        Cell(place_name(row.place), "dim", CellShortening.LEFT_OUT),
    ]
