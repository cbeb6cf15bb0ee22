"""What a reader must know of the logs themselves before believing what is said of the system."""

from __future__ import annotations

from statemachines.model.evidence.alike_states import alike_states
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.sources import ENDS_EARLY, KEPT_APART

MOST_NAMED = 3
"""So many processes are named; more are counted."""


def log_notes(report: Report) -> tuple[str, ...]:
    """Say what is odd about the logs: several systems in one check, and logs that end too soon.

    Args:
        report: what a check found.

    Returns:
        Clauses, none where nothing is odd.
    """
    return tuple(filter(None, (_several_folders_text(report), early_ends_text(report))))


def early_ends_text(report: Report) -> str:
    """Name the processes whose logs stop long before those of the others, and say no end.

    Args:
        report: what a check found.

    Returns:
        A clause; nothing where there is none.
    """
    early = {
        row.process: row.doubt.removesuffix(ENDS_EARLY).rpartition("ends ")[2].strip()
        for _, row, _ in alike_states(report.now)
        if row.doubt.endswith(ENDS_EARLY)
    }
    named = [f"{process} (by {earlier})" for process, earlier in early.items()]
    more = f" and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
    return f"logs that end {ENDS_EARLY}: {', '.join(named[:MOST_NAMED])}{more}" if named else ""


def _several_folders_text(report: Report) -> str:
    """Say that processes are told of in several folders, which may be those of several systems;
    nothing where every process has one.
    """
    mixed = {
        process: None
        for source in report.sources
        if any(problem.endswith(KEPT_APART) for problem in source.problems)
        for process in source.process
    }
    if not mixed:
        return ""
    first, more = next(iter(mixed)), len(mixed) - 1
    who = f"{first} and {more:,} more are" if more else f"{first} is"
    return f"{who} told of in several folders: {KEPT_APART}"
