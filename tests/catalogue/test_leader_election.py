"""The elections of the ZooKeeper-mode controller, against Kafka's own scenarios and a second telling of its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm

SPEC = sm.load("kafka/LeaderElection")
BROKERS = st.integers(1, 5)
RELEASES = st.sampled_from(SPEC.releases)
REPLICAS = st.lists(BROKERS, unique=True, max_size=5)
SOME = st.frozensets(BROKERS)


def elect(release: str, name: str, **inputs: Any) -> Any:
    """Call a definition with those of the inputs that it takes in that release."""
    definition = SPEC.at(release).define[name]
    return definition(**{key: value for key, value in inputs.items() if key in definition.inputs})


def at_least(release: str, other: str) -> bool:
    """Tell whether a release is not before another one, in the family's order."""
    return SPEC.releases.index(release) >= SPEC.releases.index(other)


SCENARIOS = [
    ("testOfflinePartitionLeaderElection", "offline", [2, 4], [2, 4], {4}, False, 4),
    (
        "testOfflinePartitionLeaderElectionLastIsrOfflineUncleanLeaderElectionDisabled",
        "offline",
        [2, 4],
        [2],
        {4},
        False,
        None,
    ),
    (
        "testOfflinePartitionLeaderElectionLastIsrOfflineUncleanLeaderElectionEnabled",
        "offline",
        [2, 4],
        [2],
        {4},
        True,
        4,
    ),
    ("testReassignPartitionLeaderElection", "reassign", [2, 4], [2, 4], {4}, None, 4),
    (
        "testReassignPartitionLeaderElectionWithNoLiveIsr",
        "reassign",
        [2, 4],
        [2],
        set[int](),
        None,
        None,
    ),
    ("testReassignPartitionLeaderElectionWithEmptyIsr", "reassign", [2, 4], [], {2}, None, None),
    ("testPreferredReplicaPartitionLeaderElection", "preferred", [2, 4], [2, 4], {2, 4}, None, 2),
    (
        "testPreferredReplicaPartitionLeaderElectionPreferredReplicaInIsrNotLive",
        "preferred",
        [2, 4],
        [2],
        set[int](),
        None,
        None,
    ),
    (
        "testPreferredReplicaPartitionLeaderElectionPreferredReplicaNotInIsrLive",
        "preferred",
        [2, 4],
        [4],
        {2, 4},
        None,
        None,
    ),
    (
        "testPreferredReplicaPartitionLeaderElectionPreferredReplicaNotInIsrNotLive",
        "preferred",
        [2, 4],
        [],
        set[int](),
        None,
        None,
    ),
    ("testControlledShutdownPartitionLeaderElection", "shutdown", [2, 4], [2, 4], {2, 4}, {2}, 4),
    (
        "testControlledShutdownPartitionLeaderElectionLastIsrShuttingDown",
        "shutdown",
        [2, 4],
        [2],
        {2, 4},
        {2},
        None,
    ),
    (
        "testControlledShutdownPartitionLeaderElectionAllIsrSimultaneouslyShutdown",
        "shutdown",
        [2, 4],
        [2, 4],
        {2, 4},
        {2, 4},
        None,
    ),
]
ALGORITHMS = {
    "offline": ("offlinePartitionLeaderElection", "leaderForOffline"),
    "reassign": ("reassignPartitionLeaderElection", "leaderForReassign"),
    "preferred": ("preferredReplicaPartitionLeaderElection", "leaderForPreferredReplica"),
    "shutdown": ("controlledShutdownPartitionLeaderElection", "leaderForControlledShutdown"),
}


@pytest.mark.parametrize(("test", "kind", "replicas", "isr", "live", "extra", "leader"), SCENARIOS)
@pytest.mark.parametrize("release", ["1.1.1", "2.3.1", "3.9.2"])
def test_the_unit_tests_of_kafka_hold_for_the_definitions(
    test: str,
    kind: str,
    replicas: list[int],
    isr: list[int],
    live: set[int],
    extra: Any,
    leader: int | None,
    release: str,
) -> None:
    """They are what the people of Kafka thought worth saying of PartitionLeaderElectionAlgorithms."""
    inputs = {"assignment": replicas, "reassignment": replicas, "isr": isr, "liveReplicas": live}
    inputs |= {"uncleanLeaderElectionEnabled": extra, "shuttingDownBrokers": extra}
    algorithm, whole = ALGORITHMS[kind]
    result = elect(release, whole, **inputs)
    assert elect(release, algorithm, **inputs) == leader
    assert (result.leaderAndIsr and result.leaderAndIsr.leader) == leader
    assert result.failure == (None if leader else "StateChangeFailedException")


def test_every_scenario_of_the_facts_is_among_them(shared: Path) -> None:
    """A scenario that nobody wrote down here would not be tested."""
    facts = json.loads((shared / "facts/kafka_controller_facts.json").read_text())
    named = {
        one["test"]
        for one in facts["unit_test_scenarios"]
        if one["class"] == "PartitionLeaderElectionAlgorithmsTest"
    }
    assert named <= {test for test, *_ in SCENARIOS}


def offline(
    release: str, assignment: list[int], isr: list[int], live: frozenset[int], unclean: bool
) -> tuple[Any, ...]:
    """Tell leader, new in-sync replicas and recipients as the table of the facts does."""
    told = [each for each in assignment if each in live]
    old = not at_least(release, "0.8.2.0")
    clean = [each for each in (isr if old else assignment) if each in live and each in isr]
    if clean:
        return clean[0], [each for each in isr if each in live], told
    return (told[0], [told[0]], told) if told and (unclean or old) else (None, None, told)


@given(RELEASES, REPLICAS, REPLICAS, SOME, st.booleans())
def test_an_offline_partition_gets_its_first_live_in_sync_replica(
    release: str, assignment: list[int], isr: list[int], live: frozenset[int], unclean: bool
) -> None:
    """Else the first live one if data may be lost; the table was told a second time, from the facts."""
    synced = [each for each in isr if each in assignment]
    leader, new_isr, told = offline(release, assignment, synced, live, unclean)
    given = {
        "assignment": assignment,
        "isr": synced,
        "liveReplicas": live,
        "uncleanLeaderElectionEnabled": unclean,
    }
    result = elect(release, "leaderForOffline", **given)
    _agrees(result, leader, new_isr, told)
    assert (result.failure is None) == (leader is not None)


@given(RELEASES, REPLICAS, REPLICAS, SOME)
def test_a_reassigned_partition_gets_the_first_of_its_new_replicas_that_lives_in_sync(
    release: str, target: list[int], isr: list[int], live: frozenset[int]
) -> None:
    """0.8.0 does not ask whether it is in sync."""
    able = [each for each in target if each in live and (release == "0.8.0" or each in isr)]
    result = elect(release, "leaderForReassign", reassignment=target, isr=isr, liveReplicas=live)
    _agrees(result, able[0] if able else None, isr, target)


@given(RELEASES, REPLICAS, REPLICAS, SOME, st.none() | BROKERS)
def test_only_the_head_of_the_assignment_is_preferred(
    release: str, assignment: list[int], isr: list[int], live: frozenset[int], leader: int | None
) -> None:
    """Up to 1.0.2 a leader that is preferred already is not elected again; later the algorithm does not ask."""
    head = assignment[0] if assignment else None
    result = elect(
        release,
        "leaderForPreferredReplica",
        assignment=assignment,
        isr=isr,
        liveReplicas=live,
        leader=leader,
    )
    if head is not None and head == leader and not at_least(release, "1.1.0"):
        assert result.failure == "LeaderElectionNotNeededException"
        assert result.leaderAndIsr is None
    else:
        _agrees(result, head if head in live and head in isr else None, isr, assignment)


def shut_down(
    release: str,
    assignment: list[int],
    isr: list[int],
    live: frozenset[int],
    leaving: frozenset[int],
    now: int | None,
) -> Any:
    """Tell leader, new in-sync replicas and recipients as the table of the facts does."""
    left = [each for each in isr if each not in leaving and (release != "0.8.0" or each != now)]
    able = (
        [each for each in assignment if each in live and each in left]
        if at_least(release, "0.10.0.0")
        else left
    )
    silent = at_least(release, "1.1.0") and not at_least(release, "2.1.0")
    told = [each for each in assignment if each in live and not (silent and each in leaving)]
    return able[0] if able else None, left, told


@given(RELEASES, REPLICAS, REPLICAS, SOME, SOME, st.none() | BROKERS)
def test_nobody_who_is_shutting_down_becomes_leader(
    release: str,
    assignment: list[int],
    isr: list[int],
    live: frozenset[int],
    leaving: frozenset[int],
    now: int | None,
) -> None:
    """Who is told of it changed twice, and up to 0.9.0.1 nobody asked whether the new leader lives."""
    leader, new_isr, told = shut_down(release, assignment, isr, live, leaving, now)
    given = {
        "assignment": assignment,
        "isr": isr,
        "liveReplicas": live,
        "shuttingDownBrokers": leaving,
        "leader": now,
    }
    result = elect(release, "leaderForControlledShutdown", **given)
    _agrees(result, leader, new_isr, told)
    assert leader not in leaving


def _agrees(result: Any, leader: int | None, isr: list[int] | None, told: list[int]) -> None:
    assert list(result.liveReplicas) == told
    if leader is None:
        assert result.leaderAndIsr is None
    else:
        assert (result.leaderAndIsr.leader, list(result.leaderAndIsr.isr)) == (leader, isr)


def test_an_unclean_election_is_a_choice_since_0_8_2() -> None:
    """Before, an election lost data whenever no in-sync replica lived, and nobody could forbid it."""
    assert (
        "uncleanLeaderElectionEnabled" not in SPEC.at("0.8.1.1").define["leaderForOffline"].inputs
    )
    assert "uncleanLeaderElectionEnabled" in SPEC.at("0.8.2.0").define["leaderForOffline"].inputs
