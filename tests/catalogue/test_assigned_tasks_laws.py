"""Laws of the task registries: they hold on random walks, each can be broken, and a task moves as its own machine allows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import RandomWalk, simulate
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_spec, machine_of, specs_folder
from tests.catalogue.assigned_tasks import RELEASES, Registries, machine
from tests.catalogue.planting import planted
from tests.shipped import shipped_machine

STATES = ("created", "restoring", "running", "suspended")
KINDS = ("stream", "standby")
WALKED = ["1.0.2", "1.1.1", "2.1.1", "2.3.1", "2.5.1"]
"""One of each line, for what takes long."""
SEEDS = range(8)


def called(release: str, kind: str) -> dict[str, Any]:
    """Return the parameters of registries of two tasks that are called as TaskManager does; the names are those that walks draw."""
    owner = {"Partition1": "Task1", "Partition2": "Task1", "Partition3": "Task2"}
    found: dict[str, Any] = {
        "kind": kind,
        "tasks": {"Task1", "Task2"},
        "taskOf": owner,
        "anyCaller": False,
    }
    found |= {"inputs": {"Partition1", "Partition3"}, "changelogs": {"Partition2"}}
    return {**found, "hasStateStores": {"Task1"}} if release.startswith("1.0.") else found


@cache
def walk(release: str, kind: str, seed: int) -> RandomWalk:
    """Walk through the registries of two tasks with their partitions."""
    return simulate(
        machine(release),
        seed=seed,
        steps=80,
        scope=ExplorationScope(parameters=called(release, kind)),
    )


@pytest.mark.long
@pytest.mark.parametrize("release", WALKED)
def test_what_is_claimed_holds_on_random_walks(release: str) -> None:
    """No property is broken that is not known to be, and no variable leaves its type."""
    for kind in KINDS:
        for seed in SEEDS:
            run = walk(release, kind, seed)
            broken = [
                (one.property.name, one.step_index, one.message)
                for one in run.noticed
                if one.verdict is Verdict.VIOLATED
            ]
            assert (broken, run.wrong) == ([], ()), f"{release} {kind} seed {seed}"


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("2.3.1", "noZombieIsServed"),
        ("1.1.1", "noZombieIsServed"),
        ("2.1.1", "nothingRestoringIsClosed"),
    ],
)
def test_a_known_bug_shows(release: str, name: str) -> None:
    """What `expect: fails` keeps as a fact is met on a walk: it is broken, and that is right."""
    noticed = (
        one
        for seed in range(20)
        for one in walk(release, "stream", seed).noticed
        if one.property.name == name
    )
    assert any(one.verdict is Verdict.HOLDS for one in noticed)


@cache
def task(release: str) -> MachineDefinition:
    """Return the machine of one task."""
    return shipped_machine("kafka/AssignedTask", release)


def state_of(snapshot: Snapshot, name: str) -> str:
    """Return the state of one task: its registry, closed, or nothing where it was never added."""
    held = [each for each in STATES if name in snapshot.variables[each]]
    return held[0] if held else "closed" if name in snapshot.variables["closed"] else ""


def moves(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str]]:
    """Yield what a step does to each task that the rules are about: from, to."""
    aside = frozenset[str]().union(before.variables["unsettled"], after.variables["unsettled"])
    for name in ("t1", "t2", "t3", "Task1", "Task2"):
        if name not in aside:
            yield state_of(before, name), state_of(after, name)


def life(release: str) -> list[tuple[Snapshot, str, Snapshot]]:
    """Return the steps of an ordinary life: restored, suspended, resumed, suspended, closed."""
    registries = Registries(release).given("restoring", "t1")
    registries.call(
        "updateRestored", restored={"changelog-1"}, topology={"t1": "ok"}, reached={"t1"}
    )
    registries.suspend("t1")
    registries.resume("t1")
    registries.suspend("t1")
    if release < "2.4":
        registries.call("closeNonAssignedSuspendedTasks", newAssignment={}, closeThrows=set())
    else:
        registries.call("closeNotAssignedSuspendedTasks", revokedTasks={"t1"}, closeThrows=set())
    return registries.history


@pytest.mark.long
@pytest.mark.parametrize("release", WALKED)
def test_every_step_of_the_registries_is_a_legal_step_of_each_task(release: str) -> None:
    """A task stays, moves as `kafka/AssignedTask` allows, or begins anew; and every arrow of that machine is met."""
    allowed = {(arrow.source, arrow.target) for arrow in task(release).transitions}
    walks = [walk(release, "stream", seed) for seed in SEEDS]
    steps = [
        (*ends, step.event)
        for run in walks
        for *ends, step in zip(run.snapshots, run.snapshots[1:], run.steps, strict=False)
    ]
    met = set()
    for before, after, event in [
        *steps,
        *((first, last, name) for first, name, last in life(release)),
    ]:
        for source, target in moves(before, after):
            begins = target == "created" and source in ("", "closed") and event == "addNewTask"
            assert source == target or begins or (source, target) in allowed, (
                f"{event}: {source} -> {target}"
            )
            met.add((source, target))
    assert allowed <= met


MUTANTS: list[tuple[str, str, str, str, str]] = [
    ("oneRegistry", "2.3.1", "stream", "created: created - toRun - toRestore", "created: created"),
    ("oneRegistry", "2.5.1", "stream", 'suspended: "(suspended - revokedNonRunning - revokedRestoring) | ok"', 'suspended: "suspended | revokedRestoring | ok | created"'),
    ("nothingIsLost", "2.3.1", "stream", "suspended: suspended | ok\n      previousActiveTasks", "suspended: suspended\n      previousActiveTasks"),
    ("nothingIsLost", "2.5.1", "standby", 'runningByPartition: "without(runningByPartition, revokedStandby)"\n      closed: closed | revokedStandby', 'runningByPartition: "without(runningByPartition, revokedStandby)"'),
    ("closedAreGone", "2.3.1", "stream", "suspended: suspended - notAssigned, closed: closed | notAssigned}", "closed: closed | notAssigned}"),
    ("indexIsWhole", "2.3.1", "stream", "runningByPartition: runningByPartition | index(moved)", 'runningByPartition: "runningByPartition | {p: t for p, t in index(moved).items() if p in inputs}"'),
    ("runningIsIndexed", "2.3.1", "stream", "runningByPartition: runningByPartition | index(moved)", "runningByPartition: runningByPartition"),
    ("runningIsIndexed", "2.5.1", "stream", '      suspended: "(suspended - revokedNonRunning - revokedRestoring) | ok"\n      runningByPartition: "without(runningByPartition, revoked)"', '      suspended: "(suspended - revokedNonRunning - revokedRestoring) | ok"\n      runningByPartition: runningByPartition'),
    ("restoringIsIndexed", "2.3.1", "stream", "{in: eager, is: restoringByPartition | index(toRestore)}", "{in: eager, is: restoringByPartition}"),
    ("restoringIsIndexed", "2.5.1", "stream", 'leftover: [{in: cooperative, is: "without(restoringByPartition, moved)"}]', 'leftover: [{in: cooperative, is: restoringByPartition}]'),
    ("whatIsAnsweredIsSo", "2.3.1", "stream", "created == set() and suspended == set() and restoring == set()", "suspended == set() and restoring == set()"),
    ("whatIsAnsweredIsSo", "2.5.1", "stream", "hasRunningTasks: {is: running != set()}", "hasRunningTasks: {is: running == set()}"),
    ("standbysDoNotRestore", "2.1.1", "standby", "kind == 'stream' or toRestore == set()", "kind == 'stream' or toRestore <= created"),
    ("noZombieIsServed", "2.5.1", "stream", '      suspended: "(suspended - revokedNonRunning - revokedRestoring) | ok"\n      runningByPartition: "without(runningByPartition, revoked)"', '      suspended: "(suspended - revokedNonRunning - revokedRestoring) | ok"\n      runningByPartition: runningByPartition'),
    ("nothingRestoringIsClosed", "2.3.1", "stream", "effect:\n      restoring: set()\n      restoredPartitions", "effect:\n      restoredPartitions"),
    ("noWayBack", "2.3.1", "stream", 'created: set()\n      restoring: [{in: "..2.1.1", is: set()}]\n      runningByPartition', 'created: ok\n      restoring: [{in: "..2.1.1", is: set()}]\n      runningByPartition'),
    ("suspendedWereRunning", "2.3.1", "stream", "suspended: suspended | ok\n      previousActiveTasks", "suspended: suspended | ok | created\n      previousActiveTasks"),
]  # fmt: skip
"""A property; the release and kind that show it; a text of the spec, and what stands there in the mutant."""


@pytest.mark.long
@pytest.mark.parametrize(("name", "release", "kind", "text", "instead"), MUTANTS)
def test_each_property_has_a_mutant_that_breaks_it(
    name: str, release: str, kind: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that nothing can break says nothing."""
    made = mutant(tmp_path, text, instead, release)
    for seed in range(60):
        run = simulate(
            made, seed=seed, steps=60, scope=ExplorationScope(parameters=called(release, kind))
        )
        if any(
            one.property.name == name and one.verdict is Verdict.VIOLATED for one in run.noticed
        ):
            return
    pytest.fail("no walk notices it")


def mutant(folder: Path, text: str, instead: str, release: str) -> MachineDefinition:
    """Return the registries' machine with one text of its spec changed."""
    original = specs_folder() / "kafka"
    spoiled = planted("kafka/AssignedTasks", text, instead)
    (folder / "kafka").mkdir()
    shutil.copy(original / "kafka.yaml", folder / "kafka")
    (folder / "kafka" / "AssignedTasks.yaml").write_text(spoiled, "utf-8")
    return machine_of(load_spec("kafka/AssignedTasks", folder=folder), release)


def test_every_property_has_a_mutant() -> None:
    """A property that is added needs one too; those that are expected to fail are broken as they stand."""
    claimed: set[tuple[str, Any]] = {
        (one.name, one.expect_fails)
        for release in RELEASES
        for one in machine(release).data.properties
    }
    named = {name for name, fails in claimed if not fails} - {"allAreSuspended", "no deadlock"}
    assert named == {name for name, *_ in MUTANTS}


def test_the_spec_has_the_text_of_every_mutant() -> None:
    """A name that is changed in the spec is changed here too; the walks come with `--long` only."""
    assert all(planted("kafka/AssignedTasks", old, new) for _, _, _, old, new in MUTANTS)
