"""What else a process shows beside something that is wrong: often the reason why it stays so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from statemachines.model.evidence.instance_names import whole_finder
from statemachines.model.evidence.reports import CurrentState, InstanceKey, Report


class Troubled(Protocol):
    """What is wrong with a subject: an episode, or an incident."""

    @property
    def machine(self) -> str:
        """The machine that it is of."""

    @property
    def subject(self) -> InstanceKey:
        """What it befell."""

    @property
    def process(self) -> str:
        """Where it began."""


SubjectInProcess = tuple[str, InstanceKey, str]
"""Machine, subject and process."""
StatesByMachine = dict[str, list[CurrentState]]
"""By machine, what is not in a final state."""


def related_states(
    report: Report, wrong: Sequence[Troubled]
) -> dict[SubjectInProcess, StatesByMachine]:
    """Return, for what is wrong, the states of what belongs to it in its process.

    A program is one, its threads are many: where the program is not well, the threads say which of
    them holds it back. What belongs to one of several programs of a process is told by its name,
    which begins with the program's.

    Args:
        report: what a check found.
        wrong: episodes or incidents; those of subjects that have nothing beside them are left out
            of the answer.

    Complexity: linear in what is true now, for each machine that something is wrong with.

    Returns:
        States by machine, for the subject of each.
    """
    by_process: dict[str, dict[str, list[CurrentState]]] = defaultdict(lambda: defaultdict(list))
    concerned = {(troubled.process, troubled.machine) for troubled in wrong}
    processes = {process for process, _ in concerned}
    for now in report.now if wrong else ():
        is_whole = (now.process, now.machine) in concerned
        if now.process in processes and (is_whole or not now.final):
            by_process[now.process][now.machine].append(now)
    states: dict[SubjectInProcess, StatesByMachine] = {}
    for process, machine in dict.fromkeys(
        (troubled.process, troubled.machine) for troubled in wrong
    ):
        for subject, others in _related_to_machine(machine, by_process[process]).items():
            states[machine, subject, process] = others
    return states


def _related_to_machine(
    machine: str, machines: dict[str, list[CurrentState]]
) -> dict[InstanceKey, StatesByMachine]:
    """Give what other machines of a process tell to the subjects of one of them."""
    whole = whole_finder(now.subject for now in machines.get(machine, ()))
    related: dict[InstanceKey, StatesByMachine] = defaultdict(dict)
    for other, rows in machines.items():
        for now in rows if other != machine else ():
            mine = None if now.final else whole(now.subject)
            if mine is not None:
                related[mine].setdefault(other, []).append(now)
    return {subject: _nearest_first(states) for subject, states in related.items()}


def _nearest_first(states: StatesByMachine) -> StatesByMachine:
    """Order machines as names do that begin with one another: a part before the parts of it."""
    return dict(sorted(states.items(), key=lambda item: min(map(_name_length, item[1]))))


def _name_length(now: CurrentState) -> int:
    return sum(len(str(value)) for _, value in now.subject)
