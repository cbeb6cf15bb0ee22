"""What Kafka's PartitionStateMachineTest and ReplicaStateMachineTest say of topics that are deleted, and of replicas that are not there."""

from __future__ import annotations

from typing import Any

import pytest

import statemachines as sm
from tests.shipped import shipped

PARTITIONS, REPLICAS = (
    shipped("kafka/ZkPartitionStateMachine"),
    shipped("kafka/ZkReplicaStateMachine"),
)
TOPIC = {f"test-{number}" for number in range(4)}
ASKED = ("createTopicPartitionStatesRaw", "getTopicPartitionStatesRaw", "getLogConfigs", "updateLeaderAndIsr")  # fmt: skip
BROKER = 5


def controller(spec: sm.Spec, release: str) -> Any:
    """Return a machine of a controller that was just elected."""
    return spec.at(release).instance(controllerId=BROKER)


def move(partitions: Any, target: str) -> None:
    """Move all partitions of the topic; ZooKeeper is asked for nothing."""
    partitions.send(
        "handleStateChanges",
        partitions=TOPIC,
        targetState=target,
        partitionLeaderElectionStrategyOpt=None,
        **{name: {} for name in ASKED},
    )


@pytest.mark.parametrize("release", ["2.2.2", "2.5.1", "3.9.2"])
def test_partitions_of_a_topic_that_is_deleted_are_not_counted_as_offline(release: str) -> None:
    """testUpdatingOfflinePartitionsCountDuringTopicDeletion: they count until its deletion begins, which makes them non-existent first."""
    partitions = controller(PARTITIONS, release)
    for one in sorted(TOPIC):
        partitions.updatePartitionFullReplicaAssignment(
            partition=one, replicas=(BROKER,), targets=()
        )
    move(partitions, "NewPartition")
    move(partitions, "OfflinePartition")
    assert partitions.offlinePartitionCount == len(TOPIC)
    partitions.queueTopicDeletion(partitions=TOPIC)
    assert partitions.offlinePartitionCount == len(TOPIC)
    move(partitions, "OfflinePartition")
    move(partitions, "NonExistentPartition")
    partitions.beginTopicDeletion(partitions=TOPIC)
    assert partitions.offlinePartitionCount == 0


@pytest.mark.parametrize("release", ["2.2.2", "2.5.1", "3.9.2"])
def test_what_a_topic_does_while_it_is_deleted_is_not_counted(release: str) -> None:
    """testNoOfflinePartitionsChangeForTopicsBeingDeleted."""
    partitions = controller(PARTITIONS, release)
    partitions.queueTopicDeletion(partitions=TOPIC)
    partitions.beginTopicDeletion(partitions=TOPIC)
    move(partitions, "NewPartition")
    move(partitions, "OfflinePartition")
    assert partitions.offlinePartitionCount == 0
    assert set(partitions.partitionStates.values()) == {"OfflinePartition"}


@pytest.mark.parametrize("release", ["1.1.1", "2.5.1", "3.9.2"])
@pytest.mark.parametrize(
    "target",
    ["OnlineReplica", "OfflineReplica", "ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "ReplicaDeletionIneligible"],
)  # fmt: skip
def test_a_replica_that_is_not_there_may_only_become_new(release: str, target: str) -> None:
    """testInvalidNonexistentReplicaTo…Transition: it stays NonExistentReplica, and the log says why."""
    replicas = controller(REPLICAS, release)
    replicas.setLiveBrokers(brokers={BROKER})
    replicas.updatePartitionFullReplicaAssignment(partition="t-0", replicas=(BROKER,))
    machine, before = REPLICAS.at(release), replicas.snapshot
    given = {"replicaId": BROKER, "partitions": {"t-0"}, "targetState": target}
    asked: dict[str, Any] = {"getTopicPartitionStatesRaw": {}, "updateLeaderAndIsr": {}}
    answer: Any = sm.step(machine, before, "handleStateChanges", **given, **asked)
    assert set(answer.after.variables["replicaStates"].values()) == {"NonExistentReplica"}
    assert [one.replica for one in answer.returned["logInvalidTransition"]] == [BROKER]
