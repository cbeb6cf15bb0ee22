"""Recorded calls of task registries as events: what was asked, what the tasks answered, what was there afterwards.

The truth of a capture lists calls in the order in which they were left, inner ones before the outer one. What a task answered is no entry: it is
told by the inner calls (who was registered as restoring, whose topology threw, who was closed as a zombie), by the result and by the exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

Entry = Mapping[str, Any]
REGISTRIES = ("created", "restoring", "running", "suspended")
MAPS = ("runningByPartition", "restoringByPartition")
SETS = (*REGISTRIES, "restoredPartitions", "previousActiveTasks", "prevActiveTasks")
ASSIGNMENTS = (
    "setAssignmentMetadata",
    "closeNonAssignedSuspendedTasks",
    "closeRevokedStandbyTasks",
)


@frozen
class Call:
    """A call with the calls that were made inside it."""

    entry: Entry
    inner: tuple[Entry, ...] = ()

    @property
    def method(self) -> str:
        """The method's name."""
        return str(self.entry["method"])

    @property
    def thrown(self) -> str | None:
        """The short name of the exception that left the method."""
        return short(self.entry.get("exception"))

    @property
    def given(self) -> str | None:
        """The short name of an exception that was given back."""
        result = self.entry.get("result")
        return (
            short(result["exception"])
            if isinstance(result, dict) and "exception" in result
            else None
        )

    def inside(self, *methods: str) -> Iterator[Entry]:
        """Yield the inner calls of some methods."""
        return (each for each in self.inner if each["method"] in methods)


@frozen
class Registry:
    """One registry object of a process, and its outermost calls in order."""

    process: str
    number: int
    kind: str
    calls: list[Call] = field(factory=list)


def short(name: str | None) -> str | None:
    """Return the last part of a class name."""
    return None if name is None else name.rsplit(".", 1)[-1]


def registries_of(entries: Iterable[Entry]) -> tuple[Registry, ...]:
    """Return the registries of a capture, each with the calls that no other call of it encloses and with what those enclose.

    `seq` counts the calls of a process when they begin: what was left later and began earlier encloses a call.
    """
    found: dict[tuple[str, int], Registry] = {}
    for entry in entries:
        if entry["kind"] not in ("stream", "standby"):
            continue
        key = (entry["process"], entry["object"])
        calls = found.setdefault(key, Registry(*key, entry["kind"])).calls
        inner: list[Entry] = []
        while calls and calls[-1].entry["seq"] > entry["seq"]:
            last = calls.pop()
            inner[:0] = [*last.inner, last.entry]
        calls.append(Call(entry, tuple(inner)))
    return tuple(found.values())


def parameters(entries: Iterable[Entry], kind: str, release: str) -> dict[str, Any]:
    """Return what is fixed for the registries of a capture: its tasks and whose partition is whose."""
    owner: dict[str, str] = {}
    inputs: set[str] = set()
    changelogs: set[str] = set()
    ready: set[str] = set()
    tasks: set[str] = set()
    for entry in entries:
        after = entry.get("after", {})
        for name in MAPS:
            owner.update(after.get(name, {}))
        tasks.update(task for name in REGISTRIES for task in after.get(name, ()))
        for assigned in _assignments(entry):
            for task, partitions in assigned.items():
                tasks.add(task)
                inputs.update(partitions)
                owner.update(dict.fromkeys(partitions, task))
        if entry["method"] == "updateRestored":
            changelogs.update(entry["args"][0])
        if entry["method"] in ("initializeNewTasks", "updateRestored", "uninitializedPartitions"):
            ready.update(entry.get("result") or ())
    changelogs.update(partition for partition in owner if partition not in inputs)
    fixed: dict[str, Any] = {
        "kind": kind,
        "tasks": tasks | set(owner.values()),
        "taskOf": owner,
        "inputs": inputs,
        "changelogs": changelogs,
        "anyCaller": False,
    }
    if release.startswith("1.0."):
        fixed["hasStateStores"] = {owner[partition] for partition in ready if partition in owner}
    return fixed


def _assignments(entry: Entry) -> Iterator[Mapping[str, list[str]]]:
    if entry["method"] in ASSIGNMENTS:
        yield from (each for each in entry["args"] if isinstance(each, dict))
    if entry["method"] == "maybeResumeSuspendedTask":
        task, partitions = entry["args"]
        yield {task: partitions}


def contents(after: Mapping[str, Any]) -> dict[str, Any]:
    """Return a registry's contents as values of the spec's variables."""
    sets = {name: frozenset(after[name]) for name in SETS if name in after}
    return {**sets, **{name: dict(after[name]) for name in MAPS if name in after}}


def closed_within(after: Mapping[str, Any]) -> set[str]:
    """Return the closed tasks that a registry still holds, as `registry:task`."""
    return {each for each in after.get("closed", ()) if each.split(":", 1)[0] in REGISTRIES}
