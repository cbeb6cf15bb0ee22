"""One task from 2.6.0 on: what Kafka's unit tests and its code say of every method in every state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.facts import STREAMS, read
from tests.catalogue.scenarios import Call, Row, filled, machine_at, play, runs
from tests.catalogue.task_scenarios import ACTIVE, OTHERS, SCENARIOS, SINCE_2_6, STANDBY

STATES = ("CREATED", "RESTORING", "RUNNING", "SUSPENDED", "CLOSED")
RECYCLE = {
    release: "closeCleanAndRecycleState" if release < "3.4" else "prepareRecycle"
    for release in SINCE_2_6
}


@pytest.mark.parametrize(("row", "release"), runs([*SCENARIOS, *OTHERS]))
def test_a_task_does_what_kafkas_unit_tests_say(row: Row, release: str) -> None:
    """Nothing but the spec is asked."""
    play(row, release)


def asked(release: str, kind: str, event: str, state: str, *, needed: bool = False) -> Any:
    """Return what comes of a method in a state, where all goes well below."""
    machine = machine_at("kafka/Task", release)
    begun = machine.start(kind=kind, eosEnabled=False)
    now = sm.Snapshot(state, {**begun.variables, "commitNeeded": needed}, begun.parameters)
    return sm.step(
        machine,
        now,
        event,
        **filled(machine, Call(event, arguments={"clean": True, "enforceCheckpoint": True})),
    )


def events_of(name: str, release: str) -> list[str]:
    """Return the events that a key of the facts is about."""
    return [RECYCLE[release]] if name.startswith("recycle") else name.split(" / ")


def comes_out(told: str, answer: Any, state: str) -> bool:
    """Say whether an answer is what the facts tell in words."""
    if "IllegalStateException" in told or "TaskMigratedException" in told:
        return bool(answer.error and answer.error in told and answer.after.state == state)
    if "->" in told:
        return bool(
            answer.error is None
            and answer.after.state == told.split("->")[-1].split()[0].rstrip(",;")
        )
    return bool(answer.error is None and answer.after.state == state)


@pytest.mark.parametrize("release", SINCE_2_6)
@pytest.mark.parametrize("of", ["StreamTask", "StandbyTask"])
def test_every_method_does_in_every_state_what_the_facts_say(
    shared: Path, of: str, release: str
) -> None:
    """The facts' table of outcomes, cell by cell."""
    table = read(shared, STREAMS)["task"]["method_outcomes"][of]
    kind = {"StreamTask": "active", "StandbyTask": "standby"}[of]
    wrong, looked = [], 0
    for name, told in table.items():
        for event in events_of(name, release):
            for state in STATES:
                words = told.get(state) or told.get("any other") or told.get("any")
                looked += 1
                if not comes_out(words, asked(release, kind, event, state), state):
                    wrong.append((event, state, words))
            if "any state with commitNeeded" in told:
                wrong += [
                    (event, s, "with commitNeeded")
                    for s in STATES
                    if asked(release, kind, event, s, needed=True).error != "TaskMigratedException"
                ]
    assert wrong == []
    assert looked >= 45


@pytest.mark.parametrize("release", ["2.6.0", *SINCE_2_6])
def test_every_method_takes_moves_of_the_table(release: str) -> None:
    """What a log is judged by: a method takes one of its moves, or several in a row, or none."""
    machine = machine_at("kafka/Task", release)
    for arrow in machine.value.transitions:
        once = machine.allows(arrow.source, arrow.target) or arrow.source == arrow.target
        twice = any(
            machine.allows(arrow.source, middle) and machine.allows(middle, arrow.target)
            for middle in STATES
        )
        assert once or twice, arrow
    assert not machine.allows("CREATED", "RUNNING")
    assert not any(machine.allows(state, state) for state in STATES)


def test_a_state_alone_may_be_asked_for_moves() -> None:
    """A table of moves needs no flags; a method does."""
    machine = machine_at("kafka/Task", "3.5.2")
    assert sm.step(machine, sm.Snapshot("RUNNING"), "to_SUSPENDED").after.state == "SUSPENDED"
    assert sm.step(machine, sm.Snapshot("RUNNING"), "to_CLOSED").error == "IllegalStateException"
    with pytest.raises(sm.ArgumentsError, match="kind"):
        sm.step(machine, sm.Snapshot("RUNNING"), "suspend", closeFails=False)


@pytest.mark.parametrize("of", [ACTIVE, STANDBY])
def test_a_corrupted_task_comes_back(of: dict[str, Any]) -> None:
    """closeDirtyAndRevive: whatever it was doing, it begins anew and runs again."""
    machine = machine_at("kafka/Task", "3.9.1")
    now = machine.start(**of)
    for event in ("initializeIfNeeded", "suspend", "closeDirty", "revive", "initializeIfNeeded"):
        now = sm.step(machine, now, event, **filled(machine, Call(event))).after
    assert now.state == ("RESTORING" if of is ACTIVE else "RUNNING")


def test_in_2_6_a_task_with_transactions_is_committed_again_and_again() -> None:
    """Only a checkpoint takes the flag back there, and with transactions a running task writes none."""
    for release, needed in (("2.6.3", True), ("2.7.2", False)):
        machine = machine_at("kafka/Task", release)
        begun = machine.start(kind="active", eosEnabled=True)
        now = sm.Snapshot("RUNNING", {**begun.variables, "commitNeeded": True}, begun.parameters)
        assert (
            sm.step(
                machine, now, "postCommit", **filled(machine, Call("postCommit"))
            ).after.variables["commitNeeded"]
            is needed
        )


@pytest.mark.parametrize("release", ["2.6.3", "2.8.2", "4.3.1"])
def test_every_method_outcome_is_reached_and_no_property_is_broken(release: str) -> None:
    """Exhaustively, for both kinds, with and without transactions."""
    found = explore(machine_at("kafka/Task", release).value)
    assert [each.name for each in found.examined if each.verdict is not Verdict.HOLDS] == []
