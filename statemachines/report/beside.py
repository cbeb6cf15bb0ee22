"""What else a process shows beside something that is wrong: often the reason why it stays so."""

from __future__ import annotations

from collections import defaultdict

from statemachines.model.reports import Key, Now, Report

Subject = tuple[str, Key]
"""Machine and subject."""


def beside(report: Report) -> dict[Subject, dict[str, list[Now]]]:
    """Return, for each subject that is the only one of its machine in its process, the states of the others there.

    A program is one, its threads are many: where the program is not well, the threads say which of them holds it back.

    Args:
        report: what a check found.

    Returns:
        By machine and subject: for each other machine of the process, what is not in a final state.
    """
    by_process: dict[str, dict[str, list[Now]]] = defaultdict(lambda: defaultdict(list))
    for now in report.now:
        by_process[now.process][now.machine].append(now)
    found: dict[Subject, dict[str, list[Now]]] = {}
    for machines in by_process.values():
        for machine, nows in machines.items():
            if len(nows) == 1:
                others = {other: [now for now in rows if not now.final] for other, rows in machines.items() if other != machine}
                found[machine, nows[0].subject] = {other: rows for other, rows in others.items() if rows}
    return found
