"""What Kafka's PartitionStateMachineTest and ReplicaStateMachineTest say (given, when, expect), as calls on the specs: tables for the tests.

Those that the facts have, and the others of these classes that are told by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

NONE, NEW, ONLINE, OFFLINE = (
    "NonExistentPartition",
    "NewPartition",
    "OnlinePartition",
    "OfflinePartition",
)
BY_OFFLINE, BY_ANYONE = (
    "OfflinePartitionLeaderElectionStrategy",
    "UncleanPartitionLeaderElectionStrategy",
)
BY_PREFERRED, BY_SHUTDOWN = (
    "PreferredReplicaPartitionLeaderElectionStrategy",
    "ControlledShutdownPartitionLeaderElectionStrategy",
)
ALL = ("1.1.1", "2.0.1", "2.2.2", "2.3.1", "2.8.2", "3.9.2")
BY_REASSIGNMENT = "ReassignPartitionLeaderElectionStrategy"
SINCE_2_1, SINCE_2_3, SINCE_2_4 = ALL[2:], ALL[3:], ALL[4:]
P = "t-0"


def held(
    leader: int | None, *isr: int, epoch: int = 0, controller: int = 1
) -> tuple[tuple[int | None, tuple[int, ...]], int, int]:
    """Return what a partition's node holds: leader, in-sync replicas, leader epoch, controller epoch."""
    return ((leader, isr), epoch, controller)


@frozen
class Batches:
    """One of Kafka's unit tests of partitions."""

    test: str
    given: str | Mapping[str, str]
    """The partition's state, or states by partition."""
    target: str
    states: str | Mapping[str, str]
    releases: tuple[str, ...] = ALL
    strategy: str | None = None
    assignment: tuple[int, ...] = (5,)
    node: Any = None
    """What ZooKeeper and the cache hold of the partition."""
    live: frozenset[int] = frozenset({5})
    leaving: frozenset[int] = frozenset()
    answers: Mapping[str, Any] = field(factory=dict)
    """What ZooKeeper answers where it is not OK, by the argument."""
    before: tuple[str, ...] = ()
    """Targets of earlier batches."""
    leader: Any = None
    """Leader, in-sync replicas and leader epoch at the end."""
    sent: Any = None
    """Recipients and isNew of the LeaderAndIsr request."""
    invalid: bool = False
    failure: str | None = None
    """Why the partition could not be moved."""
    offline: int | None = None
    """The count of offline partitions."""


FOUR = tuple(f"t-{number}" for number in range(4))
SHUTTING = {
    "assignment": (5, 6),
    "live": frozenset({5, 6}),
    "leaving": frozenset({5}),
    "node": held(5, 5, 6),
}
LEADERLESS: dict[str, Any] = {
    "given": OFFLINE,
    "target": ONLINE,
    "strategy": BY_OFFLINE,
    "node": held(None, 5),
}
PARTITIONS = [
    Batches("testNonexistentPartitionToNewPartitionTransition", NONE, NEW, NEW),
    Batches(
        "testInvalidNonexistentPartitionToOnlinePartitionTransition",
        NONE,
        ONLINE,
        NONE,
        strategy=BY_OFFLINE,
        invalid=True,
    ),
    Batches(
        "testInvalidNonexistentPartitionToOfflinePartitionTransition",
        NONE,
        OFFLINE,
        NONE,
        invalid=True,
    ),
    Batches(
        "testNewPartitionToOnlinePartitionTransition",
        NEW,
        ONLINE,
        ONLINE,
        leader=(5, (5,), 0),
        sent=((5,), True),
        strategy=BY_OFFLINE,
    ),
    Batches(
        "testNewPartitionToOnlinePartitionTransitionZooKeeperClientExceptionFromCreateStates",
        NEW,
        ONLINE,
        NEW,
        strategy=BY_OFFLINE,
        answers={"createTopicPartitionStatesRaw": "ZooKeeperClientException"},
        failure="ZooKeeperClientException",
    ),
    Batches(
        "testNewPartitionToOnlinePartitionTransitionErrorCodeFromCreateStates",
        NEW,
        ONLINE,
        NEW,
        strategy=BY_OFFLINE,
        answers={"createTopicPartitionStatesRaw": "NODEEXISTS"},
        failure="KeeperException",
    ),
    Batches("testNewPartitionToOfflinePartitionTransition", NEW, OFFLINE, OFFLINE),
    Batches(
        "testInvalidNewPartitionToNonexistentPartitionTransition", NEW, NONE, NEW, invalid=True
    ),
    Batches(
        "testOnlinePartitionToOnlineTransition",
        ONLINE,
        ONLINE,
        ONLINE,
        strategy=BY_PREFERRED,
        node=held(5, 5),
        leader=(5, (5,), 1),
        sent=((5,), False),
    ),
    Batches(
        "testOnlinePartitionToOnlineTransitionForControlledShutdown",
        ONLINE,
        ONLINE,
        ONLINE,
        ("2.1.1", "2.3.1", "2.8.2", "3.9.2"),
        BY_SHUTDOWN,
        leader=(6, (6,), 1),
        sent=((5, 6), False),
        **SHUTTING,
    ),
    Batches(
        "testOnlinePartitionToOnlineTransitionForControlledShutdown",
        ONLINE,
        ONLINE,
        ONLINE,
        ("1.1.0", "1.1.1", "2.0.1"),
        BY_SHUTDOWN,
        leader=(6, (6,), 1),
        sent=((6,), False),
        **SHUTTING,
    ),
    Batches(
        "testOnlinePartitionToOfflineTransition",
        ONLINE,
        OFFLINE,
        OFFLINE,
        node=held(5, 5),
        offline=1,
        releases=SINCE_2_1,
    ),
    Batches(
        "testOnlinePartitionToOfflineTransition",
        ONLINE,
        OFFLINE,
        OFFLINE,
        node=held(5, 5),
        releases=ALL[:2],
    ),
    Batches(
        "testInvalidOnlinePartitionToNonexistentPartitionTransition",
        ONLINE,
        NONE,
        ONLINE,
        node=held(5, 5),
        invalid=True,
    ),
    Batches(
        "testInvalidOnlinePartitionToNewPartitionTransition",
        ONLINE,
        NEW,
        ONLINE,
        node=held(5, 5),
        invalid=True,
    ),
    Batches(
        "testOfflinePartitionToOnlinePartitionTransition",
        states=ONLINE,
        leader=(5, (5,), 1),
        sent=((5,), False),
        offline=None,
        **LEADERLESS,
    ),
    Batches(
        "testOfflinePartitionToUncleanOnlinePartitionTransition",
        OFFLINE,
        ONLINE,
        ONLINE,
        SINCE_2_4,
        BY_ANYONE,
        assignment=(5, 4),
        live=frozenset({4}),
        node=held(None, 5),
        leader=(4, (4,), 1),
        sent=((4,), False),
    ),
    Batches(
        "testOfflinePartitionToOnlinePartitionTransitionZooKeeperClientExceptionFromStateLookup",
        states=OFFLINE,
        answers={"getTopicPartitionStatesRaw": "ZooKeeperClientException"},
        failure="ZooKeeperClientException",
        **LEADERLESS,
    ),
    Batches(
        "testOfflinePartitionToOnlinePartitionTransitionErrorCodeFromStateLookup",
        states=OFFLINE,
        answers={"getTopicPartitionStatesRaw": "SESSIONEXPIRED"},
        failure="KeeperException",
        **LEADERLESS,
    ),
    Batches("testOfflinePartitionToNonexistentPartitionTransition", OFFLINE, NONE, NONE),
    Batches(
        "testInvalidOfflinePartitionToNewPartitionTransition", OFFLINE, NEW, OFFLINE, invalid=True
    ),
    Batches(
        "testUpdatingOfflinePartitionsCount",
        dict.fromkeys(FOUR, NONE),
        OFFLINE,
        dict.fromkeys(FOUR, OFFLINE),
        SINCE_2_1,
        before=(NEW,),
        offline=4,
    ),
    Batches(
        "testUpdatingOfflinePartitionsCount",
        dict.fromkeys(FOUR, NONE),
        ONLINE,
        dict.fromkeys(FOUR, ONLINE),
        SINCE_2_1,
        BY_OFFLINE,
        node=held(5, 5),
        before=(NEW, OFFLINE),
        offline=0,
    ),
]

GONE, FRESH, UP, DOWN = "NonExistentReplica", "NewReplica", "OnlineReplica", "OfflineReplica"
STARTED, DELETED, UNABLE = (
    "ReplicaDeletionStarted",
    "ReplicaDeletionSuccessful",
    "ReplicaDeletionIneligible",
)


@frozen
class Replicas:
    """One of Kafka's unit tests of replicas: the replica on broker 5 of one partition."""

    test: str
    given: str
    target: str
    state: str
    releases: tuple[str, ...] = ALL
    assignment: tuple[int, ...] = (5,)
    node: Any = None
    live: frozenset[int] = frozenset({5, 6})
    leader: Any = None
    """Leader and in-sync replicas at the end."""
    sent: Any = None
    """Recipients and isNew of the LeaderAndIsr request."""
    stopped: bool | None = None
    """Whether the StopReplica request deletes; None: there is none."""
    metadata: bool = False
    """UpdateMetadata without a leader, from 2.3.0 on."""


def refused(given: str, target: str, releases: tuple[str, ...] = ALL) -> Replicas:
    """Return a request that must be refused, by the name of its test."""
    names = {GONE: "NonexistentReplica"}
    return Replicas(
        f"testInvalid{names.get(given, given)}To{names.get(target, target)}Transition",
        given,
        target,
        given,
        releases,
    )


REPLICAS = [
    Replicas("testNonexistentReplicaToNewReplicaTransition", GONE, FRESH, FRESH),
    *(refused(GONE, target) for target in (UP, DOWN, STARTED, UNABLE, DELETED)),
    *(refused(FRESH, target) for target in (GONE, STARTED, UNABLE, DELETED)),
    *(refused(UP, target) for target in (GONE, FRESH, STARTED, UNABLE, DELETED)),
    *(refused(DOWN, target) for target in (GONE, FRESH, DELETED)),
    refused(DOWN, UNABLE, ALL[:3]),
    *(refused(STARTED, target) for target in (GONE, FRESH, UP, DOWN)),
    *(refused(DELETED, target) for target in (FRESH, UP, DOWN, STARTED, UNABLE)),
    *(refused(UNABLE, target) for target in (GONE, FRESH, STARTED, DELETED)),
    Replicas("testNewReplicaToOnlineReplicaTransition", FRESH, UP, UP),
    Replicas(
        "testNewReplicaToOfflineReplicaTransition",
        FRESH,
        DOWN,
        DOWN,
        ALL[1:],
        stopped=False,
        metadata=True,
    ),
    Replicas(
        "testNewReplicaToOfflineReplicaTransition", FRESH, DOWN, FRESH, ALL[:1], stopped=False
    ),
    Replicas(
        "testOnlineReplicaToOnlineReplicaTransition",
        UP,
        UP,
        UP,
        node=held(5, 5),
        leader=(5, (5,)),
        sent=({5}, False),
    ),
    Replicas(
        "testOnlineReplicaToOfflineReplicaTransition",
        UP,
        DOWN,
        DOWN,
        assignment=(5, 6),
        node=held(5, 5, 6),
        leader=(None, (6,)),
        sent=({6}, False),
        stopped=False,
    ),
    Replicas(
        "testOfflineReplicaToOnlineReplicaTransition",
        DOWN,
        UP,
        UP,
        node=held(5, 5),
        leader=(5, (5,)),
        sent=({5}, False),
    ),
    Replicas(
        "testOfflineReplicaToReplicaDeletionStartedTransition", DOWN, STARTED, STARTED, stopped=True
    ),
    Replicas(
        "testOfflineReplicaToReplicaDeletionIneligibleTransition", DOWN, UNABLE, UNABLE, SINCE_2_3
    ),
    Replicas(
        "testReplicaDeletionStartedToReplicaDeletionIneligibleTransition", STARTED, UNABLE, UNABLE
    ),
    Replicas(
        "testReplicaDeletionStartedToReplicaDeletionSuccessfulTransition", STARTED, DELETED, DELETED
    ),
    Replicas("testReplicaDeletionSuccessfulToNonexistentReplicaTransition", DELETED, GONE, GONE),
    Replicas(
        "testReplicaDeletionIneligibleToOnlineReplicaTransition",
        UNABLE,
        UP,
        UP,
        node=held(5, 5),
        leader=(5, (5,)),
        sent=({5}, False),
    ),
]
