"""Which processes came to an orderly end: what is open there is not wrong now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from attrs import frozen

from statemachines.model.reports import Key, Now, OpenOrClosed, Place, Report

Process = tuple[str, ...]
Wrong = dict[tuple[str, Key], OpenOrClosed]
"""Machine and subject with the episode that is open."""


@frozen
class Ended:
    """A process that came to an orderly end."""

    process: Process
    last: Now
    """The state that was reached last."""
    open: tuple[OpenOrClosed, ...]
    """Episodes that lasted until the end, oldest first."""


def ended(report: Report) -> tuple[Ended, ...]:
    """Return the processes of which everything is in a final state, in order.

    In order means: of a machine that had episodes in this report, nothing of the process is in one any more. So threads that ended
    because their program was closed are not wrong, and threads that ended and left the program broken are.

    Args:
        report: what a check found.

    Returns:
        One row a process, in the order of the report's sources.
    """
    process_of = {source.file: source.process for source in report.sources}
    nows: dict[Process, list[Now]] = defaultdict(list)
    for now in report.now:
        if now.place is not None and now.place.file in process_of:
            nows[process_of[now.place.file]].append(now)
    wrong = {(episode.machine, episode.subject): episode for episode in report.episodes if episode.open}
    told = {episode.machine for episode in report.episodes}
    return tuple(
        _ended(process, nows[process], wrong) for process in dict.fromkeys(process_of.values()) if _over(nows[process], wrong, told)
    )


def _over(nows: Sequence[Now], wrong: Wrong, told: set[str]) -> bool:
    if not nows or not all(now.final for now in nows):
        return False
    ill = {now.machine for now in nows if (now.machine, now.subject) in wrong}
    return bool({now.machine for now in nows} & told - ill)


def _ended(process: Process, nows: Sequence[Now], wrong: Wrong) -> Ended:
    last = max(nows, key=lambda now: (now.since.ms or 0) if now.since else 0)
    episodes = [wrong[now.machine, now.subject] for now in nows if (now.machine, now.subject) in wrong]
    return Ended(process, last, tuple(sorted(episodes, key=lambda episode: (episode.since.ms or 0) if episode.since else 0)))


def open_now(report: Report) -> tuple[OpenOrClosed, ...]:
    """Return the episodes that are open in processes that did not end in order."""
    over = {id(episode) for process in ended(report) for episode in process.open}
    return tuple(episode for episode in report.episodes if episode.open and id(episode) not in over)


def places_over(report: Report) -> set[str]:
    """Return the files of processes that ended in order."""
    over = {process.process for process in ended(report)}
    return {source.file for source in report.sources if source.process in over}


def is_over(place: Place | None, files: set[str]) -> bool:
    """Tell whether a place is in one of these files."""
    return place is not None and place.file in files
