"""A registry object as the spec has it: calls and contents, for tests that are about one scenario."""

from __future__ import annotations

from functools import cache
from typing import Any

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshot
from statemachines.semantics.machine.step import step
from tests.shipped import shipped_machine

NAME = "kafka/AssignedTasks"
RELEASES = [
    "1.0.0",
    "1.0.1",
    "1.0.2",
    "1.1.1",
    "2.0.1",
    "2.1.1",
    "2.2.1",
    "2.2.2",
    "2.3.1",
    "2.4.1",
    "2.5.1",
]
"""One of each group of releases whose classes are equal, oldest first; 2.2.2 and 2.3.1 stand for their lines."""
PARTITIONS = {"in-1": "t1", "changelog-1": "t1", "in-2": "t2", "changelog-2": "t2", "in-3": "t3"}
"""Three tasks; the third has no store."""


@cache
def machine(release: str) -> MachineDefinition:
    """Return the registries' machine in a release."""
    return shipped_machine(NAME, release)


def fixed(release: str, kind: str = "stream") -> dict[str, Any]:
    """Return the parameters of a registry of three tasks."""
    inputs = {name for name in PARTITIONS if name.startswith("in")}
    given: dict[str, Any] = {
        "kind": kind,
        "tasks": {"t1", "t2", "t3"},
        "taskOf": PARTITIONS,
        "inputs": inputs,
        "changelogs": {*PARTITIONS} - inputs,
        "anyCaller": True,
    }
    return {**given, "hasStateStores": {"t1", "t2"}} if release.startswith("1.0.") else given


def told(answer: Answer, name: str) -> Any:
    """Return one of the named results of a call."""
    assert isinstance(answer.returned, dict)
    return answer.returned[name]


class Registries:
    """An AssignedStreamsTasks or AssignedStandbyTasks object."""

    def __init__(self, release: str, kind: str = "stream") -> None:
        self.release, self.machine = release, machine(release)
        self.now: Snapshot = initial_snapshot(self.machine, **fixed(release, kind))
        self.history: list[tuple[Snapshot, str, Snapshot]] = []

    def call(self, method: str, **answers: Any) -> Answer:
        """Call a method; `answers` are its arguments and what the tasks answer."""
        answer = step(self.machine, self.now, method, **answers)
        self.history.append((self.now, method, answer.after))
        self.now = answer.after
        return answer

    def __getitem__(self, name: str) -> Any:
        found = self.now.variables[name]
        return set(found) if isinstance(found, frozenset) else found

    def given(self, state: str, *tasks: str) -> Registries:
        """Bring tasks to a state by the calls that do so."""
        for task in tasks:
            self.call("addNewTask", task=task)
        made = set(self["created"])
        if state != "created":
            self.initialize(
                {
                    task: ("needsRestore" if state == "restoring" else "ready")
                    if task in tasks
                    else "locked"
                    for task in made
                }
            )
        if state == "suspended":
            self.suspend(*tasks)
        return self

    def initialize(self, init: dict[str, str], reached: set[str] | None = None) -> Answer:
        """Call initializeNewTasks with what each created task answers."""
        return self.call(
            "initializeNewTasks", init=init, reached=set(init) if reached is None else reached
        )

    def suspend(self, *tasks: str, **outcome: str) -> Answer:
        """Revoke the named tasks (up to 2.3.1: all); all others answer `ok`."""
        answers = {task: outcome.get(task, "ok") for task in self["running"]}
        if self.release < "2.4":
            return self.call("suspend", outcome=answers, closeThrows=set())
        return self.call(
            "suspendOrCloseTasks",
            revokedTasks={*tasks, *outcome},
            outcome=answers,
            closeThrows=set(),
            opened=set(),
        )

    def resume(
        self, task: str, answer: str = "ok", *, partitions: set[str] | None = None
    ) -> Answer:
        """Call maybeResumeSuspendedTask, with the task's own partitions unless others are given."""
        own = {
            name for name, owner in PARTITIONS.items() if owner == task and name.startswith("in")
        }
        more = {} if self.release < "2.4" else {"closeThrows": False}
        return self.call(
            "maybeResumeSuspendedTask",
            taskId=task,
            partitions=own if partitions is None else partitions,
            resume=answer,
            **more,
        )

    def commit(self, method: str = "commit", **outcome: str) -> Answer:
        """Commit the named tasks with what they answer; a loop that an exception ends has come to the first of those only."""
        eager = self.release >= "2.0"
        stops = {
            task
            for task, answer in outcome.items()
            if answer.startswith("migrated") and (eager or answer == "migratedZombieCloseThrew")
        }
        reached = {min(stops)} if stops and not self.release.startswith("1.0") else set(outcome)
        more: dict[str, Any] = {
            "migratedFirst": "migrated" in outcome.values()
            or (self.release.startswith("1.0.") and "migratedZombieCloseThrew" in outcome.values())
        }
        if eager:
            more = {}
        if self.release >= "2.1" or method != "commit":
            more["commitNeeded"] = set(outcome)
        if method == "maybeCommitPerUserRequested":
            more["commitRequested"] = set(outcome)
        return self.call(method, outcome=outcome, reached=reached, **more)

    def work(self, method: str, **outcome: str) -> Answer:
        """Call process or punctuate."""
        stops = {
            task for task, answer in outcome.items() if answer.startswith(("migrated", "threw"))
        }
        answers = {task: outcome.get(task, "idle") for task in self["running"]}
        return self.call(method, outcome=answers, reached=stops or set(answers))
