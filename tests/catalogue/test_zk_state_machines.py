"""Both ZooKeeper machines of a controller together: what one writes, the other one elects from."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.snapshots import Advanced, Refused
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.mutate.operators.link_operators import mutated_system, system_mutants
from statemachines.mutate.operators.mutants import MutationOperator
from statemachines.notation import system_of
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import step_system
from tests.shipped import shipped_system

ZK = shipped_system("kafka/ZkStateMachines")
RELEASES = ("1.1.0", "2.0.1", "2.1.0", "2.3.1", "2.4.0", "3.9.2")
P = "orders-0"
BY_OFFLINE = "OfflinePartitionLeaderElectionStrategy"


@cache
def controllers(release: str) -> SystemDefinition:
    return system_of(ZK, release)


class Controller:
    """A controller with one partition of two replicas."""

    def __init__(self, system: SystemDefinition) -> None:
        self.system = system
        self.now: SystemSnapshot = initial_system_snapshot(system, parameters={"controllerId": 1})

    def take(self, event: str, **arguments: Any) -> Any:
        """Take an event that nothing forbids."""
        answer = step_system(self.system, self.now, event, **arguments)
        assert isinstance(answer.steps[0].answer, Advanced), answer.steps[0].answer
        assert not answer.spec_errors
        self.now = answer.after
        return answer.steps[0].answer.returned

    def move(self, target: str, **answers: dict[str, str]) -> Any:
        """Move the partition."""
        asked = ("createTopicPartitionStatesRaw", "getTopicPartitionStatesRaw")
        asked += ("getLogConfigs", "updateLeaderAndIsr")
        given = {name: answers.get(name, {}) for name in asked}
        strategy = BY_OFFLINE if target == "OnlinePartition" else None
        return self.take(
            "ofPartitions.handleStateChanges",
            partitions={P},
            targetState=target,
            partitionLeaderElectionStrategyOpt=strategy,
            **given,
        )

    def move_replica(self, broker: int, target: str, **answers: dict[str, str]) -> Any:
        """Move one replica of it."""
        asked = ("getTopicPartitionStatesRaw", "updateLeaderAndIsr")
        return self.take(
            "ofReplicas.handleStateChanges",
            replicaId=broker,
            partitions={P},
            targetState=target,
            **{name: answers.get(name, {}) for name in asked},
        )

    def create(self) -> Controller:
        """Create the topic as onNewPartitionCreation does."""
        self.take("ofPartitions.setLiveBrokers", brokers={1, 2})
        assigned = {"partition": P, "replicas": (1, 2), "targets": ()}
        self.take("ofPartitions.updatePartitionFullReplicaAssignment", **assigned)
        self.move("NewPartition")
        for broker in (1, 2):
            self.move_replica(broker, "NewReplica")
        self.move("OnlinePartition", createTopicPartitionStatesRaw={P: "OK"})
        for broker in (1, 2):
            self.move_replica(broker, "OnlineReplica")
        return self

    def node(self, part: str = "ofPartitions") -> tuple[object, tuple[object, ...], int]:
        """Return leader, in-sync replicas and leader epoch of the partition's node."""
        held = self.now.parts[part].variables["topicPartitionStates"][P]
        return held.leaderAndIsr.leader, held.leaderAndIsr.isr, held.leaderEpoch


@pytest.mark.parametrize("release", RELEASES)
def test_a_broker_that_fails_loses_its_partitions_to_the_next_in_sync_replica(release: str) -> None:
    """onBrokerFailure, from the live brokers to the new leader: the replica machine's write is what the election reads."""
    controller = Controller(controllers(release)).create()
    assert controller.node() == (1, (1, 2), 0)
    controller.take("ofPartitions.setLiveBrokers", brokers={2})
    controller.move("OfflinePartition")
    controller.move(
        "OnlinePartition", getTopicPartitionStatesRaw={P: "OK"}, updateLeaderAndIsr={P: "OK"}
    )
    assert controller.node("ofReplicas") == (2, (2,), 1)
    controller.move_replica(1, "OfflineReplica", getTopicPartitionStatesRaw={P: "OK"})
    assert controller.node() == (2, (2,), 1), (
        "it was out of the in-sync replicas: nothing is written"
    )


def elect_after_a_failed_directory(system: SystemDefinition) -> Controller:
    """Take the leader away as a failed log directory does, then elect."""
    controller, answers = Controller(system).create(), {P: "OK"}
    controller.take("ofPartitions.onReplicasBecomeOffline", broker=1, partitions={P})
    asked = {"getTopicPartitionStatesRaw": answers, "updateLeaderAndIsr": answers}
    controller.move_replica(1, "OfflineReplica", **asked)
    assert controller.node() == (None, (2,), 1)
    states = controller.now.parts["ofPartitions"].variables["partitionStates"]
    assert states[P] == "OnlinePartition"
    controller.move("OnlinePartition", **asked)
    return controller


@pytest.mark.parametrize("release", RELEASES)
def test_a_replica_that_goes_offline_first_leaves_no_leader_and_the_election_finds_one(
    release: str,
) -> None:
    """The partition machine hears of it from the node alone."""
    assert elect_after_a_failed_directory(controllers(release)).node() == (2, (2,), 2)


@pytest.mark.parametrize("shared", ["zooKeeper", "leadershipInfo"])
def test_two_machines_that_share_less_elect_nobody(shared: str) -> None:
    """The planted faults: nodes, or what is remembered of them, of their own."""
    system = controllers("3.9.2")
    [mutant] = [
        one.candidate.edit
        for one in system_mutants(system)
        if one.candidate.operator is MutationOperator.SHARING and one.candidate.subject == shared
    ]
    with pytest.raises((AssertionError, ArgumentsError)):
        elect_after_a_failed_directory(mutated_system(system, mutant))


@pytest.mark.parametrize("release", RELEASES)
def test_the_controller_has_one_thread(release: str) -> None:
    """While a batch of replicas is open nothing of the partitions moves; both have one epoch."""
    controller = Controller(controllers(release)).create()
    controller.take("ofReplicas.newBatch")
    answer = step_system(
        controller.system, controller.now, "ofPartitions.setLiveBrokers", brokers={2}
    )
    assert isinstance(answer.steps[0].answer, Refused)
    controller.take("ofReplicas.sendRequestsToBrokers")
    controller.take("ofPartitions.onControllerFailover")
    epochs = {
        controller.now.parts[part].variables["epoch"] for part in ("ofPartitions", "ofReplicas")
    }
    assert epochs == {2}
    alone = step_system(controller.system, controller.now, "ofReplicas.onControllerFailover")
    assert isinstance(alone.steps[0].answer, Refused)


@pytest.mark.parametrize("release", RELEASES)
def test_walks_break_no_rule(release: str) -> None:
    """Two brokers and two partitions, which exploring cannot visit whole."""
    sizes = {"Broker": 2, "TopicPartition": 2}
    for seed in range(3):
        walk = simulate(controllers(release), ExplorationScope(sizes), seed=seed, steps=120)
        assert not walk.wrong
        assert walk.verdict.name == "INCONCLUSIVE", [
            (one.property.name, one.verdict) for one in walk.noticed
        ]
