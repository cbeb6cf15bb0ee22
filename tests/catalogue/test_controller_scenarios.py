"""Kafka's tests of whole controllers, groups and transactions (given, when, expect), as steps of the specs; a list says where each scenario is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import attrs
import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.value_acceptance import accept_value
from tests.catalogue.claims import table
from tests.catalogue.facts import CONTROLLER, read
from tests.catalogue.partition_scenarios import (
    BY_OFFLINE,
    BY_PREFERRED,
    BY_REASSIGNMENT,
    BY_SHUTDOWN,
    PARTITIONS,
    REPLICAS,
    P,
)
from tests.catalogue.test_partition_batches import PARTITION, REPLICA, begin, call
from tests.shipped import shipped

SHARED = (
    "topicPartitionStates",
    "partitionLeadershipInfo",
    "liveBrokers",
    "shuttingDownBrokerIds",
    "partitionReplicaAssignment",
)
RELEASES = ("1.1.1", "2.2.2", "2.3.1", "2.8.2", "3.9.2")


@attrs.define
class Cluster:
    """A controller with its two machines, of one partition, and the ZooKeeper that both write to."""

    release: str
    partitions: Snapshot
    replicas: Snapshot
    failed: str | None = None
    """What the last call raised."""

    @property
    def node(self) -> Any:
        """What ZooKeeper holds of the partition."""
        return self.partitions.variables["topicPartitionStates"][P]

    @property
    def told(self) -> tuple[Any, tuple[int, ...], int]:
        """Leader, in-sync replicas, leader epoch."""
        return self.node.leaderAndIsr.leader, self.node.leaderAndIsr.isr, self.node.leaderEpoch

    @property
    def state(self) -> str:
        """The partition's state."""
        return str(self.partitions.variables["partitionStates"].get(P, "NonExistentPartition"))

    def context(self, **held: Any) -> None:
        """Change what the controller knows of its brokers and assignments."""
        self.partitions, self.replicas = (
            _with(spec, self.release, now, held) for spec, now in self._both()
        )

    def move(self, target: str, strategy: str | None = None, **answers: Any) -> None:
        """Ask for a batch of the one partition."""
        asked = {
            "partitions": {P},
            "targetState": target,
            "partitionLeaderElectionStrategyOpt": strategy,
        }
        answer = call(
            PARTITION, self.release, self.partitions, "handleStateChanges", answers, **asked
        )
        self.partitions, self.failed = answer.after, answer.error
        self.context(**{name: self.partitions.variables[name] for name in SHARED})

    def replica(self, broker: int, target: str, **answers: Any) -> None:
        """Ask for a batch of the one replica on a broker."""
        asked = {"replicaId": broker, "partitions": {P}, "targetState": target}
        answer = call(REPLICA, self.release, self.replicas, "handleStateChanges", answers, **asked)
        self.replicas, self.failed = answer.after, answer.error
        self.context(**{name: self.replicas.variables[name] for name in SHARED})

    def does(self, event: str, **arguments: Any) -> None:
        """Let an event of the partitions' machine happen."""
        self.partitions = sm.step(
            PARTITION.at(self.release), self.partitions, event, **arguments
        ).after
        self.context(**{name: self.partitions.variables[name] for name in SHARED})

    def fails(self, broker: int, **answers: Any) -> None:
        """Lose a broker: onBrokerFailure."""
        self.context(liveBrokers=self.partitions.variables["liveBrokers"] - {broker})
        if self.node.leaderAndIsr.leader == broker:
            self.move("OfflinePartition")
            self.move("OnlinePartition", BY_OFFLINE, **answers)
        self.replica(broker, "OfflineReplica")

    def starts(self, broker: int) -> None:
        """Get a broker: onBrokerStartup; a follower then joins the in-sync replicas."""
        self.context(liveBrokers=self.partitions.variables["liveBrokers"] | {broker})
        self.replica(broker, "OnlineReplica")
        if self.state == "OfflinePartition":
            self.move("OnlinePartition", BY_OFFLINE)
        self.in_sync(*self.node.leaderAndIsr.isr, *({broker} - set(self.node.leaderAndIsr.isr)))

    def in_sync(self, *isr: int) -> None:
        """Let the leader write its in-sync replicas."""
        node = (
            (self.node.leaderAndIsr.leader, isr),
            self.node.leaderEpoch,
            self.node.controllerEpoch,
        )
        self.context(topicPartitionStates={P: node})

    def _both(self) -> tuple[tuple[Any, Snapshot], tuple[Any, Snapshot]]:
        return (PARTITION, self.partitions), (REPLICA, self.replicas)


def _with(spec: Any, release: str, now: Snapshot, held: dict[str, Any]) -> Snapshot:
    data = spec.at(release).value.data
    given = {name: accept_value(data.variable(name).type, value) for name, value in held.items()}
    return Snapshot(now.state, FrozenMap({**now.variables, **given}), now.parameters)


def cluster(release: str, *assignment: int, live: set[int] | None = None) -> Cluster:
    """Return a controller that has just created a topic of one partition."""
    held = {
        "liveBrokers": live if live is not None else set(assignment),
        "partitionReplicaAssignment": {P: assignment},
    }
    made = Cluster(release, begin(PARTITION, release, **held), begin(REPLICA, release, **held))
    made.move("NewPartition")
    for broker in assignment:
        made.replica(broker, "NewReplica")
    made.move("OnlinePartition", BY_OFFLINE)
    for broker in assignment:
        made.replica(broker, "OnlineReplica")
    return made


@pytest.mark.parametrize("release", RELEASES)
def test_controller_integration(release: str) -> None:
    """testTopicPartitionExpansion, testPreferredReplicaLeaderElection: epochs count elections."""
    one = cluster(release, 0)
    assert (one.state, one.told) == ("OnlinePartition", (0, (0,), 0))
    two = cluster(release, 1, 0)
    two.fails(1)
    assert two.told == (0, (0,), 1)
    two.starts(1)
    two.move("OnlinePartition", BY_PREFERRED)
    assert two.told == (1, (0, 1), 2)


@pytest.mark.parametrize("release", RELEASES)
def test_a_stuck_reassignment_ends_when_its_target_comes(release: str) -> None:
    """testPartitionReassignmentResumesAfterReplicaComesOnline: the leader epoch is four more in the end."""
    one = cluster(release, 0)
    one.context(partitionReplicaAssignment={P: (0, 1)})
    one.partitions = _with(PARTITION, release, one.partitions, {"targetReplicas": {P: (1,)}})
    one.does("updateLeaderEpoch", partition=P)
    one.replica(1, "NewReplica")
    one.context(liveBrokers={0, 1})
    one.does("updateLeaderEpoch", partition=P)
    one.in_sync(0, 1)
    one.replica(1, "OnlineReplica")
    one.move("OnlinePartition", BY_REASSIGNMENT)
    one.replica(0, "OfflineReplica")
    for target in ("ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica"):
        one.replica(0, target)
    assert one.told == (1, (1,), 4)
    assert one.replicas.variables["partitionReplicaAssignment"] == {P: (1,)}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("unclean", ["disabled", "enabled"])
def test_the_last_in_sync_replica_stays(release: str, unclean: str) -> None:
    """No leader, and the dead broker in sync.

    testLeaderAndIsrWhenEntireIsrOfflineAndUncleanLeaderElectionDisabled, testLeaderAndIsrWhenEntireIsrOfflineAndUncleanLeaderElectionEnabled.
    """
    one = cluster(release, 0)
    one.fails(0, getLogConfigs=unclean)
    assert (one.state, one.told) == ("OfflinePartition", (None, (0,), 1))


@pytest.mark.parametrize("release", ["2.1.1", "2.3.1", "2.8.2", "3.9.2"])
def test_controlled_shutdown(release: str) -> None:
    """testControlledShutdown: a follower leaves the in-sync replicas; the last broker's partition keeps its leader."""
    one = cluster(release, 0, 1, 2)
    one.context(shuttingDownBrokerIds={2})
    one.replica(2, "OfflineReplica")
    assert one.told[:2] == (0, (0, 1))
    one.context(liveBrokers={0, 1}, shuttingDownBrokerIds={1})
    one.replica(1, "OfflineReplica")
    assert one.told[:2] == (0, (0,))
    one.context(liveBrokers={0}, shuttingDownBrokerIds={0})
    one.move("OnlinePartition", BY_SHUTDOWN)
    assert (one.state, one.told[0]) == ("OnlinePartition", 0)


@pytest.mark.parametrize("release", ["2.1.1", "2.3.1", "2.8.2", "3.9.2"])
@pytest.mark.parametrize("what", ["creation", "deletion", "preferred", "reassignment"])
def test_a_controller_that_moved_resigns(release: str, what: str) -> None:
    """A write is refused.

    testControllerMoveOnTopicCreation, testControllerMoveOnTopicDeletion, testControllerMoveOnPreferredReplicaElection,
    testControllerMoveOnPartitionReassignment.
    """
    one = cluster(release, 0, 1)
    moved = "ControllerMovedException"
    if what == "creation":
        one.partitions = _with(
            PARTITION,
            release,
            one.partitions,
            {"partitionStates": {P: "NewPartition"}, "topicPartitionStates": {}},
        )
        one.move("OnlinePartition", BY_OFFLINE, createTopicPartitionStatesRaw=moved)
    elif what == "deletion":
        one.replica(0, "OfflineReplica", updateLeaderAndIsr=moved)
    else:
        by = BY_PREFERRED if what == "preferred" else BY_REASSIGNMENT
        one.move("OnlinePartition", by, updateLeaderAndIsr=moved)
    assert one.failed == moved
    controller = shipped("kafka/Controller").at(release)
    assert (
        sm.step(controller, sm.Snapshot("Elected", {}, {}), "to_Resigned").after.state == "Resigned"
    )


@pytest.mark.parametrize("release", ["2.2.2", "2.8.2", "3.9.2"])
def test_a_bounced_broker_goes_offline_and_online_again(release: str) -> None:
    """testControllerDetectsBouncedBrokers: failure and start in one event."""
    one = cluster(release, 0, 1)
    one.fails(1)
    assert one.told[:2] == (0, (0,))
    one.starts(1)
    assert set(one.replicas.variables["replicaStates"].values()) == {"OnlineReplica"}


@pytest.mark.parametrize("release", RELEASES)
def test_an_epoch_grows_with_each_controller_and_outlives_the_brokers(release: str) -> None:
    """testControllerEpochPersistsWhenAllBrokersDown, testControllerMoveIncrementsControllerEpoch."""
    machine = PARTITION.at(release)
    now = sm.step(
        machine, begin(PARTITION, release, liveBrokers={0}), "setLiveBrokers", brokers=set()
    ).after
    assert now.variables["epoch"] == 1
    assert sm.step(machine, now, "onControllerFailover").after.variables["epoch"] == 2


GROUP, TRANSACTION = "kafka/ConsumerGroup", "kafka/TransactionCoordinator"
ILLEGAL = "IllegalStateException"
TABLES: list[tuple[str, str, str, list[str], str | None]] = [
    (
        "testCanRebalanceWhenCompletingRebalance",
        GROUP,
        "PreparingRebalance",
        ["CompletingRebalance", "PreparingRebalance"],
        None,
    ),
    ("testCannotRebalanceWhenDead", GROUP, "Dead", ["PreparingRebalance"], ILLEGAL),
    ("testStableToDeadTransition", GROUP, "Stable", ["Dead"], None),
    ("testPreparingRebalanceToDeadTransition", GROUP, "PreparingRebalance", ["Dead"], None),
    ("testPreparingRebalanceToEmptyTransition", GROUP, "PreparingRebalance", ["Empty"], None),
    ("testEmptyToDeadTransition", GROUP, "PreparingRebalance", ["Empty", "Dead"], None),
    ("testEmptyToStableIllegalTransition", GROUP, "Empty", ["Stable"], ILLEGAL),
    ("testStableToStableIllegalTransition", GROUP, "Stable", ["Stable"], ILLEGAL),
    ("testDeadToDeadIllegalTransition", GROUP, "Dead", ["Dead"], None),
    ("testDeadToStableIllegalTransition", GROUP, "Dead", ["Stable"], ILLEGAL),
    (
        "testDeadToPreparingRebalanceIllegalTransition",
        GROUP,
        "Dead",
        ["PreparingRebalance"],
        ILLEGAL,
    ),
    ("testNormalEpochBump", TRANSACTION, "Empty", ["Empty"], None),
    (
        "testTolerateTimeShiftDuringAddPartitions",
        TRANSACTION,
        "Empty",
        ["Ongoing", "Ongoing"],
        None,
    ),
    ("testTolerateTimeShiftDuringPrepareAbort", TRANSACTION, "Ongoing", ["PrepareAbort"], None),
    (
        "testTolerateTimeShiftDuringCompleteCommit",
        TRANSACTION,
        "PrepareCommit",
        ["CompleteCommit"],
        None,
    ),
    ("testRotateProducerId", TRANSACTION, "Empty", ["Empty"], None),
    ("testRotateProducerIdInPrepareAbortState", TRANSACTION, "PrepareAbort", ["Empty"], ILLEGAL),
    ("testCompleteTransitionWhenAppendSucceeded", TRANSACTION, "Empty", ["Ongoing"], None),
    (
        "shouldWriteTxnMarkersForTransactionInPreparedCommitState",
        TRANSACTION,
        "PrepareCommit",
        ["CompleteCommit"],
        None,
    ),
    ("shouldNotRemovePrepareAbortTransactionalIds", TRANSACTION, "PrepareAbort", ["Dead"], ILLEGAL),
    (
        "shouldNotRemovePrepareCommitTransactionalIds",
        TRANSACTION,
        "PrepareCommit",
        ["Dead"],
        ILLEGAL,
    ),
]


@pytest.mark.parametrize(
    ("test", "machine", "state", "targets", "error"), TABLES, ids=[row[0] for row in TABLES]
)
@pytest.mark.parametrize("release", ["1.1.1", "2.5.1", "2.8.2", "3.9.2"])
def test_groups_and_transactions(
    test: str, machine: str, state: str, targets: list[str], error: str | None, release: str
) -> None:
    """Moves of their tables; what is illegal is thrown, and the state stays."""
    value = shipped(machine).at(release)
    now = sm.Snapshot(state, {}, {})
    for target in targets:
        answer = sm.step(value, now, f"to_{target}")
        now = answer.after
    assert (answer.error, now.state) == (error, state if error else targets[-1])


@pytest.mark.parametrize("release", ["2.6.3", "2.7.2", "2.8.2", "3.9.2"])
def test_only_ids_that_are_not_used_expire(release: str) -> None:
    """shouldRemoveCompleteCommitExpiredTransactionalIds: its next state, which is never entered, is Dead."""
    machine = shipped(TRANSACTION).at(release)
    assert [
        one.states for one in machine.value.predicates if one.name == "isExpirationAllowed"
    ] == [("Empty", "CompleteCommit", "CompleteAbort")]
    assert machine.allows("CompleteCommit", "Dead")


HERE = Path(__file__).parent
LISTED = table(HERE.parent / "data" / "catalogue" / "scenarios_controller.tsv")
"""Class, test, release, file, function of every scenario of the facts; a dash for the file, and the reason why there is no test."""


def test_every_scenario_of_the_facts_is_listed_once(shared: Path) -> None:
    """One that is neither tested nor listed would be forgotten."""
    told = Counter(
        (one["class"], one["test"], one["release"])
        for one in read(shared, CONTROLLER)["unit_test_scenarios"]
    )
    assert Counter(row[:3] for row in LISTED) == told


def test_at_most_one_in_twenty_has_no_test() -> None:
    """And that one has a reason."""
    without = [row for row in LISTED if row[3] == "-"]
    assert len(without) * 20 <= len(LISTED)
    assert all(len(row[4].split()) > 3 for row in without)


@pytest.mark.parametrize(
    "row", [row for row in LISTED if row[3] != "-"], ids=lambda row: "-".join(row[:2])
)
def test_the_test_of_a_scenario_exists_and_names_it(row: tuple[str, ...]) -> None:
    """A scenario whose test was renamed, or that left its table, is one that nobody plays any more."""
    _, name, _, file, function = row
    text = (HERE / file).read_text("utf-8")
    assert re.search(rf"^def {function}\(", text, re.MULTILINE)
    made = {each.test for each in (*PARTITIONS, *REPLICAS)}
    assert name in made or re.search(rf"\b{name}\b", text)
