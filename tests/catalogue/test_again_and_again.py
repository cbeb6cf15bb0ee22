"""What befalls a group, a client or a broker again and again is trouble, and a deployment is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.incidents import Health, Incident
from statemachines.model.evidence.reports import EpisodeOutcome

_Line = tuple[float, str, str]
"""Seconds after eight, the logger and the message."""
COORDINATOR = "kafka.coordinator.group.GroupCoordinator"
CLIENT = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
MEMBER = "orders-7-1f0e8d3c-0a5b-4c7d-8e9f-{:012x}"


def judged(folder: Path, lines: Iterable[_Line], *machines: str) -> sm.Report:
    """Judge lines by machines of the catalogue, for one release."""
    log = folder / "server.log"
    log.write_text("".join(map(_text, sorted(lines))), "utf-8")
    specs = [f"kafka/{name}" for name in machines]
    return sm.check([log], specs=specs, release="3.9.1")


def _text(line: _Line) -> str:
    at, logger, message = line
    whole, ms = int(at), round(at * 1000) % 1000
    clock = f"{8 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{ms:03}"
    return f"[2026-11-21 {clock}] INFO {message} ({logger})\n"


def rebalance(at: float, reason: str, generation: int = 4) -> Iterator[_Line]:
    """A rebalance of a group that takes two seconds."""
    yield (
        at,
        COORDINATOR,
        "[GroupCoordinator 1]: Preparing to rebalance group billing in state PreparingRebalance with"
        f" old generation {generation} (__consumer_offsets-1) (reason: {reason})",
    )
    yield (
        at + 1.5,
        COORDINATOR,
        f"[GroupCoordinator 1]: Stabilized group billing generation {generation + 1}"
        " (__consumer_offsets-1) with 3 members",
    )
    yield (
        at + 2,
        COORDINATOR,
        "[GroupCoordinator 1]: Assignment received from leader orders-1-a for group billing for"
        f" generation {generation + 1}. The group has 3 members, 0 of which are static.",
    )


def storm(every: float, times: int, why: str = "removing member {} on LeaveGroup") -> list[_Line]:
    """Rebalances of one group, a member with a new number each time."""
    return [
        line
        for number in range(times)
        for line in rebalance(number * every, why.format(MEMBER.format(number)), number)
    ]


def of_kind(report: sm.Report, kind: str) -> list[Incident]:
    """The incidents of a kind."""
    return [one for one in report.incidents if one.kind == kind]


def test_a_group_that_rebalances_all_the_time_is_ill(tmp_path: Path) -> None:
    """Each of 45 rebalances takes two seconds, and in that hour hardly anything is read."""
    report = judged(tmp_path, storm(80, 45), "ConsumerGroup")
    (only,) = of_kind(report, "group-unsettled")
    assert (only.count, only.outcome, report.health) == (45, EpisodeOutcome.OPEN, Health.ILL)
    assert only.title == "group billing rebalances again and again"
    assert only.cause is not None
    assert only.cause.words == "45 × removing member orders-7-… on LeaveGroup"


def test_a_group_that_settled_is_healed(tmp_path: Path) -> None:
    """The hour is over, and is told with its end."""
    later = rebalance(3 * 3600, "Adding new member")
    report = judged(tmp_path, [*storm(80, 45), *later], "ConsumerGroup")
    (only,) = of_kind(report, "group-unsettled")
    assert (only.count, only.outcome, report.health) == (45, EpisodeOutcome.HEALED, Health.HEALED)
    assert only.until is not None
    assert only.since is not None
    assert (only.until.ms or 0) - (only.since.ms or 0) == (44 * 80 + 2) * 1000


def test_a_deployment_is_none(tmp_path: Path) -> None:
    """Ten members one after the other, a minute each, make twenty rebalances."""
    report = judged(tmp_path, storm(30, 20), "ConsumerGroup")
    assert report.incidents == ()
    assert report.health is Health.WELL


def test_members_that_are_lost_again_and_again_are_told_once(tmp_path: Path) -> None:
    """A limit of memory kills a member every other minute."""
    lost = [
        (
            number * 100.0,
            COORDINATOR,
            f"[GroupCoordinator 1]: Member {MEMBER.format(number)} in group billing has failed,"
            " removing it from the group",
        )
        for number in range(9)
    ]
    report = judged(tmp_path, [*lost, *rebalance(810, "x")], "ConsumerGroup")
    (only,) = report.incidents
    assert (only.kind, only.count) == ("members-lost-often", 9)
    assert [(one.kind, one.count) for one in only.effects] == [("member-lost", 9)]


@pytest.mark.parametrize(
    ("times", "kinds"), [(2, ["poll-too-late"] * 2), (4, ["poll-too-late-often"])]
)
def test_the_member_that_does_not_poll_is_named(
    tmp_path: Path, times: int, kinds: list[str]
) -> None:
    """Its group rebalances twice for each time; its own log says who it is."""
    late = [
        (
            number * 310.0,
            CLIENT,
            "[Consumer clientId=orders-7, groupId=billing] consumer poll timeout has expired. This"
            " means the time between subsequent calls to poll() was longer than the configured"
            " max.poll.interval.ms, which typically implies that the poll loop is spending too much"
            " time processing messages. You can address this either by increasing"
            " max.poll.interval.ms or by reducing the maximum size of batches returned in poll()"
            " with max.poll.records.",
        )
        for number in range(times)
    ]
    report = judged(tmp_path, late, "AbstractCoordinator")
    assert [one.kind for one in report.incidents] == kinds
    assert "client orders-7" in report.incidents[0].title


def fenced(at: float, broker: int) -> list[_Line]:
    """A broker that works, and is fenced for five seconds."""
    works = (
        "org.apache.kafka.controller.ClusterControlManager",
        "[QuorumController id=3] Replayed BrokerRegistrationChangeRecord modifying the"
        f" registration for broker {broker}: BrokerRegistrationChangeRecord(brokerId={broker},"
        " brokerEpoch=6, fenced=-1, inControlledShutdown=0, logDirs=[])",
    )
    gone = (
        "org.apache.kafka.controller.ReplicationControlManager",
        f"[QuorumController id=3] Fencing broker {broker} at epoch 6 because its session has timed"
        " out.",
    )
    return [(at, *works), (at + 1, *gone), (at + 6, *works)]


def test_a_broker_that_flaps_is_told_once(tmp_path: Path) -> None:
    """It is back now, and was back four times before."""
    log = [line for number in range(5) for line in fenced(number * 60, 1)]
    report = judged(tmp_path, log, "BrokerRegistration")
    (only,) = report.incidents
    assert (only.kind, only.count, report.health) == ("broker-flapping", 5, Health.ILL)


def test_brokers_that_are_fenced_in_turn_do_not_flap(tmp_path: Path) -> None:
    """Each by itself, and once."""
    log = [line for number in range(5) for line in fenced(number * 60, number)]
    report = judged(tmp_path, log, "BrokerRegistration")
    assert {one.kind for one in report.incidents} == {"broker-fenced"}
    assert report.health is Health.HEALED


@pytest.mark.parametrize(("apart", "health"), [(15, Health.WELL), (90, Health.ILL)])
def test_a_controller_that_is_elected_thrice_in_a_minute_may_have_settled(
    tmp_path: Path, apart: float, health: Health
) -> None:
    """Who restarts brokers moves the controller about; it is trouble where that does not cease."""
    elected = [
        (
            60 + number * apart,
            "kafka.controller.KafkaController",
            f"[Controller id=2] 2 successfully elected as the controller. Epoch incremented to"
            f" {number + 2} and epoch zk version is now {number + 2}",
        )
        for number in range(3)
    ]
    report = judged(tmp_path, elected, "Controller")
    assert report.health is health
    assert bool(of_kind(report, "controller-unsettled")) == (health is Health.ILL)
