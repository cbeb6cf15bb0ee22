"""What Kafka's task managers held after each recorded call is what the spec says."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from statemachines.model.definitions.snapshots import Answer
from tests.conftest import SHARED
from tests.corpus.managers import contents, managers_of, recorded, replay
from tests.corpus.registries import Call
from tests.shipped import shipped_machine

HAVE_MANAGERS = [
    path.parent.name
    for path in sorted(SHARED.glob("logs/captured/*/truth.json"))
    if path.parent.name.endswith(("_registries", "_migrated"))
    and '"manager"' in path.read_text("utf-8")
]
"""Captures whose truth tells of task managers; without ../shared there are none, and the tests are skipped."""
RUNS_STANDBYS_AT_ONCE = ("updaterStandby",)
"""The state of a task in the updater is read while another thread works on it."""


@cache
def truth(name: str) -> dict[str, Any]:
    """Return what a capture recorded."""
    found: dict[str, Any] = json.loads(
        (SHARED / "logs" / "captured" / name / "truth.json").read_text("utf-8")
    )
    return found


def differences(call: Call, answer: Answer, *, updater: bool) -> list[str]:
    """Return what a call left, gave back or threw that the spec does not say."""
    found, told = [], contents(answer.after, updater=updater)
    for name, value in recorded(call.entry["after"]).items():
        spec = told.get(name)
        if name in RUNS_STANDBYS_AT_ONCE:
            value, spec = set(value), set(spec or ())
        if spec != value:
            found.append(f"{name}: {value}, the spec says {spec}")
    if call.thrown != answer.error:
        found.append(f"threw {call.thrown}, the spec says {answer.error}")
    return found + results(call, answer)


def results(call: Call, answer: Answer) -> list[str]:
    """Compare what was given back, and which tasks were made."""
    told = answer.returned if isinstance(answer.returned, dict) else {"value": answer.returned}
    found = []
    result = call.entry.get("result")
    result = frozenset(result) if isinstance(result, list) else result
    value = frozenset(told["value"]) if isinstance(told.get("value"), tuple) else told.get("value")
    if answer.error is None and result != value:
        found.append(f"gave {result}, the spec says {value}")
    made = {(entry["kind"], entry["args"][0]) for entry in call.inside("addNewTask")}
    created = {("stream", task) for task in told.get("created", ())} | {
        ("standby", task) for task in told.get("createdStandby", ())
    }
    if call.method == "createTasks" and made != created:
        found.append(f"made {made}, the spec says {created}")
    return found


def compared(name: str, entries: list[dict[str, Any]]) -> list[str]:
    """Return what the calls on the managers of a capture did that the spec does not say."""
    machine = shipped_machine("kafka/TaskManager", truth(name)["kafka"])
    updater = any(
        "pendingInit" in entry.get("after", {}) for entry in entries if entry["kind"] == "manager"
    )
    given = {
        "processingMode": "AT_LEAST_ONCE",
        "stateUpdaterEnabled": updater,
        "stateless": {f"0_{number}" for number in range(4)},
    }
    parameters = {one.name: given[one.name] for one in machine.data.parameters}
    wrong, count = [], 0
    for (process, number), calls in managers_of(entries).items():
        for call, answer in replay(machine, calls, parameters):
            count += 1
            place = f"{process} {number} {call.method} at {call.entry['at_ms']}"
            wrong += [f"{place}: {each}" for each in differences(call, answer, updater=updater)]
    assert count > 40
    return wrong


@pytest.mark.parametrize("name", HAVE_MANAGERS)
def test_every_recorded_call_on_a_manager_does_what_the_spec_says(name: str) -> None:
    """What it holds, gives back and throws, from the first call of each manager to its end."""
    wrong = compared(name, truth(name)["registries"])
    assert wrong == []


@pytest.mark.parametrize("name", HAVE_MANAGERS)
def test_a_task_that_the_record_does_not_show_is_missed(name: str) -> None:
    """A comparison that was never seen to fail is none: the last assignment of a manager loses a task, or gets one."""
    entries = truth(name)["registries"]
    place = max(
        n
        for n, one in enumerate(entries)
        if one["kind"] == "manager"
        and one["method"] in ("handleAssignment", "setAssignmentMetadata")
    )
    after = entries[place]["after"]
    key = next(key for key in ("pendingInit", "active", "assignedActiveTasks") if key in after)
    changed = (
        {**after[key], "9_9": "CREATED"} if isinstance(after[key], dict) else [*after[key], "9_9"]
    )
    told = [
        *entries[:place],
        {**entries[place], "after": {**after, key: changed}},
        *entries[place + 1 :],
    ]
    assert any(f"{key}: " in each for each in compared(name, told))
