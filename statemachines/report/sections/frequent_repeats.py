"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import InstanceKey, Instant, Repetition, Report
from statemachines.model.values import frozen
from statemachines.report.sections.display_names import ReportClock
from statemachines.report.sections.incident_story import is_ordinary, ordinary_incidents
from statemachines.report.sections.subject_names import SubjectNames

_LEAST_EPISODES = 3
"""Episodes of one subject that are worth a line of their own."""
_LEAST_LINES = 2
"""The same of what a line is counted for.

What it says once explains an episode, which then names its line, or is nothing of its own.
"""
MOST_REASONS = 3
_WORD_GAP = re.compile(r"(\W+)")


def frequent_repeats(report: Report) -> dict[tuple[str, str], list[Repetition]]:
    """Return what happened often enough, by machine and kind, most frequent first; not what rows of
    incidents tell as often, since the same moment.

    Args:
        report: what a check found.

    Returns:
        Rows by machine and kind.
    """
    by_kind: dict[tuple[str, str], list[Repetition]] = defaultdict(list)
    counted = set(_counted_incidents(report))
    for row in report.repeated:
        least = _LEAST_EPISODES if row.longest_ms is not None else _LEAST_LINES
        if row.count >= least and (row.machine, row.subject, row.first, row.count) not in counted:
            by_kind[row.machine, row.kind].append(row)
    return by_kind


def _counted_incidents(
    report: Report,
) -> Iterator[tuple[str, InstanceKey, Instant | None, int]]:
    """Yield what incidents tell of a subject as one row: since when, and how often."""
    rows: dict[tuple[str, str, InstanceKey], list[Incident]] = defaultdict(list)
    ordinary = (ordinary_incidents(report, is_open=is_open) for is_open in (True, False))
    troubles = (incident for incident in report.incidents if not is_ordinary(incident))
    for incident in chain(troubles, *ordinary):
        rows[incident.kind, incident.machine, incident.subject].append(incident)
    for (_, machine, subject), same in rows.items():
        yield machine, subject, same[0].since, sum(incident.count for incident in same)


def frequency_text(row: Repetition, clock: ReportClock) -> str:
    """Say when, and how far apart on average.

    Args:
        row: of the report.
        clock: of the report, which writes its moments.

    Returns:
        One clause.
    """
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
    """Say for how long in all, and whether it settled; nothing where nothing lasts.

    Args:
        row: of the report.

    Returns:
        One clause.
    """
    if row.longest_ms is None or row.total_ms is None:
        return ""
    return f"{format_duration(row.total_ms)} in all, " + ("not settled" if row.open else "settled")


def reasons_text(row: Repetition) -> str:
    """Say why, the most frequent reasons first.

    Args:
        row: of the report.

    Returns:
        One clause, or nothing.
    """
    reasons = "; ".join(f"{times:,} × {reason}" for reason, times in row.reasons[:MOST_REASONS])
    return reasons + (
        f"; and {len(row.reasons) - MOST_REASONS:,} more" if len(row.reasons) > MOST_REASONS else ""
    )


def _joined_title(titles: Sequence[str]) -> str:
    """Return a title for all: where they differ in one word, with each of these words; else the
    last one.

    >>> _joined_title(["till 3 was CLOSED", "till 3 was STUCK"])
    'till 3 was CLOSED or STUCK'
    """
    words = [_WORD_GAP.split(title) for title in titles]
    if len({len(row) for row in words}) > 1:
        return titles[-1]
    columns = [list(dict.fromkeys(column)) for column in zip(*words, strict=True)]
    if sum(len(column) > 1 for column in columns) > 1:
        return titles[-1]
    return "".join(" or ".join(column) for column in columns)


@frozen(slots=False)
class RepeatSentences:
    """Says what was told again and again of whom, in the words of the system."""

    report: Report

    @cached_property
    def _titles(self) -> Mapping[tuple[str, str, InstanceKey], str]:
        """What people read of episodes, as of what is over; of several that differ, of all."""
        titles: dict[tuple[str, str, InstanceKey], dict[str, None]] = defaultdict(dict)
        for episode in self.report.episodes:
            titles[episode.machine, episode.kind, episode.subject][episode.was or episode.title] = (
                None
            )
        return {key: _joined_title(list(same)) for key, same in titles.items()}

    @cached_property
    def _names(self) -> SubjectNames:
        return SubjectNames(self.report)

    def sentence(self, row: Repetition) -> str:
        """Say what happened to whom; a mark is what its subject did.

        Args:
            row: of the report.

        Returns:
            One sentence.
        """
        title = self._titles.get((row.machine, row.kind, row.subject))
        return title or f"{self.subject(row)} {row.kind}"

    def subject(self, row: Repetition) -> str:
        """Name what it happened to.

        Args:
            row: of the report.

        Returns:
            A name.
        """
        return self._names.name(row.machine, row.subject, row.process)
