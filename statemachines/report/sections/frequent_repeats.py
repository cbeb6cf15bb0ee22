"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import InstanceKey, Repetition, Report
from statemachines.report.sections.display_names import ReportClock, instance_name

_LEAST_EPISODES = 3
"""Episodes of one subject that are worth a line of their own."""
_LEAST_LINES = 2
"""The same of what a line is counted for.

What it says once explains an episode, which then names its line, or is nothing of its own.
"""
MOST_REASONS = 3


def frequent_repeats(report: Report) -> dict[tuple[str, str], list[Repetition]]:
    """Return what happened often enough, by machine and kind, most frequent first."""
    by_kind: dict[tuple[str, str], list[Repetition]] = defaultdict(list)
    for row in report.repeated:
        if row.count >= (_LEAST_EPISODES if row.longest_ms is not None else _LEAST_LINES):
            by_kind[row.machine, row.kind].append(row)
    return by_kind


def frequency_text(row: Repetition, clock: ReportClock) -> str:
    """Say when, and how far apart on average."""
    first, last = (instant.ms if instant is not None else None for instant in (row.first, row.last))
    if first is None or last is None:
        return ""
    when = (
        f"{clock.moment(row.first)} to {clock.moment(row.last)}"
        if row.count > 1
        else clock.moment(row.first)
    )
    return (
        f"every {format_duration(max(last - first, 0) // (row.count - 1))}, {when}"
        if row.count > 1
        else when
    )


def total_duration_text(row: Repetition) -> str:
    """Say for how long in all, and whether it settled; nothing where nothing lasts."""
    if row.longest_ms is None or row.total_ms is None:
        return ""
    return f"{format_duration(row.total_ms)} in all, " + ("not settled" if row.open else "settled")


def reasons_text(row: Repetition) -> str:
    """Say why, the most frequent reasons first."""
    reasons = "; ".join(f"{times:,} × {reason}" for reason, times in row.reasons[:MOST_REASONS])
    return reasons + (
        f"; and {len(row.reasons) - MOST_REASONS:,} more" if len(row.reasons) > MOST_REASONS else ""
    )


def repeat_names(report: Report) -> dict[tuple[str, str, InstanceKey], str]:
    """Return what people read of episodes that are told again and again, by machine, kind and
    subject: their titles, as of what is over.
    """
    return {
        (episode.machine, episode.kind, episode.subject): episode.was or episode.title
        for episode in report.episodes
    }


def repeat_text(row: Repetition, names: Mapping[tuple[str, str, InstanceKey], str]) -> str:
    """Say what happened how often; of an episode also to whom."""
    return f"{row.count:,} × {names.get((row.machine, row.kind, row.subject), row.kind)}"


def repeat_subject(row: Repetition, names: Mapping[tuple[str, str, InstanceKey], str]) -> str:
    """Say to whom it happened, where what happened does not name it; else nothing."""
    named = (row.machine, row.kind, row.subject) in names
    return "" if named else instance_name(row.machine, row.subject)
