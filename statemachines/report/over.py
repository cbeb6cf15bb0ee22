"""Which processes came to an orderly end: what is open there is not wrong now."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.model.reports import Now, OpenOrClosed, Report


@frozen
class Ended:
    """A process that came to an orderly end."""

    process: str
    last: Now
    """The final state of its program."""
    open: tuple[OpenOrClosed, ...]
    """Episodes that the end brought with it, oldest first."""


def ended(report: Report) -> tuple[Ended, ...]:
    """Return the processes that were closed in order, by name.

    A program is one, its threads are many: a machine that had episodes in this report, and stands in a final state without one, tells
    how the whole ended. Parts are told by their names, which begin with the program's, or by the process, where it is the only program.

    Args:
        report: what a check found.
    """
    told = {episode.machine for episode in report.episodes}
    ill = {(episode.machine, episode.subject, episode.process) for episode in report.episodes if episode.open}
    ends = [row for row in report.now if row.final and row.machine in told and (row.machine, row.subject, row.process) not in ill]
    wholes = [row for row in ends if _has_parts(row, report.now) and not _is_part(row, ends)]
    return tuple(Ended(row.process, row, _open(report, row)) for row in sorted(wholes, key=lambda row: row.process))


def _has_parts(row: Now, nows: Sequence[Now]) -> bool:
    """Tell whether another machine tells of anything in the process: what has no parts is no program, but one thing of many."""
    return any(other.process == row.process and other.machine != row.machine for other in nows)


def _is_part(row: Now, ends: Sequence[Now]) -> bool:
    """Tell whether another machine's subject there is the program that this one is part of: its name begins with that one's."""
    return any(other.machine != row.machine and other.process == row.process and _name(row).startswith(_name(other)) for other in ends)


def _name(row: Now | OpenOrClosed) -> str:
    return " ".join(str(value) for _, value in row.subject)


def _open(report: Report, whole: Now) -> tuple[OpenOrClosed, ...]:
    alone = sum(row.process == whole.process and row.machine == whole.machine for row in report.now) == 1
    mine = (e for e in report.episodes if e.process == whole.process and e.open and e.orderly)
    rows = [episode for episode in mine if alone or _name(episode).startswith(_name(whole))]
    return tuple(sorted(rows, key=lambda episode: (episode.since.ms or 0) if episode.since else 0))


def open_now(report: Report) -> tuple[OpenOrClosed, ...]:
    """Return the episodes that are open and that no orderly end explains."""
    return tuple(episode for episode in report.episodes if episode.open and not episode.orderly)


def processes_over(report: Report) -> set[str]:
    """Return the processes that ended in order."""
    return {row.process for row in ended(report)}
