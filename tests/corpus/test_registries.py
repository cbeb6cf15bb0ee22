"""The registries that Kafka had are those that the spec has, call by call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.initial_snapshots import initial_snapshot
from statemachines.semantics.machine.step import step
from tests.conftest import SHARED
from tests.corpus.answers import arguments
from tests.corpus.registries import (
    REGISTRIES,
    Call,
    Registry,
    closed_within,
    contents,
    parameters,
    registries_of,
)
from tests.shipped import shipped_machine


@cache
def truth(name: str) -> dict[str, Any]:
    """Return what a capture recorded."""
    found: dict[str, Any] = json.loads(
        (SHARED / "logs" / "captured" / name / "truth.json").read_text("utf-8")
    )
    return found


HAVE_REGISTRIES = [
    path.parent.name
    for path in sorted(SHARED.glob("logs/captured/*/truth.json"))
    if path.parent.name.endswith(("_registries", "_migrated"))
    and any(
        entry["kind"] in ("stream", "standby") for entry in truth(path.parent.name)["registries"]
    )
]
"""Captures of releases that keep tasks in such registries; without ../shared there are none, and the tests are skipped."""


@cache
def machine(release: str) -> MachineDefinition:
    """Return the registries' machine in a release."""
    return shipped_machine("kafka/AssignedTasks", release)


def replay(
    registry: Registry, release: str, fixed: dict[str, Any]
) -> Iterator[tuple[Call, Snapshot, Answer]]:
    """Step through the calls of a registry, each from the snapshot that the spec came to."""
    made = machine(release)
    now = initial_snapshot(made, **fixed)
    for call in registry.calls:
        answer = step(made, now, call.method, **arguments(call, now.variables, release))
        yield call, now, answer
        now = answer.after


def differences(call: Call, answer: Answer) -> list[str]:
    """Return what a call left, gave back or threw that the spec does not say."""
    after, found = answer.after.variables, []
    for name, value in contents(call.entry["after"]).items():
        if after[name] != value:
            found.append(f"{name}: {value}, the spec says {after[name]}")
    held = {f"{name}:{task}" for name in REGISTRIES for task in after[name] & after["closed"]}
    if held != closed_within(call.entry["after"]):
        found.append(f"closed: {closed_within(call.entry['after'])}, the spec says {held}")
    if error(call, answer) != answer.error:
        found.append(f"threw {call.thrown}, the spec says {answer.error}")
    return found + results(call, answer)


def error(call: Call, answer: Answer) -> str | None:
    """Return the error that a call threw as the spec names it: what is not declared is a RuntimeException."""
    named = ("TaskMigratedException", *([answer.error] if answer.error else []))
    return (
        None if call.thrown is None else call.thrown if call.thrown in named else "RuntimeException"
    )


def results(call: Call, answer: Answer) -> list[str]:
    """Compare what was given back, and lists that were handed out."""
    told = answer.returned if isinstance(answer.returned, dict) else {"value": answer.returned}
    found = []
    if "value" in told and answer.error is None:
        result = call.given and "RuntimeException" if call.given else call.entry.get("result")
        result = frozenset(result) if isinstance(result, list) else result
        if result != told["value"]:
            found.append(f"gave {result}, the spec says {told['value']}")
    handed = call.entry.get("args_after", [None, []])[-1]
    if "revokedTaskChangelogs" in told and frozenset(handed) != told["revokedTaskChangelogs"]:
        found.append(f"handed out {handed}, the spec says {told['revokedTaskChangelogs']}")
    return found


@pytest.mark.parametrize("name", HAVE_REGISTRIES)
def test_every_recorded_call_does_what_the_spec_says(name: str) -> None:
    """Registries, result and error of every outermost call on every registry of the run."""
    recorded = truth(name)
    entries = recorded["registries"]
    wrong, count = [], 0
    for registry in registries_of(entries):
        fixed = parameters(entries, registry.kind, recorded["kafka"])
        for call, _, answer in replay(registry, recorded["kafka"], fixed):
            count += 1
            wrong += [
                f"{registry.process} {registry.kind} {call.method} at {call.entry['at_ms']}: {each}"
                for each in differences(call, answer)
            ]
    assert wrong == []
    assert count > 50


@pytest.mark.parametrize("name", HAVE_REGISTRIES)
def test_every_recorded_call_inside_another_does_what_the_spec_says(name: str) -> None:
    """Internal methods are events too. Unwatched code runs between them, so only what an event changes is compared.

    The `super` call of an overridden method is a part of it and no call of its own.
    """
    recorded = truth(name)
    entries = recorded["registries"]
    wrong, count = [], 0
    for registry in registries_of(entries):
        fixed = parameters(entries, registry.kind, recorded["kafka"])
        for outer, before, _ in replay(registry, recorded["kafka"], fixed):
            for number, entry in enumerate(outer.inner):
                if entry["inside"] == entry["method"]:
                    continue
                begun = [each for each in outer.inner[:number] if each["seq"] < entry["seq"]]
                earlier = begun[-1]["after"] if begun else {}
                call = Call(
                    entry,
                    tuple(each for each in outer.inner[:number] if each["seq"] > entry["seq"]),
                )
                count += 1
                wrong += [
                    f"{call.method} at {entry['at_ms']}: {each}"
                    for each in inner_differences(call, before, earlier, recorded["kafka"])
                ]
    assert wrong == []
    assert count > 50


def inner_differences(
    call: Call, before: Snapshot, earlier: dict[str, Any], release: str
) -> list[str]:
    """Step through an inner call from what was there at the call before it, and compare what its event names in its effect."""
    made = machine(release)
    named = {
        assignment.variable
        for arrow in made.transitions
        if arrow.event == call.method and arrow.case
        for assignment in arrow.case.effect
    }
    after = contents(call.entry["after"])
    put = {"suspended"} if call.entry["inside"] == "suspendOrCloseTasks" else set()
    kept = {name: value for name, value in after.items() if name not in named - put}
    parameters_of_any = FrozenMap({**before.parameters, "anyCaller": True})
    pre = Snapshot(
        before.state,
        FrozenMap({**before.variables, **contents(earlier), **kept}),
        parameters_of_any,
    )
    answer = step(made, pre, call.method, **arguments(call, pre.variables, release))
    found = [
        f"{name}: {after[name]}, the spec says {answer.after.variables[name]}"
        for name in after
        if after[name] != answer.after.variables[name]
    ]
    return (
        found
        + (
            [f"threw {call.thrown}, the spec says {answer.error}"]
            if error(call, answer) != answer.error
            else []
        )
        + results(call, answer)
    )


def test_a_falsified_record_is_noticed(shared: Path) -> None:
    """A comparison that cannot fail says nothing: a task, a partition, a result and an exception are changed in turn."""
    recorded = truth("s231_migrated")
    entries = recorded["registries"]
    registry = max(registries_of(entries), key=lambda one: len(one.calls))
    fixed = parameters(entries, registry.kind, recorded["kafka"])
    noticed = set()
    for call, _, answer in replay(registry, recorded["kafka"], fixed):
        after = call.entry["after"]
        for key, changes in falsifications(after):
            if differences(Call({**call.entry, "after": {**after, **changes}}, call.inner), answer):
                noticed.add(key)
        if not differences(Call({**call.entry, "exception": "java.lang.RuntimeException"}), answer):
            pytest.fail("an exception that nobody threw was not noticed")
        if isinstance(call.entry.get("result"), bool):
            assert differences(
                Call({**call.entry, "result": not call.entry["result"]}, call.inner), answer
            )
    assert noticed == {"running", "suspended", "runningByPartition"}


def falsifications(after: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield contents with one thing missing."""
    for key in ("running", "suspended"):
        if after[key]:
            yield key, {key: after[key][1:]}
    if after["runningByPartition"]:
        yield (
            "runningByPartition",
            {"runningByPartition": dict(list(after["runningByPartition"].items())[1:])},
        )
