"""How stubbed tasks must answer so that an event of `kafka/AssignedTasks` happens to Kafka's own registries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

from attrs import frozen


@frozen
class Throws:
    """An exception instead of an answer: `threw`, `migrated` or `locked`."""

    what: str


Said = tuple[str, str, tuple[object, ...], object]
"""A task, a method, what it is called with, and what it answers; what is not said answers nothing."""
FAILS, MIGRATED, ZOMBIE = Throws("threw"), Throws("migrated"), (False, True)


def said(event: str, arguments: Mapping[str, Any], first: bool) -> Iterator[Said]:
    """Yield what tasks answer while an event happens.

    Args:
        event: its name.
        arguments: of the event, as the spec names them.
        first: whether the release is 1.0.0, which has no `initializeStateStores`.
    """
    if event in PLANS:
        yield from PLANS[event](arguments)
    if event == "initializeNewTasks":
        yield from _initialized(
            arguments["init"], "initialize" if first else "initializeStateStores"
        )


def _initialized(init: Mapping[str, str], stores: str) -> Iterator[Said]:
    for task, how in init.items():
        yield (
            task,
            stores,
            (),
            Throws(how) if how in ("locked", "threw", "migrated") else how != "needsRestore",
        )
        if how.startswith("topology"):
            yield task, "initializeTopology", (), MIGRATED if how == "topologyMigrated" else FAILS


def _topologies(topology: Mapping[str, str]) -> Iterator[Said]:
    return (
        (task, "initializeTopology", (), Throws(how))
        for task, how in topology.items()
        if how != "ok"
    )


def _acts(outcome: Mapping[str, str], method: str) -> Iterator[Said]:
    """`ok`, `threw`, `migrated`, and migrated with a zombie whose close throws."""
    for task, how in outcome.items():
        if how == "threw":
            yield task, method, (), FAILS
        if how.startswith("migrated"):
            yield task, method, (), MIGRATED
        if how == "migratedZombieCloseThrew":
            yield task, "close", ZOMBIE, FAILS


def _close_throws(tasks: Set[str]) -> Iterator[Said]:
    for task in tasks:
        yield task, "close", (False, False), FAILS
        yield task, "closeStateManager", (True,), FAILS


def _suspended_close_throws(tasks: Set[str]) -> Iterator[Said]:
    return ((task, "closeSuspended", (True,), FAILS) for task in tasks)


def _revoked(given: Mapping[str, Any]) -> Iterator[Said]:
    yield from _acts(given.get("outcome", {}), "suspend")
    yield from _close_throws(given.get("closeThrows", frozenset()))


def _resumed(given: Mapping[str, Any]) -> Iterator[Said]:
    task, how = given["taskId"], given["resume"]
    if how.startswith("resume"):
        yield task, "resume", (), MIGRATED if how == "resumeMigrated" else FAILS
    else:
        yield from _acts({task: how}, "initializeTopology")
    yield from _suspended_close_throws(frozenset({task} if given.get("closeThrows") else ()))


def _as_zombies(given: Mapping[str, Any]) -> Iterator[Said]:
    for task in given["closeThrows"]:
        yield task, "close", ZOMBIE, FAILS
        yield task, "closeStateManager", (False,), FAILS
        yield task, "closeSuspended", (False,), FAILS


def _committed(given: Mapping[str, Any]) -> Iterator[Said]:
    yield from _acts(given["outcome"], "commit")
    yield from ((task, "commitNeeded", (), True) for task in given.get("commitNeeded", ()))
    yield from ((task, "commitRequested", (), True) for task in given.get("commitRequested", ()))


def _processed(given: Mapping[str, Any]) -> Iterator[Said]:
    yield from _acts(given["outcome"], "process")
    yield from ((task, "isProcessable", (0,), True) for task in given["outcome"])
    yield from (
        (task, "process", (), True)
        for task, how in given["outcome"].items()
        if how in ("one", "two")
    )


def _punctuated(given: Mapping[str, Any]) -> Iterator[Said]:
    yield from _acts(given["outcome"], "maybePunctuateStreamTime")
    yield from (
        (task, "maybePunctuateStreamTime", (), True)
        for task, how in given["outcome"].items()
        if how in ("one", "two")
    )
    yield from (
        (task, "maybePunctuateSystemTime", (), True)
        for task, how in given["outcome"].items()
        if how == "two"
    )


def _closed(outcome: Mapping[str, str], clean: bool) -> Iterator[Said]:
    for task, how in outcome.items():
        if how != "ok":
            thrown = MIGRATED if how.startswith("migrated") else FAILS
            yield task, "close", (clean, False), thrown
            yield task, "closeSuspended", (clean,), thrown
        if how == "threwTwice":
            yield task, "close", (False, False), FAILS
        if how == "migratedZombieCloseThrew":
            yield task, "close", ZOMBIE, FAILS


def _zombie(given: Mapping[str, Any]) -> Iterator[Said]:
    return ((task, "close", ZOMBIE, FAILS) for task in ([given["task"]] if given["throws"] else []))


PLANS: dict[str, Callable[[Mapping[str, Any]], Iterator[Said]]] = {
    "transitionToRunning": lambda given: _topologies({given["task"]: given["topology"]}),
    "updateRestored": lambda given: _topologies(given["topology"]),
    "suspend": _revoked,
    "suspendTasks": _revoked,
    "closeNonRunningTasks": _revoked,
    "closeAllRestoringTasks": _revoked,
    "closeRestoringTasks": _revoked,
    "suspendOrCloseTasks": _revoked,
    "suspendRunningTasks": _revoked,
    "maybeResumeSuspendedTask": _resumed,
    "closeNonAssignedSuspendedTasks": lambda given: _suspended_close_throws(given["closeThrows"]),
    "closeNotAssignedSuspendedTasks": lambda given: _suspended_close_throws(given["closeThrows"]),
    "closeZombieTask": _zombie,
    "tryCloseZombieTask": _zombie,
    "closeAllTasksAsZombies": _as_zombies,
    "commit": _committed,
    "maybeCommit": _committed,
    "maybeCommitPerUserRequested": _committed,
    "applyToRunningTasks": _committed,
    "process": _processed,
    "punctuate": _punctuated,
    "close": lambda given: _closed(given["outcome"], given["clean"]),
    "shutdown": lambda given: _closed(given["outcome"], given["clean"]),
    "closeTask": lambda given: _closed({given["task"]: given["outcome"]}, given["clean"]),
}
