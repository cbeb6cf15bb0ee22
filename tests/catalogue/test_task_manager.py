"""The spec of TaskManager does what Kafka's own unit tests of it expect, and keeps what it promises on random walks."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.value_acceptance import accept_value
from tests.catalogue.manager_rows import A, B, Scenario, assigned
from tests.catalogue.manager_scenarios import MADE_UP, SCENARIOS
from tests.catalogue.manager_scenarios_unseen import UNSEEN
from tests.catalogue.planting import planted
from tests.shipped import shipped

SPEC = shipped("kafka/TaskManager")
ROWS = [
    pytest.param(row, release, id=f"{row.test}-{number}-{release}")
    for number, row in enumerate([*SCENARIOS, *UNSEEN])
    for release in row.releases
]


def begin(scenario: Scenario, release: str) -> Snapshot:
    """Return the snapshot that a scenario is given."""
    machine = SPEC.at(release)
    fixed = {
        "stateless": set(),
        "processingMode": scenario.mode,
        "stateUpdaterEnabled": scenario.updater,
    }
    made = machine.start(**{one.name: fixed[one.name] for one in machine.value.data.parameters})
    if "tasks" not in made.variables:
        return made
    tasks = accept_value(machine.value.data.variable("tasks").type, scenario.given)
    held = FrozenMap(
        {**made.variables, "tasks": tasks, "rebalanceInProgress": scenario.rebalancing}
    )
    return sm.Snapshot(made.state, held, made.parameters)


def filled(
    machine: MachineDefinition, event: str, arguments: dict[str, Any], before: Snapshot
) -> dict[str, Any]:
    """Return a call's arguments: what the scenario does not name goes well."""
    signature = next(one.signature for one in machine.events if one.name == event)
    taken = signature.arguments if signature else ()
    well: dict[str, Any] = {
        "outcome": "committed",
        "failure": "none",
        "kafkaFirst": False,
        "failures": {},
        "standbyAnswers": {},
        "failedInUpdater": {} if event == "handleRevocation" else set(),
    }
    return {one.name: arguments.get(one.name, well.get(one.name, set())) for one in taken}


@pytest.mark.parametrize(("scenario", "release"), ROWS)
def test_the_unit_tests_of_kafka_hold_for_the_spec(scenario: Scenario, release: str) -> None:
    """Given tasks, calls, and what is there, given back and thrown after them."""
    machine, now = SPEC.at(release).value, begin(scenario, release)
    for event, arguments in scenario.calls:
        answer = sm.step(machine, now, event, **filled(machine, event, arguments, now))
        now = answer.after
    tasks = now.variables.get("tasks", {})
    if scenario.states is not None:
        assert {each: info.state for each, info in tasks.items()} == scenario.states
    assert {
        each: tasks[each].place for each in scenario.places if not scenario.updater or each in tasks
    } == scenario.places
    assert {each: tasks[each].commitNeeded for each in scenario.flags} == scenario.flags
    assert answer.error == scenario.error
    if isinstance(scenario.returned, dict):
        assert {name: answer.returned[name] for name in scenario.returned} == scenario.returned
    elif scenario.returned is not None:
        told = answer.returned["value"] if isinstance(answer.returned, dict) else answer.returned
        assert told == scenario.returned


def test_every_scenario_of_the_facts_is_in_the_table(shared: Path) -> None:
    """A scenario that nobody wrote down would not be tested."""
    facts = json.loads((shared / "facts/kafka_streams_facts.json").read_text())
    named = {
        one["test"] for one in facts["unit_test_scenarios"] if one["class"] == "TaskManagerTest"
    }
    assert named == {row.test for row in SCENARIOS} - MADE_UP


WALKED = [
    "1.0.2",
    "2.1.1",
    "2.3.1",
    "2.5.1",
    "2.6.3",
    "2.7.2",
    "2.8.2",
    "3.3.2",
    "3.5.2",
    "3.7.2",
    "3.9.1",
    "4.3.1",
]


@pytest.mark.parametrize("release", WALKED)
def test_random_walks_keep_every_property(release: str) -> None:
    """Whatever others answer, no task is where it cannot be."""
    for seed in range(3):
        walk = SPEC.at(release).simulate(seed=seed, steps=120)
        assert [one.property.name for one in walk.noticed if one.verdict is Verdict.VIOLATED] == []
        assert walk.wrong == ()


MUTANTS = [
    (
        "neverClosed",
        "2.8.2",
        "{t: i for t, i in tasks.items() if i.kind == 'standby'}",
        "{t: i if i.kind == 'standby' else replace(i, state='CLOSED') for t, i in tasks.items()}",
    ),
    (
        "standbyNeverRestores",
        "2.8.2",
        "'RESTORING' if i.kind == 'active' else 'RUNNING'",
        "'RESTORING'",
    ),
    (
        "askedOnlyIfNeeded",
        "2.8.2",
        "i with {commitNeeded: True, commitRequested: i",
        "i with {commitRequested: i",
    ),
    (
        "standbyNeverAsks",
        "2.8.2",
        "tasks[updated] with {commitNeeded: True",
        "tasks[updated] with {commitNeeded: True, commitRequested: True",
    ),
    (
        "createdHasNothingToCommit",
        "2.8.2",
        "commitNeeded=False, commitRequested=False, place=",
        "commitNeeded=True, commitRequested=False, place=",
    ),
    (
        "nothingIsNotedWithoutUpdater",
        "3.5.2",
        "for t in inUpdater if t not in activeTasks",
        "for t in inRegistry if t not in activeTasks",
    ),
    (
        "whereTasksAre",
        "3.5.2",
        "'pendingInit' if withUpdater else 'registry'",
        "'registry' if withUpdater else 'pendingInit'",
    ),
    (
        "whereTasksAre",
        "2.8.2",
        "'pendingInit' if withUpdater else 'registry'",
        "'registry' if withUpdater else 'pendingInit'",
    ),
    (
        "whereTasksAre",
        "3.9.1",
        "{state: RUNNING, place: 'registry'} if i.place == 'updater'",
        "{state: RUNNING} if i.place == 'updater'",
    ),
    (
        "addedAreAssigned",
        "2.5.1",
        "for t, ps in assignedStandbyTasks.items() if t not in standbyTasks",
        "for t, ps in assignedStandbyTasks.items()",
    ),
    (
        "nothingIsCommittedInARebalanceBut",
        "2.8.2",
        "- {include: notInRebalance}",
        "",
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("broken", "release", "old", "new"),
    [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in MUTANTS],
)
def test_a_spec_with_a_mistake_breaks_its_property_on_a_walk(
    broken: str, release: str, old: str, new: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    mutant = tmp_path / "TaskManager.yaml"
    mutant.write_text(planted("kafka/TaskManager", old, new), "utf-8")
    machine = sm.load(mutant).at(release)
    walks = (machine.simulate(seed=seed, steps=300) for seed in range(400))
    assert any(
        one.property.name == broken and one.verdict is Verdict.VIOLATED
        for walk in walks
        for one in walk.noticed
    )


def test_every_property_has_a_mutant() -> None:
    """One that is added needs one too."""
    claims = {PropertyKind.ALWAYS, PropertyKind.EACH_STEP, PropertyKind.LEADS_TO}
    claimed = {
        one.name
        for release in SPEC.releases
        for one in SPEC.at(release).value.data.properties
        if one.kind in claims
    }
    assert claimed == {row[0] for row in MUTANTS}


ANSWERS = ("refused", "resumed", "TaskMigratedException", "StreamsException")


@pytest.mark.parametrize("release", ["1.0.2", "2.2.1", "2.3.1", "2.4.1", "2.5.1"])
@pytest.mark.parametrize("assignment", [set(), {A}, {A, B}], ids=["none", "one", "both"])
def test_a_task_of_the_callbacks_partitions_is_resumed_or_made(
    release: str, assignment: set[str]
) -> None:
    """Never both and never neither, as its answer says; one that throws stops all, and nothing is made."""
    machine = SPEC.at(release).value
    held = {"activeTasks": assigned(A, B), "standbyTasks": {}}
    now = begin(Scenario("", (release,), ()), release)
    for _ in range(2):  # in the second assignment they are no longer new
        now = sm.step(
            machine,
            now,
            "setAssignmentMetadata",
            **filled(machine, "setAssignmentMetadata", held, now),
        ).after
    names = {
        one.name
        for event in machine.events
        if event.name == "createTasks" and event.signature
        for one in event.signature.arguments
    }
    for answers in product(ANSWERS, ANSWERS):
        by_task = dict(zip((A, B), answers, strict=True))
        thrown = [answer for answer in answers if answer.endswith("Exception")]
        if len(thrown) == 2:
            continue
        given = {"assignment": assignment, "answers": by_task, "partitionsToTaskId": {A: A, B: B}}
        arguments = {name: value for name, value in given.items() if name in names}
        answer = sm.step(
            machine, now, "createTasks", **filled(machine, "createTasks", arguments, now)
        )
        meant = {by_task[task] for task in assignment if by_task[task] in thrown}
        assert {answer.error} - {None} == meant
        if meant:
            assert answer.after == now
            continue
        for result, word in (("created", "refused"), ("resumed", "resumed")):
            assert answer.returned[result] == {task for task in assignment if by_task[task] == word}


@pytest.mark.parametrize("release", ["2.6.3", "2.8.2", "3.4.1", "3.9.2", "4.3.1"])
def test_which_tasks_are_committed_is_told(release: str) -> None:
    """By the interval: those that run or restore and need it, standby tasks too; by request: all active ones, where one of them asked."""
    machine = SPEC.at(release)
    info = machine.value.data.variable("tasks").type

    def tasks(*, asked: bool) -> sm.Snapshot:
        rows = {"a": ("active", "RUNNING", True, asked), "b": ("active", "RUNNING", True, False), "c": ("active", "RUNNING", False, False),
                "d": ("standby", "RUNNING", True, False), "e": ("active", "SUSPENDED", True, False)}  # fmt: skip
        held = {
            name: {
                "kind": kind,
                "state": state,
                "partitions": set(),
                "commitNeeded": needed,
                "commitRequested": asks,
                "place": "registry",
            }
            for name, (kind, state, needed, asks) in rows.items()
        }
        fixed = {
            "stateless": set(),
            "processingMode": "AT_LEAST_ONCE",
            "stateUpdaterEnabled": False,
        }
        made = machine.start(**{one.name: fixed[one.name] for one in machine.value.data.parameters})
        return sm.Snapshot(
            made.state,
            FrozenMap({**made.variables, "tasks": accept_value(info, held)}),
            made.parameters,
        )

    by_time, by_request = (
        machine.define["tasksOfACommit"],
        machine.define["tasksOfARequestedCommit"],
    )
    now = tasks(asked=False)
    assert (by_time(now), by_request(now)) == ({"a", "b", "c", "d"}, frozenset())
    assert by_request(tasks(asked=True)) == {"a", "b", "e"}


def test_the_spec_has_the_text_of_every_mutant() -> None:
    """A name that is changed in the spec is changed here too; the walks come with `--long` only."""
    assert all(planted("kafka/TaskManager", old, new) for _, _, old, new in MUTANTS)
