"""Batches of partitions and replicas: what Kafka's own unit tests expect, rounds that are tried again, and mutants that are noticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.value_acceptance import accept_value
from tests.catalogue.partition_scenarios import (
    BY_OFFLINE,
    BY_PREFERRED,
    NONE,
    PARTITIONS,
    REPLICAS,
    Batches,
    P,
    Replicas,
)
from tests.shipped import shipped

PARTITION, REPLICA = (
    shipped("kafka/ZkPartitionStateMachine"),
    shipped("kafka/ZkReplicaStateMachine"),
)


def begin(spec: Any, release: str, **held: Any) -> Snapshot:
    """Return a controller that holds some things, and nothing else."""
    machine = spec.at(release)
    made = machine.start(controllerId=1)
    given = {
        name: accept_value(machine.value.data.variable(name).type, value)
        for name, value in held.items()
    }
    return Snapshot(made.state, FrozenMap({**made.variables, **given}), made.parameters)


def call(
    spec: Any, release: str, now: Snapshot, event: str, answers: dict[str, Any], **arguments: Any
) -> Any:
    """Let a batch or a round happen; ZooKeeper says OK to whatever `answers` does not name, and topics forbid unclean elections."""
    machine = spec.at(release)
    asked = asked_about(machine, now, arguments, answers)
    return sm.step(machine, now, event, **arguments, **asked)


def asked_about(
    machine: Any, now: Snapshot, arguments: dict[str, Any], answers: dict[str, Any]
) -> dict[str, Any]:
    """Return ZooKeeper's answers for exactly those partitions that it is asked about."""
    define = machine.define

    def said(name: str, partitions: Any, well: str) -> dict[str, str]:
        given = answers.get(name, {})
        return {
            each: given if isinstance(given, str) else given.get(each, well) for each in partitions
        }

    if "replicaId" in arguments:
        broker = arguments["replicaId"]
        with_leader = define["replicasWithLeadershipInfo"](
            now, broker, arguments["partitions"], arguments["targetState"]
        )
        states = said("getTopicPartitionStatesRaw", with_leader, "OK")
        written = define["leaderAndIsrsWithReplica"](now, broker, states)
        return {
            "getTopicPartitionStatesRaw": states,
            "updateLeaderAndIsr": said("updateLeaderAndIsr", written, "OK"),
        }
    strategy, made = now.variables["strategy"], dict[str, Any]()
    electing = define["round"](now)
    if arguments:
        strategy = arguments["partitionLeaderElectionStrategyOpt"]
        created = define["partitionsWithLiveReplicas"](
            now, arguments["partitions"], arguments["targetState"]
        )
        electing = define["partitionsToElectLeader"](
            now, arguments["partitions"], arguments["targetState"]
        )
        made = {
            "createTopicPartitionStatesRaw": said("createTopicPartitionStatesRaw", created, "OK")
        }
    states = said("getTopicPartitionStatesRaw", electing, "OK")
    valid = define["validLeaderAndIsrs"](now, set(states), states)
    configs = said("getLogConfigs", define["askedForLogConfigs"](now, valid, strategy), "disabled")
    updates = said("updateLeaderAndIsr", define["withLeaders"](now, valid, strategy, configs), "OK")
    return {
        **made,
        "getTopicPartitionStatesRaw": states,
        "getLogConfigs": configs,
        "updateLeaderAndIsr": updates,
    }


def batch(
    release: str,
    now: Snapshot,
    partitions: set[str],
    target: str,
    strategy: str | None = None,
    **answers: Any,
) -> Any:
    """Ask for a batch of partitions."""
    asked = {
        "partitions": partitions,
        "targetState": target,
        "partitionLeaderElectionStrategyOpt": strategy,
    }
    return call(PARTITION, release, now, "handleStateChanges", answers, **asked)


def given(row: Batches, release: str) -> tuple[Snapshot, set[str]]:
    """Return what a scenario begins with, and its partitions."""
    states = {P: row.given} if isinstance(row.given, str) else dict(row.given)
    known = {each: state for each, state in states.items() if state != NONE}
    nodes = dict.fromkeys(states, row.node) if row.node else {}
    offline = (
        {}
        if release in ("1.1.0", "1.1.1", "2.0.1")
        else {"offlinePartitionCount": sum(s == "OfflinePartition" for s in known.values())}
    )
    held = {
        "partitionStates": known,
        "topicPartitionStates": nodes,
        "partitionLeadershipInfo": nodes,
        "liveBrokers": row.live,
    }
    held |= {
        "shuttingDownBrokerIds": row.leaving,
        "partitionReplicaAssignment": dict.fromkeys(states, row.assignment),
        **offline,
    }
    return begin(PARTITION, release, **held), set(states)


@pytest.mark.parametrize(
    ("row", "release"),
    [pytest.param(r, each, id=f"{r.test}-{each}") for r in PARTITIONS for each in r.releases],
)
def test_the_unit_tests_of_partitions_hold_for_the_spec(row: Batches, release: str) -> None:
    """States, leader, in-sync replicas, leader epoch, what is sent, and what is told of those that stay."""
    now, partitions = given(row, release)
    for target in row.before:
        now = batch(release, now, partitions, target, row.strategy).after
    answer = batch(release, now, partitions, row.target, row.strategy, **row.answers)
    after = answer.after.variables
    wanted = {P: row.states} if isinstance(row.states, str) else dict(row.states)
    assert dict(after["partitionStates"]) == wanted
    assert answer.returned["logInvalidTransition"] == (partitions if row.invalid else frozenset())
    told = answer.returned["logFailedStateChange"]
    assert {each: why.failure for each, why in told.items()} == dict.fromkeys(
        partitions if row.failure or row.invalid else (), row.failure or "IllegalStateException"
    )
    if row.leader:
        one = after["partitionLeadershipInfo"][P]
        assert (one.leaderAndIsr.leader, one.leaderAndIsr.isr, one.leaderEpoch) == row.leader
        assert after["topicPartitionStates"][P] == one
    requests = {
        each: (tuple(r.recipients), r.isNew)
        for each, r in answer.returned["sendRequestsToBrokers"].items()
    }
    assert row.sent is None or requests == {P: row.sent}
    assert row.offline is None or after["offlinePartitionCount"] == row.offline
    assert after["leaderAndIsrRequestMap"] == {}


@pytest.mark.parametrize(
    ("row", "release"),
    [pytest.param(r, each, id=f"{r.test}-{each}") for r in REPLICAS for each in r.releases],
)
def test_the_unit_tests_of_replicas_hold_for_the_spec(row: Replicas, release: str) -> None:
    """The replica's state, what is sent to whom, and what ZooKeeper holds."""
    one = (P, 5)
    known = {} if row.given == "NonExistentReplica" else {one: row.given}
    nodes = {P: row.node} if row.node else {}
    now = begin(
        REPLICA,
        release,
        replicaStates=known,
        topicPartitionStates=nodes,
        partitionLeadershipInfo=nodes,
        liveBrokers=row.live,
        partitionReplicaAssignment={P: row.assignment},
    )
    answer = call(
        REPLICA,
        release,
        now,
        "handleStateChanges",
        {},
        replicaId=5,
        partitions={P},
        targetState=row.target,
    )
    after, told = answer.after.variables, answer.returned
    gone = row.state == "NonExistentReplica" and row.target == row.state
    assert {tuple(each): state for each, state in after["replicaStates"].items()} == (
        {} if gone else {one: row.state}
    )
    assert (told["logInvalidTransition"] != frozenset()) == row.test.startswith("testInvalid")
    assert {tuple(r.recipients): r.isNew for r in told["sendRequestsToBrokers"].values()} == (
        {tuple(row.sent[0]): row.sent[1]} if row.sent else {}
    )
    assert list(told["stopReplica"].values()) == ([] if row.stopped is None else [row.stopped])
    assert bool(told.get("updateMetadata")) == (row.metadata and release not in ("2.0.1", "2.2.2"))
    if row.leader:
        node = after["topicPartitionStates"][P].leaderAndIsr
        assert (node.leader, node.isr) == row.leader


def test_a_replica_that_starts_on_a_live_broker_is_online() -> None:
    """ReplicaStateMachineTest.testStartupOnlinePartition: startup gives it its state, and then asks for it once more."""
    machine = REPLICA.at("3.9.2")
    now = begin(REPLICA, "3.9.2", liveBrokers={5}, partitionReplicaAssignment={P: (5,)})
    now = sm.step(machine, now, "initializeReplicaState").after
    online = machine.define["onlineAndOfflineReplicas"](now, True)
    assert {tuple(each) for each in online} == {(P, 5)}
    now = call(
        REPLICA,
        "3.9.2",
        now,
        "handleStateChanges",
        {},
        replicaId=5,
        partitions={P},
        targetState="OnlineReplica",
    ).after
    assert set(now.variables["replicaStates"].values()) == {"OnlineReplica"}


STARTS = "testStartupOnlinePartition"


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("PartitionStateMachineTest", {row.test for row in PARTITIONS}),
        ("ReplicaStateMachineTest", {row.test for row in REPLICAS} | {STARTS}),
    ],
)
def test_every_scenario_of_the_facts_is_in_the_tables(
    name: str, rows: set[str], shared: Path
) -> None:
    """None is left out."""
    facts = json.loads((shared / "facts/kafka_controller_facts.json").read_text())
    assert {one["test"] for one in facts["unit_test_scenarios"] if one["class"] == name} <= rows


TWO = {"t-0", "t-1"}


def offline(release: str, **held: Any) -> Snapshot:
    """Return a controller with two offline partitions, both of which could have broker 5 as leader."""
    nodes = dict.fromkeys(TWO, ((None, (5,)), 3, 1))
    counted = {} if release in ("1.1.0", "1.1.1", "2.0.1") else {"offlinePartitionCount": 2}
    told = {
        "partitionStates": dict.fromkeys(TWO, "OfflinePartition"),
        "topicPartitionStates": nodes,
        "partitionLeadershipInfo": nodes,
    }
    told |= {
        "liveBrokers": {5},
        "partitionReplicaAssignment": dict.fromkeys(TWO, (5, 6)),
        **counted,
    }
    return begin(PARTITION, release, **{**told, **held})


@pytest.mark.parametrize(
    ("release", "epochs"),
    [("1.1.1", (5, 4)), ("2.3.1", (5, 4)), ("2.4.1", (4, 4)), ("3.9.2", (4, 4))],
)
def test_up_to_2_3_1_whoever_is_elected_is_elected_again_with_those_that_are_tried_again(
    release: str, epochs: tuple[int, int]
) -> None:
    """Each round takes the whole batch there; the leader epoch of the first partition is one more than it need be."""
    first = batch(
        release,
        offline(release),
        TWO,
        "OnlinePartition",
        BY_OFFLINE,
        updateLeaderAndIsr={"t-1": "BADVERSION"},
    )
    assert first.after.state == "ELECTING"
    assert set(first.after.variables["partitionStates"].values()) == {"OfflinePartition"}
    last = call(PARTITION, release, first.after, "doElectLeaderForPartitions", {})
    nodes = last.after.variables["topicPartitionStates"]
    assert (nodes["t-0"].leaderEpoch, nodes["t-1"].leaderEpoch) == epochs
    assert last.after.state == "READY"
    assert set(last.after.variables["partitionStates"].values()) == {"OnlinePartition"}
    assert set(last.returned["sendRequestsToBrokers"]) == TWO


@pytest.mark.parametrize(("release", "again"), [("2.3.1", {"t-0"}), ("2.8.2", set())])
def test_a_failed_election_is_told_once_more_with_each_round_up_to_2_3_1(
    release: str, again: set[str]
) -> None:
    """It is among those that are tried again there; what is given back names it once."""
    now = offline(
        release, topicPartitionStates={"t-0": ((None, (7,)), 3, 1), "t-1": ((None, (5,)), 3, 1)}
    )
    first = batch(release, now, TWO, "OnlinePartition", BY_OFFLINE, updateLeaderAndIsr="BADVERSION")
    assert set(first.returned["logFailedStateChange"]) == {"t-0"}
    last = call(PARTITION, release, first.after, "doElectLeaderForPartitions", {})
    assert set(last.returned["logFailedStateChange"]) == again
    assert last.returned["value"]["t-0"].failure == "StateChangeFailedException"
    assert last.after.variables["partitionStates"] == {
        "t-0": "OfflinePartition",
        "t-1": "OnlinePartition",
    }


def test_what_is_given_back_changed_twice() -> None:
    """Nothing up to 2.0.1, failures from 2.1.0 on, leaders too from 2.4.0 on."""
    nodes = {"t-0": ((None, (7,)), 3, 1), "t-1": ((None, (5,)), 3, 1)}
    given = {
        each: batch(
            each, offline(each, topicPartitionStates=nodes), TWO, "OnlinePartition", BY_OFFLINE
        )
        for each in ("2.0.1", "2.1.1", "2.4.1")
    }
    assert "value" not in given["2.0.1"].returned
    assert set(given["2.1.1"].returned["value"]) == {"t-0"}
    assert given["2.4.1"].returned["value"]["t-1"].leaderAndIsr == (5, (5,))


def test_after_the_controller_moved_nothing_is_sent_and_no_batch_begins() -> None:
    """The first leader of a new partition was written and waits in the batch; only a new epoch has an empty one."""
    now = offline(
        "3.9.2",
        partitionStates={"t-0": "NewPartition", "t-1": "OfflinePartition"},
        topicPartitionStates={"t-1": ((None, (5,)), 3, 1)},
    )
    moved = batch(
        "3.9.2",
        now,
        TWO,
        "OnlinePartition",
        BY_OFFLINE,
        updateLeaderAndIsr="ControllerMovedException",
    )
    assert (moved.error, set(moved.after.variables["leaderAndIsrRequestMap"])) == (
        "ControllerMovedException",
        {"t-0"},
    )
    assert moved.after.variables["partitionStates"] == {
        "t-0": "OnlinePartition",
        "t-1": "OfflinePartition",
    }
    assert PARTITION.at("3.9.2").text("controllerMoved", moved.after) == (
        "Controller moved to another broker when moving some partitions to OnlinePartition state"
    )
    stuck = batch("3.9.2", moved.after, {"t-1"}, "OfflinePartition")
    assert (stuck.returned["error"], stuck.returned["value"]["t-1"].failure) == (
        "IllegalStateException",
    ) * 2
    anew = sm.step(PARTITION.at("3.9.2"), moved.after, "onControllerFailover").after
    assert batch("3.9.2", anew, {"t-2"}, "NewPartition").after.variables["partitionStates"] == {
        "t-2": "NewPartition"
    }


@pytest.mark.parametrize("release", ["1.1.1", "2.3.1", "2.8.2", "3.9.2"])
def test_another_partitions_stuck_reassignment_does_not_stop_a_preferred_election(
    release: str,
) -> None:
    """testAutoPreferredReplicaLeaderElectionWithOtherReassigningPartitions: what waits for a dead broker stays as it was."""
    nodes = {"t-0": ((5, (5,)), 3, 1), "t-1": ((5, (5, 6)), 3, 1)}
    held = {
        "partitionStates": dict.fromkeys(TWO, "OnlinePartition"),
        "topicPartitionStates": nodes,
        "partitionLeadershipInfo": nodes,
    }
    held |= {"liveBrokers": {5, 6}, "partitionReplicaAssignment": {"t-0": (7, 5), "t-1": (6, 5)}}
    now = begin(PARTITION, release, **held)
    after = batch(release, now, {"t-1"}, "OnlinePartition", BY_PREFERRED).after.variables
    assert (
        after["topicPartitionStates"]["t-1"].leaderAndIsr.leader,
        after["topicPartitionStates"]["t-1"].leaderEpoch,
    ) == (6, 4)
    assert after["topicPartitionStates"]["t-0"] == now.variables["topicPartitionStates"]["t-0"]
    assert dict(after["partitionStates"]) == dict.fromkeys(TWO, "OnlinePartition")


def test_a_node_without_data_ends_the_whole_batch_up_to_2_3_1() -> None:
    """It is told as a failure there, and then read all the same; later it is one partition's failure."""
    old = batch(
        "2.3.1",
        offline("2.3.1"),
        TWO,
        "OnlinePartition",
        BY_OFFLINE,
        getTopicPartitionStatesRaw={"t-0": "NODATA"},
    )
    assert old.returned["error"] == "NoSuchElementException"
    assert set(old.after.variables["partitionStates"].values()) == {"OfflinePartition"}
    new = batch(
        "2.4.1",
        offline("2.4.1"),
        TWO,
        "OnlinePartition",
        BY_OFFLINE,
        getTopicPartitionStatesRaw={"t-0": "NODATA"},
    )
    assert new.after.variables["partitionStates"] == {
        "t-0": "OfflinePartition",
        "t-1": "OnlinePartition",
    }


@pytest.mark.parametrize("answer", ["disabled", "enabled", "failed"])
def test_a_topics_own_setting_decides_where_no_in_sync_replica_lives(answer: str) -> None:
    """One that cannot be read gives no leader, and is told."""
    nodes = dict.fromkeys(TWO, ((None, (7,)), 3, 1))
    given = batch(
        "2.8.2",
        offline("2.8.2", topicPartitionStates=nodes),
        TWO,
        "OnlinePartition",
        BY_OFFLINE,
        getLogConfigs=answer,
    )
    wanted = {"OnlinePartition"} if answer == "enabled" else {"OfflinePartition"}
    assert set(given.after.variables["partitionStates"].values()) == wanted
    assert given.returned["uncleanLeaderElectionRate"] == (TWO if answer == "enabled" else set())


def test_a_later_controllers_node_stops_an_election() -> None:
    """This controller does not know yet that it is none."""
    nodes = dict.fromkeys(TWO, ((None, (5,)), 3, 2))
    given = batch(
        "2.8.2", offline("2.8.2", topicPartitionStates=nodes), TWO, "OnlinePartition", BY_OFFLINE
    )
    assert {why.failure for why in given.returned["logFailedStateChange"].values()} == {
        "StateChangeFailedException"
    }
    assert (
        given.after.variables["topicPartitionStates"]
        == offline("2.8.2", topicPartitionStates=nodes).variables["topicPartitionStates"]
    )
