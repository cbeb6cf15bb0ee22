"""What else a process shows beside something that is wrong: often the reason why it stays so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from statemachines.model.belonging import belonging
from statemachines.model.reports import Key, Now, OpenOrClosed, Report

Subject = tuple[str, Key, str]
"""Machine, subject and process."""
Others = dict[str, list[Now]]
"""By machine, what is not in a final state."""


def beside(report: Report, wrong: Sequence[OpenOrClosed]) -> dict[Subject, Others]:
    """Return, for what is wrong, the states of what belongs to it in its process.

    A program is one, its threads are many: where the program is not well, the threads say which of them holds it back. What belongs to
    one of several programs of a process is told by its name, which begins with the program's.

    Args:
        report: what a check found.
        wrong: episodes; those of subjects that have nothing beside them are left out of the answer.

    Complexity: linear in what is true now, for each machine that something is wrong with.
    """
    by_process: dict[str, dict[str, list[Now]]] = defaultdict(lambda: defaultdict(list))
    for now in report.now:
        by_process[now.process][now.machine].append(now)
    found: dict[Subject, Others] = {}
    for process, machine in dict.fromkeys((episode.process, episode.machine) for episode in wrong):
        for subject, others in _around(machine, by_process[process]).items():
            found[machine, subject, process] = others
    return found


def _around(machine: str, machines: dict[str, list[Now]]) -> dict[Key, Others]:
    """Give what other machines of a process tell to the subjects of one of them."""
    whole = belonging(now.subject for now in machines.get(machine, ()))
    found: dict[Key, Others] = defaultdict(dict)
    for other, rows in machines.items():
        for now in rows if other != machine else ():
            mine = None if now.final else whole(now.subject)
            if mine is not None:
                found[mine].setdefault(other, []).append(now)
    return found
