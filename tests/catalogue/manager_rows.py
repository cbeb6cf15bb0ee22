"""A scenario of a task manager: what is given, what is called, what is there then; and the tasks and calls that many of them begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

Task = tuple[str, str, frozenset[str], bool, bool, str]
Call = tuple[str, dict[str, Any]]
A, B, C, D = "0_0", "0_1", "0_2", "0_3"
ALL_2_6 = ("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.3.2", "3.5.2", "3.9.1", "4.1.1")
SINCE_2_7, SINCE_2_8, UP_TO_3_3 = ALL_2_6[1:], ALL_2_6[2:], ALL_2_6[:5]
UPDATER = ("3.8.1", "3.9.1", "4.3.1")


def task(
    kind: str,
    state: str,
    task_id: str,
    *,
    needs: bool = False,
    asks: bool = False,
    place: str = "registry",
) -> Task:
    """Return a task whose only partition has the task's name."""
    return (kind, state, frozenset({task_id}), needs, asks, place)


def running(*ids: str, needs: tuple[str, ...] = (), kind: str = "active") -> dict[str, Task]:
    """Return running tasks, some of which have something to commit."""
    return {each: task(kind, "RUNNING", each, needs=each in needs) for each in ids}


@frozen
class Scenario:
    """One of Kafka's unit tests of the class."""

    test: str
    releases: tuple[str, ...]
    calls: tuple[Call, ...]
    given: Mapping[str, Task] = field(factory=dict)
    states: Mapping[str, str] | None = None
    """Task to state at the end; None where there are no such tasks."""
    returned: Any = None
    """What the last call gives back, or some of its named results."""
    error: str | None = None
    mode: str = "AT_LEAST_ONCE"
    updater: bool = False
    rebalancing: bool = False
    places: Mapping[str, str] = field(factory=dict)
    flags: Mapping[str, bool] = field(factory=dict)
    """Task to whether it still has something to commit."""


def assigned(*ids: str) -> dict[str, set[str]]:
    """Return an assignment of tasks with a partition each."""
    return {each: {each} for each in ids}


ASSIGN: dict[str, Any] = {"activeTasks": {}, "standbyTasks": {}}
ONE = {"activeTasks": assigned(A), "standbyTasks": {}}
MAP = {A: A}
FAILS = {A: "TaskMigratedException", B: "RuntimeException", C: "RuntimeException", D: "none"}
FOUR = {**running(A, B, C), D: task("active", "RESTORING", D)}
BOTH = {**running(A, needs=(A,)), **running(B, needs=(B,), kind="standby")}
RESTORING = {A: task("active", "RESTORING", A, place="updater")}
TWO_RESTORING = {**RESTORING, B: task("active", "RESTORING", B, place="updater")}
