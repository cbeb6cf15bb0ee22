"""Recorded calls of task managers as events: what was asked, and what others answered, told by the calls inside and by what was there afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshot
from statemachines.semantics.machine.step import step
from tests.corpus.registries import Call, Entry

Arguments = dict[str, Any]
Derived = Callable[[Call, Snapshot, MachineDefinition], Arguments]
OLD = (
    "assignedActiveTasks",
    "assignedStandbyTasks",
    "addedActiveTasks",
    "addedStandbyTasks",
    "revokedActiveTasks",
    "revokedStandbyTasks",
)
PLACES = {
    "active": ("active", ("registry", "failed")),
    "standby": ("standby", ("registry", "failed")),
    "updaterActive": ("active", ("updater",)),
    "updaterStandby": ("standby", ("updater",)),
}


def managers_of(entries: Iterable[Entry]) -> dict[tuple[str, int], list[Call]]:
    """Return the outermost calls of each manager of a capture, with the calls that the same thread made inside them."""
    open_calls: dict[tuple[str, str], list[Entry]] = {}
    found: dict[tuple[str, int], list[Call]] = {}
    for entry in entries:
        stack = open_calls.setdefault((entry["process"], entry["thread"]), [])
        if entry["kind"] == "manager" and not entry.get("depth"):
            inner = tuple(each for each in stack if each["seq"] > entry["seq"])
            found.setdefault((entry["process"], entry["object"]), []).append(Call(entry, inner))
            stack.clear()
        else:
            stack.append(entry)
    return found


def replay(
    machine: MachineDefinition, calls: list[Call], parameters: Mapping[str, Any]
) -> Iterator[tuple[Call, Answer]]:
    """Step through a manager's calls, each from the snapshot that the spec came to."""
    now = initial_snapshot(machine, **parameters)
    for call in calls:
        for event, arguments in _unlisted(call, now):
            now = step(machine, now, event, **arguments).after
        answer = step(machine, now, call.method, **arguments_of(call, now, machine))
        yield call, answer
        now = answer.after


def arguments_of(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    """Return the arguments of the event that a call is."""
    arguments = _DERIVED[call.method](call, before, machine)
    signature = next(event.signature for event in machine.events if event.name == call.method)
    taken = [one.name for one in signature.arguments] if signature else []
    return {name: value for name, value in arguments.items() if name in taken}


def contents(after: Snapshot, *, updater: bool) -> dict[str, Any]:
    """Return what a manager holds in the words of the truth."""
    variables = after.variables
    held: dict[str, Any] = {}
    if "rebalanceInProgress" in variables:
        held["rebalanceInProgress"] = variables["rebalanceInProgress"]
    for name in OLD:
        if name in variables:
            held[name] = None if variables[name] is None else set(variables[name])
    if "tasks" in variables:
        tasks = variables["tasks"].items()
        for name, (kind, places) in PLACES.items():
            if updater or "updater" not in places:
                held[name] = {
                    task: info.state
                    for task, info in tasks
                    if info.kind == kind and info.place in places
                }
        if updater:
            held["pendingInit"] = {
                task: info.state for task, info in tasks if info.place == "pendingInit"
            }
    return held


def recorded(after: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the truth says that a manager holds, comparable with `contents`."""
    told = {name: value for name, value in after.items() if not name.endswith("Object")}
    return {name: set(value) if isinstance(value, list) else value for name, value in told.items()}


def _unlisted(call: Call, before: Snapshot) -> Iterator[tuple[str, Arguments]]:
    """Yield the calls that were left out of the record: records were processed before somebody had something to commit."""
    if (
        call.method not in ("commit", "maybeCommitActiveTasksPerUserRequested")
        or "tasks" not in before.variables
    ):
        return
    asked = call.entry["args"][0] if call.method == "commit" else list(before.variables["tasks"])
    running = [
        (task, before.variables["tasks"][task])
        for task in asked
        if before.variables["tasks"][task].state == "RUNNING"
    ]
    missing = (1 if call.thrown else call.entry["result"]) - sum(
        info.commitNeeded for _, info in running
    )
    idle = sorted((info.kind, task) for task, info in running if not info.commitNeeded)[
        : max(missing, 0)
    ]
    active = {task for kind, task in idle if kind == "active"}
    yield (
        "process",
        {"processed": active, "requested": active, "records": len(active), "failure": "none"},
    )
    yield "updateStandbyTasks", {"updated": {task for kind, task in idle if kind == "standby"}}


def _assigned(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    active, standby = call.entry["args"]
    given: Arguments = {"activeTasks": _sets(active), "standbyTasks": _sets(standby)}
    return given | {"failures": {}, "kafkaFirst": False, "failedInUpdater": set()}


def _sets(assigned: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    return {task: frozenset(partitions) for task, partitions in assigned.items()}


def _created(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    answers = {
        entry["args"][0]: "resumed" if entry["result"] else "refused"
        for entry in call.inside("maybeResumeSuspendedTask")
    }
    active = before.variables["assignedActiveTasks"]
    return {
        "assignment": set(call.entry["args"][0]),
        "answers": {task: answers.get(task, "refused") for task in active},
        "standbyAnswers": {
            task: answers.get(task, "refused") for task in before.variables["assignedStandbyTasks"]
        },
        "partitionsToTaskId": {
            partition: task for task, partitions in active.items() for partition in partitions
        },
    }


def _revoked(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    active = before.variables.get("assignedActiveTasks") or {}
    return {
        "revokedPartitions": set(call.entry["args"][0]),
        "partitionsToTaskId": {
            partition: task for task, partitions in active.items() for partition in partitions
        },
        "activeFailed": False,
        "suspended": set(call.entry.get("result") or ()),
        "outcome": "committed",
        "timedOut": set(),
        "suspendFails": set(),
        "failedInUpdater": {},
    }


def _committed(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    number = max(call.entry.get("result", 0), 0)
    return {
        "tasksToCommit": set(call.entry["args"][0]) if call.entry["args"] else set(),
        "outcome": "CommitFailedException" if call.thrown else "committed",
        "timedOut": set(),
        "committed": number,
        "activeCommitted": number,
        "standbyCommitted": 0,
        "failure": call.thrown or "none",
    }


def _initialized(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    after = call.entry["after"]
    states = after["active"] | after["standby"]
    return {
        "notInitialized": {task for task, state in states.items() if state == "CREATED"},
        "restored": {task for task, state in after["active"].items() if state == "RUNNING"},
        "timedOut": set(),
    }


def _checked(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    after = call.entry["after"]
    return {
        "notInitialized": set(after["pendingInit"]),
        "failures": {},
        "restored": set(after["active"]),
        "timedOut": set(),
    }


def _ended(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    ended = {
        "clean": call.entry["args"][0],
        "outcome": "committed",
        "failures": {},
        "prepareFails": set(),
        "failedInUpdater": set(),
    }
    return {**ended, "activeFailed": False, "standbyFailed": False}


def _answered(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    result = call.entry.get("result")
    return {
        "activeRunning": result,
        "standbyRunning": result,
        "changelogs": result or (),
        "failure": call.thrown or "none",
    }


def _failed(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    return {
        "activeFailed": bool(call.thrown),
        "standbyFailed": False,
        "failure": call.thrown or "none",
    }


def _flag(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    return {"inProgress": call.entry["args"][0]}


def _begun(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    return {"subscribedTopics": set(call.entry["args"][0]), "locked": set()}


def _completed(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    return {"assignment": set(), "notReleased": set()}


def _corrupted(call: Call, before: Snapshot, machine: MachineDefinition) -> Arguments:
    return {"corruptedTasks": set(call.entry["args"][0]), "outcome": "committed", "timedOut": set()}


_DERIVED: dict[str, Derived] = {
    "setAssignmentMetadata": _assigned,
    "setRebalanceInProgress": _flag,
    "createTasks": _created,
    "suspendTasksAndState": _failed,
    "suspendActiveTasksAndState": _revoked,
    "closeRevokedStandbyTasks": _answered,
    "closeRevokedSuspendedTasks": _failed,
    "closeLostTasks": _failed,
    "updateNewAndRestoringTasks": _answered,
    "commitAll": _committed,
    "commit": _committed,
    "maybeCommitActiveTasks": _committed,
    "maybeCommitActiveTasksPerUserRequested": _committed,
    "handleRebalanceStart": _begun,
    "handleRebalanceComplete": _completed,
    "handleAssignment": _assigned,
    "handleRevocation": _revoked,
    "handleLostAll": lambda call, before, machine: {},
    "handleCorruption": _corrupted,
    "tryToCompleteRestoration": _initialized,
    "checkStateUpdater": _checked,
    "shutdown": _ended,
}
