"""How much a verdict does not cover, in a line."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.counts import count_text
from statemachines.model.evidence.reports import Report, UnjudgedSummary

UNREAD_PREFIX = "read by no line: logger "
"""How the reason of a row begins that counts the lines of a logger which nothing reads."""

_MOST_NAMED = 2
"""Flawed files that are named; `--all` has each with its flaw."""


def rows_about_lines(report: Report) -> list[UnjudgedSummary]:
    """Return what counts lines that the catalogue read and nothing could be said of.

    Args:
        report: what a check found.

    Returns:
        Rows in the report's order.
    """
    rows = (row for row in report.unjudged if row.about_lines)
    return [row for row in rows if not row.why.startswith(UNREAD_PREFIX)]


def unjudged_counts(report: Report) -> str:
    """Count what a verdict does not cover.

    Args:
        report: what a check found.

    Returns:
        A clause; empty where it covers all.
    """
    counts = (
        (report.checked.hidden_steps, "hidden step"),
        (report.checked.missing_steps, "missing step"),
        (report.checked.unread_lines, "unread line"),
        (sum(row.count for row in rows_about_lines(report)), "unjudged line"),
    )
    clauses = [count_text(number, singular) for number, singular in counts if number]
    clauses += _flawed_files(report)
    if rules := sum(row.verdict is None for row in report.rules):
        clauses.append(count_text(rules, "unjudged rule"))
    return ", ".join(clauses)


def _flawed_files(report: Report) -> Iterator[str]:
    """Yield how many files have a flaw, where any has: a few by name."""
    files = [source.file for source in report.sources if source.problems]
    if files:
        more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
        named = f"({', '.join(files[:_MOST_NAMED])}{more})"
        yield f"{count_text(len(files), 'flawed file')} {named}"
