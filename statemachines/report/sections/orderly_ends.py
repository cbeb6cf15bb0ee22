"""Which processes came to an orderly end: what is open there is not wrong now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from statemachines.model.evidence.alike_states import alike_states
from statemachines.model.evidence.instance_names import whole_finder
from statemachines.model.evidence.reports import CurrentState, Episode, InstanceKey, Report
from statemachines.model.values import frozen


@frozen
class EndedProcess:
    """A process that came to an orderly end."""

    process: str
    last_state: CurrentState
    """The final state of its program."""
    open_episodes: tuple[Episode, ...]
    """Episodes that the end brought with it, oldest first."""


def ended_processes(report: Report) -> tuple[EndedProcess, ...]:
    """Return the processes whose programs were closed in order, by name.

    A program is one, its threads are many: one in a final state and in no episode tells how the
    whole ended. Parts are told by their names, which begin with the program's, or by the process,
    where it is the only program.

    Args:
        report: what a check found.

    Returns:
        Processes, with what was first wrong before.
    """
    ill = {
        (episode.machine, episode.subject, episode.process)
        for episode in report.episodes
        if episode.open
    }
    programs = [row for _, row, _ in alike_states(report.now) if row.program]
    ends = [
        row for row in programs if row.final and (row.machine, row.subject, row.process) not in ill
    ]
    parts = _episodes_by_program(report, programs)
    return tuple(
        EndedProcess(row.process, row, tuple(parts[row.process, row.subject]))
        for row in sorted(ends, key=lambda row: row.process)
    )


def _episodes_by_program(
    report: Report, programs: Sequence[CurrentState]
) -> dict[tuple[str, InstanceKey], list[Episode]]:
    """Return the orderly episodes of each program's parts, oldest first."""
    by_process: dict[str, list[InstanceKey]] = defaultdict(list)
    for row in programs:
        by_process[row.process].append(row.subject)
    whole = {process: whole_finder(keys) for process, keys in by_process.items()}
    episodes: dict[tuple[str, InstanceKey], list[Episode]] = defaultdict(list)
    for episode in sorted(
        report.episodes, key=lambda episode: (episode.since.ms or 0) if episode.since else 0
    ):
        program = (
            whole[episode.process](episode.subject)
            if episode.orderly and episode.open and episode.process in whole
            else None
        )
        if program is not None:
            episodes[episode.process, program].append(episode)
    return episodes


def open_episodes(report: Report) -> tuple[Episode, ...]:
    """Return the episodes that are open and that no orderly end explains.

    Args:
        report: what a check found.

    Returns:
        Episodes in the report's order.
    """
    return tuple(episode for episode in report.episodes if episode.open and not episode.orderly)


def ended_process_names(report: Report) -> set[str]:
    """Return the processes that ended in order.

    Args:
        report: what a check found.

    Returns:
        Names.
    """
    return {row.process for row in ended_processes(report)}
