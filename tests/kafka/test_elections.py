"""Kafka's elections choose whom the definitions of `kafka/LeaderElection` choose, whatever is assigned, in sync and alive."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from attrs import frozen
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import statemachines as sm
from tests.kafka.elections import CLASS, Algorithms, alike, releases_with_algorithms
from tests.kafka.jars import number

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm

pytestmark = pytest.mark.kafka
BROKERS = st.integers(1, 5)
ORDERS = st.lists(BROKERS, unique=True, max_size=4).map(tuple)


@frozen
class Case:
    """What an election is asked; in-sync replicas need not be assigned, live ones may be shutting down."""

    assignment: tuple[int, ...]
    isr: tuple[int, ...]
    live: frozenset[int]
    shutting: frozenset[int]
    unclean: bool

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Return what each of the four algorithms is given, by its names in the spec."""
        most: dict[str, Any] = {
            "assignment": self.assignment,
            "isr": self.isr,
            "liveReplicas": self.live,
        }
        target = {"reassignment": self.assignment, "isr": self.isr, "liveReplicas": self.live}
        return {
            "offlinePartitionLeaderElection": most | {"uncleanLeaderElectionEnabled": self.unclean},
            "reassignPartitionLeaderElection": target,
            "preferredReplicaPartitionLeaderElection": most,
            "controlledShutdownPartitionLeaderElection": most
            | {"shuttingDownBrokers": self.shutting},
        }


CASES = st.builds(
    Case, ORDERS, ORDERS, st.frozensets(BROKERS), st.frozensets(BROKERS), st.booleans()
)
PATIENT = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@cache
def definitions(release: str) -> Any:
    """Return the functions of the library in a release."""
    return sm.load("kafka/LeaderElection").at(release).define


@pytest.fixture(scope="module")
def algorithms(jvm: Jvm) -> list[tuple[tuple[str, ...], Algorithms]]:
    """Kafka's algorithms: releases whose class files are the same bytes answer once."""
    return [
        (group, Algorithms.of(jvm.release(group[0])))
        for group in alike(releases_with_algorithms(), CLASS)
    ]


def disagreements(
    algorithms: list[tuple[tuple[str, ...], Algorithms]], case: Case
) -> list[tuple[str, str, Any, Any]]:
    """Ask all releases; return release, algorithm, Kafka's leader and the spec's where they differ."""
    found = []
    for name, arguments in case.arguments().items():
        for group, real in algorithms:
            leader = real.ask(name, arguments)
            told = [(release, definitions(release)[name](**arguments)) for release in group]
            found += [(release, name, leader, said) for release, said in told if said != leader]
    return found


def test_every_release_with_the_class_is_asked(
    algorithms: list[tuple[tuple[str, ...], Algorithms]],
) -> None:
    """From 1.1.0 to 3.9.2."""
    asked = [release for group, _ in algorithms for release in group]
    assert sorted(asked) == sorted(
        release
        for release in sm.load("kafka/LeaderElection").releases
        if release in releases_with_algorithms()
    )
    assert len(asked) == 54


def test_the_same_leader_is_elected(algorithms: list[tuple[tuple[str, ...], Algorithms]]) -> None:
    """Also where nobody is."""

    @PATIENT
    @given(CASES)
    def same(case: Case) -> None:
        assert disagreements(algorithms, case) == []

    same()


def test_another_order_is_noticed(
    algorithms: list[tuple[tuple[str, ...], Algorithms]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: an election that goes by the order of the in-sync replicas, as 0.8.0 to 0.8.1 do."""
    old, told = definitions("0.8.1")["offlinePartitionLeaderElection"], dict(definitions("3.9.2"))
    told["offlinePartitionLeaderElection"] = lambda uncleanLeaderElectionEnabled, **rest: old(
        **rest
    )
    monkeypatch.setitem(globals(), "definitions", lambda release: told)
    found = disagreements(
        algorithms[-1:], Case((1, 2), (2, 1), frozenset({1, 2}), frozenset(), False)
    )
    assert {row[1:] for row in found} == {("offlinePartitionLeaderElection", 1, 2)}


@pytest.fixture(scope="module")
def results(jvm: Jvm) -> list[tuple[tuple[str, ...], Any]]:
    """The whole elections of 2.4.0 and later: releases whose class files are the same bytes answer once."""
    from tests.kafka.results import Elections

    wanted = [release for release in releases_with_algorithms() if number(release) >= (2, 4)]
    return [
        (group, Elections.of(jvm.release(group[0])))
        for group in alike(wanted, CLASS, "kafka.controller.Election$")
    ]


def told_result(release: str, name: str, case: Case) -> Any:
    """Return what the library says is written and sent; online are live brokers that do not shut down."""
    online = case.live - case.shutting
    given: dict[str, Any] = {"assignment": case.assignment, "isr": case.isr, "liveReplicas": online}
    if name == "leaderForOffline":
        given["uncleanLeaderElectionEnabled"] = case.unclean
    elif name == "leaderForReassign":
        given["reassignment"] = given.pop("assignment")
    elif name == "leaderForControlledShutdown":
        given |= {"liveReplicas": case.live, "shuttingDownBrokers": case.shutting}
    result = definitions(release)[name](**given)
    written = result.leaderAndIsr
    return (None if written is None else (written.leader, tuple(written.isr))), tuple(
        result.liveReplicas
    )


def test_the_same_is_written_and_sent_to_the_same(
    results: list[tuple[tuple[str, ...], Any]],
) -> None:
    """Leader, in-sync replicas in their order, recipients."""

    @settings(PATIENT, max_examples=60, deadline=None, phases=[Phase.generate])
    @given(CASES)
    def same(case: Case) -> None:
        assert differences_written(results, case) == []

    same()


def differences_written(
    results: list[tuple[tuple[str, ...], Any]], case: Case
) -> list[tuple[str, str, Any, Any]]:
    """Ask all releases; return release, election, what Kafka writes and what the spec says where they differ."""
    found = []
    for group, real in results:
        real.stand(case.assignment, case.live, case.shutting)
        for name in (
            "leaderForOffline",
            "leaderForReassign",
            "leaderForPreferredReplica",
            "leaderForControlledShutdown",
        ):
            wrote = real.ask(name, case.isr, case.unclean, case.shutting)
            told = ((release, told_result(release, name, case)) for release in group)
            found += [(release, name, wrote, said) for release, said in told if said != wrote]
    return found


def test_other_recipients_are_noticed(
    results: list[tuple[tuple[str, ...], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: up to 2.0.1 a broker that shuts down is not told of the new leader."""
    told = dict(definitions("3.9.2")) | {
        "leaderForControlledShutdown": definitions("2.0.1")["leaderForControlledShutdown"]
    }
    monkeypatch.setitem(globals(), "definitions", lambda release: told)
    found = differences_written(
        results[-1:], Case((1, 2), (1, 2), frozenset({1, 2}), frozenset({1}), False)
    )
    assert {row[1:] for row in found} == {
        ("leaderForControlledShutdown", ((2, (2,)), (1, 2)), ((2, (2,)), (2,)))
    }
