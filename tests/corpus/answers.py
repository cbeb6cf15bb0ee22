"""What the tasks answered in a recorded call, as arguments of the spec's events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.corpus.registries import REGISTRIES, Call, contents, short

Values = Mapping[str, Any]
Derived = Callable[[Call, Values, str], dict[str, Any]]
MIGRATED = "TaskMigratedException"
BEFORE_EAGER_THROW = ("1.0", "1.1")
"""Releases in which a commit goes on after a migrated task."""


def arguments(call: Call, before: Values, release: str) -> dict[str, Any]:
    """Return the arguments of the event that a call is.

    Args:
        call: with its inner calls.
        before: the variables of the spec before it.
        release: Kafka's.
    """
    return _DERIVED.get(call.method, _nothing)(call, before, release)


def _nothing(call: Call, before: Values, release: str) -> dict[str, Any]:
    return {}


def _one_of(tasks: Iterable[str]) -> set[str]:
    """Pick a task where the record does not say which one it was, and it does not matter."""
    return set(sorted(tasks)[:1])


def _held(before: Values) -> set[str]:
    return {task for name in REGISTRIES for task in before[name]}


def _registered(call: Call) -> tuple[set[str], dict[str, str]]:
    """Return whom inner calls took to running, and whose topology threw what."""
    running: set[str] = set()
    threw: dict[str, str] = {}
    for entry in call.inside("transitionToRunning"):
        error = short(entry.get("exception"))
        running.add(entry["args"][0])
        if error is not None:
            threw[entry["args"][0]] = error
    return running, threw


def _zombies(call: Call) -> dict[str, bool]:
    """Return who was closed as a zombie, and whether that close threw."""
    closes = call.inside("closeZombieTask", "tryCloseZombieTask")
    return {
        entry["args"][0]: isinstance(entry.get("result"), dict) or "exception" in entry
        for entry in closes
    }


def _initialized(call: Call, before: Values, release: str) -> dict[str, Any]:
    restoring = {entry["args"][0] for entry in call.inside("addToRestoring", "addTaskToRestoring")}
    running, threw = _registered(call)
    init = dict.fromkeys(before["created"], "locked")
    init.update(dict.fromkeys(restoring, "needsRestore"))
    init.update(dict.fromkeys(running, "ready"))
    init.update(
        {
            task: "topologyMigrated" if error == MIGRATED else "topologyThrew"
            for task, error in threw.items()
        }
    )
    if call.thrown is None:
        return {"init": init, "reached": set(before["created"])}
    ended = set(threw) or _one_of(task for task, answer in init.items() if answer == "locked")
    if not threw:
        init.update(dict.fromkeys(ended, "migrated" if call.thrown == MIGRATED else "threw"))
    return {"init": init, "reached": restoring | running | ended}


def _restored(call: Call, before: Values, release: str) -> dict[str, Any]:
    running, threw = _registered(call)
    topology = dict.fromkeys(before["restoring"], "ok")
    topology.update(
        {task: "migrated" if error == MIGRATED else "threw" for task, error in threw.items()}
    )
    return {"restored": set(call.entry["args"][0]), "topology": topology, "reached": running}


def _suspended(call: Call, before: Values, release: str) -> dict[str, Any]:
    after, zombies = contents(call.entry["after"]), _zombies(call)
    outcome = {}
    for task in before["running"]:
        if task in zombies or task not in after["suspended"] | after["previousActiveTasks"]:
            outcome[task] = "migratedZombieCloseThrew" if zombies.get(task) else "migrated"
        else:
            outcome[task] = "ok" if task in after["suspended"] else "threw"
    explained = {"threw", "migratedZombieCloseThrew"} & set(outcome.values())
    others = set(before["created"]) | (set(before["restoring"]) if release < "2.2" else set())
    return {
        "outcome": outcome,
        "closeThrows": _one_of(others) if call.given and not explained else set(),
    }


def _revoked(call: Call, before: Values, release: str) -> dict[str, Any]:
    revoked, after, zombies = (
        set(call.entry["args"][0]),
        contents(call.entry["after"]),
        _zombies(call),
    )
    outcome = {}
    for task in before["running"]:
        gone = task in revoked and task not in after["suspended"]
        outcome[task] = (
            "ok" if not gone else "threw" if call.given and task not in zombies else "migrated"
        )
    others = revoked & (set(before["created"]) | set(before["restoring"]))
    return {
        "revokedTasks": revoked,
        "outcome": outcome,
        "closeThrows": _one_of(others) if call.given and "threw" not in outcome.values() else set(),
        "opened": set(),
    }


def _resumed(call: Call, before: Values, release: str) -> dict[str, Any]:
    task, partitions = call.entry["args"]
    _, threw = _registered(call)
    resume = "ok"
    if call.thrown is not None and threw.get(task) == MIGRATED:
        resume = "migrated" if call.thrown == MIGRATED else "migratedZombieCloseThrew"
    elif call.thrown is not None:
        resume = (
            "threw" if threw else "resumeMigrated" if call.thrown == MIGRATED else "resumeThrew"
        )
    found = {"taskId": task, "partitions": set(partitions), "resume": resume}
    return found if release < "2.4" else {**found, "closeThrows": call.thrown is not None}


def _acted(call: Call, before: Values, release: str, *, needed: str | None) -> dict[str, Any]:
    """Derive the answers of a commit: who was migrated, who threw, how many went well."""
    running = set(before["running"])
    zombies = _zombies(call) or dict.fromkeys(running - set(call.entry["after"]["running"]), False)
    outcome = {
        task: "migratedZombieCloseThrew" if threw else "migrated" for task, threw in zombies.items()
    }
    explained = call.thrown is None or (
        outcome and (call.thrown == MIGRATED or any(zombies.values()))
    )
    if not explained:
        outcome.update(
            dict.fromkeys(
                _one_of(running - set(outcome)), "migrated" if call.thrown == MIGRATED else "threw"
            )
        )
    on = release.startswith(BEFORE_EAGER_THROW)
    todo = (
        running
        if needed is None
        else set(outcome) or set(sorted(running)[: call.entry.get("result") or 0])
    )
    stopped = (
        set(zombies)
        if not on and zombies
        else set(outcome)
        if "migrated" in outcome.values() and not on
        else todo
    )
    found: dict[str, Any] = {
        "outcome": {task: outcome.get(task, "ok") for task in todo},
        "reached": stopped,
    }
    if needed is not None:
        found[needed] = todo
    if on:
        found["migratedFirst"] = call.thrown == MIGRATED
    return found


def _committed(call: Call, before: Values, release: str) -> dict[str, Any]:
    return _acted(call, before, release, needed=None if release < "2.1" else "commitNeeded")


def _committed_if_needed(call: Call, before: Values, release: str) -> dict[str, Any]:
    return _acted(call, before, release, needed="commitNeeded")


def _committed_if_asked(call: Call, before: Values, release: str) -> dict[str, Any]:
    found = _acted(call, before, release, needed="commitNeeded")
    return {**found, "commitRequested": found["commitNeeded"]}


def _applied(call: Call, before: Values, release: str) -> dict[str, Any]:
    return _acted(call, before, release, needed="does")


def _worked(call: Call, before: Values, release: str) -> dict[str, Any]:
    running, zombies = sorted(before["running"]), _zombies(call)
    outcome = dict.fromkeys(running, "idle")
    if call.thrown is None:
        done = call.entry.get("result") or 0
        outcome.update(
            {
                task: "two" if place + len(running) < done else "one"
                for place, task in enumerate(running[:done])
            }
        )
        return {"outcome": outcome, "reached": set(running)}
    gone = set(zombies) or set(running) - set(call.entry["after"]["running"]) or _one_of(running)
    kind = (
        "migratedZombieCloseThrew"
        if any(zombies.values())
        else "migrated"
        if call.thrown == MIGRATED
        else "threw"
    )
    return {"outcome": {**outcome, **dict.fromkeys(gone, kind)}, "reached": gone}


def _closed(call: Call, before: Values, release: str) -> dict[str, Any]:
    threw = {
        entry["args"][0]
        for entry in call.inside("closeTask")
        if short(entry.get("exception")) not in (None, MIGRATED)
    }
    failed = (threw or _one_of(_held(before))) if call.thrown else set()
    return {
        "clean": call.entry["args"][0],
        "outcome": {task: "threwTwice" if task in failed else "ok" for task in _held(before)},
    }


def _closed_one(call: Call, before: Values, release: str) -> dict[str, Any]:
    outcome = "ok" if call.thrown is None else "migrated" if call.thrown == MIGRATED else "threw"
    return {"task": call.entry["args"][0], "clean": call.entry["args"][1], "outcome": outcome}


def _topology(call: Call, before: Values, release: str) -> dict[str, Any]:
    topology = "ok" if call.thrown is None else "migrated" if call.thrown == MIGRATED else "threw"
    return {"task": call.entry["args"][0], "topology": topology}


def _removed(call: Call, before: Values, release: str) -> dict[str, Any]:
    task, keep = call.entry["args"]
    return {
        "task": task,
        "currentStateMap": keep.strip("()").removeprefix("map ")
        if isinstance(keep, str)
        else "none",
    }


def _zombie(call: Call, before: Values, release: str) -> dict[str, Any]:
    return {"task": call.entry["args"][0], "throws": call.given is not None}


_DERIVED: dict[str, Derived] = {
    "addNewTask": lambda call, before, release: {"task": call.entry["args"][0]},
    "addToRestoring": lambda call, before, release: {"task": call.entry["args"][0]},
    "addTaskToRestoring": lambda call, before, release: {"task": call.entry["args"][0]},
    "transitionToRunning": _topology,
    "initializeNewTasks": _initialized,
    "updateRestored": _restored,
    "suspend": _suspended,
    "suspendOrCloseTasks": _revoked,
    "closeAllRestoringTasks": lambda call, before, release: {
        "closeThrows": _one_of(before["restoring"]) if call.given else set()
    },
    "closeAllTasksAsZombies": lambda call, before, release: {
        "closeThrows": _one_of(_held(before)) if call.given else set()
    },
    "closeNonAssignedSuspendedTasks": lambda call, before, release: {
        "newAssignment": _assigned(call),
        "closeThrows": set(),
    },
    "closeNotAssignedSuspendedTasks": lambda call, before, release: {
        "revokedTasks": set(call.entry["args"][0]),
        "closeThrows": _one_of(set(before["suspended"]) & set(call.entry["args"][0]))
        if call.given
        else set(),
    },
    "closeRevokedStandbyTasks": lambda call, before, release: {
        "revokedTasks": _assigned(call),
        "opened": set(),
    },
    "maybeResumeSuspendedTask": _resumed,
    "commit": _committed,
    "maybeCommit": _committed_if_needed,
    "maybeCommitPerUserRequested": _committed_if_asked,
    "applyToRunningTasks": _applied,
    "process": _worked,
    "punctuate": _worked,
    "close": _closed,
    "shutdown": _closed,
    "closeTask": _closed_one,
    "closeRestoringTasks": lambda call, before, release: {
        "restoringTasksToClose": set(call.entry["args"][0]),
        "closeThrows": _one_of(call.entry["args"][0]) if call.given else set(),
    },
    "removeTaskFromAllStateMaps": _removed,
    "closeZombieTask": _zombie,
    "tryCloseZombieTask": _zombie,
}


def _assigned(call: Call) -> dict[str, set[str]]:
    return {task: set(partitions) for task, partitions in call.entry["args"][0].items()}
