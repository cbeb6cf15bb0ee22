"""Brokers as the controller of ZooKeeper's time tells of them at INFO, whatever its state changes are logged at."""

from __future__ import annotations

from pathlib import Path

import statemachines as sm
from statemachines.model.evidence.reports import Report

OPENED = "[ControllerEventThread controllerId={0}] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)"
ELECTED = (
    "[Controller id={0}] {0} successfully elected as the controller. Epoch incremented to {1} "
    "and epoch zk version is now {1} (kafka.controller.KafkaController)"
)
FOUND = "[Controller id={0}] Currently active brokers in the cluster: Set({1}) (kafka.controller.KafkaController)"
CAME = "[Controller id={0}] New broker startup callback for {1} (kafka.controller.KafkaController)"
WENT = "[Controller id={0}] Broker failure callback for {1} (kafka.controller.KafkaController)"
LEAVES = "[Controller id={0}] Shutting down broker {1} (kafka.controller.KafkaController)"
NO_LEADER = "[Controller id={0} epoch={1}] Controller {0} epoch {1} failed to change state for partition solo-0 from OfflinePartition to OnlinePartition (state.change.logger)"
LATER = "[Controller id={0}] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)"
ONE = [(0, OPENED, 1), (1, ELECTED, 1, 1), (1, FOUND, 1, "1"), (2, CAME, 1, "2,3")]


def judged(folder: Path, **logs: list[tuple[object, ...]]) -> Report:
    """Judge the controller.log of brokers, whose lines have a second each."""
    for name, lines in logs.items():
        (folder / name).mkdir()
        text = "".join(
            f"[2026-01-01 10:{int(str(at)) // 60:02}:{int(str(at)) % 60:02},000] INFO {str(line).format(*values)}\n"
            for at, line, *values in lines
        )
        (folder / name / "controller.log").write_text(text, "utf-8")
    return sm.check(folder, engine="local")


def told(report: Report) -> list[tuple[str, bool]]:
    """Return the titles of what happened to brokers, and whether it goes on."""
    return [
        (one.title, one.is_open)
        for one in report.incidents
        if one.kind in ("broker-down", "broker-stopped")
    ]


def test_a_broker_that_dies_is_down_until_it_registers(tmp_path: Path) -> None:
    """Two lines at INFO tell it; steps of replicas are at TRACE, and are not logged as shipped."""
    report = judged(tmp_path, b1=[*ONE, (5, WENT, 1, "2,3"), (9, CAME, 1, "3")])
    assert told(report) == [("broker 2 is down", True), ("broker 3 was down", False)]
    assert [one.verdict.name for one in report.machines if one.machine == "kafka/ZkBroker"] == [
        "HOLDS"
    ]


def test_a_broker_that_dies_with_its_controller_is_missed_by_the_next_one(tmp_path: Path) -> None:
    """Nobody writes that it failed: the next controller lists who is there."""
    two = [(3, OPENED, 2), (6, ELECTED, 2, 2), (6, FOUND, 2, "2"), (9, CAME, 2, "3")]
    report = judged(tmp_path, b1=ONE, b2=two)
    assert told(report) == [("broker 1 is down", True), ("broker 3 was down", False)]


def test_what_has_no_leader_follows_from_the_broker_that_died(tmp_path: Path) -> None:
    """The partition is the outage, the broker its cause."""
    report = judged(tmp_path, b1=[*ONE, (5, WENT, 1, "2"), (5, NO_LEADER, 1, 1), (8, LATER, 1)])
    (incident,) = [one for one in report.incidents if one.kind == "broker-down"]
    assert [effect.kind for effect in incident.effects] == ["partition-leaderless"]


def test_a_rolling_restart_is_no_alarm(tmp_path: Path) -> None:
    """Each broker asks to stop, is gone, and comes back; the controller itself is the last. Stops
    are told as what happened, and as no harm.
    """
    one = [*ONE, (3, LEAVES, 1, "2"), (5, WENT, 1, "2"), (9, CAME, 1, "2"), (12, LEAVES, 1, "1")]
    two = [(9, OPENED, 2), (15, ELECTED, 2, 2), (15, FOUND, 2, "2, 3"), (20, CAME, 2, "1")]
    report = judged(tmp_path, b1=one, b2=two)
    away = "broker {} was away after an orderly stop"
    assert told(report) == [(away.format(broker), False) for broker in (2, 1)]
    harms = {one.kind: one.harm.value for one in report.incidents}
    assert harms == {"broker-stopped": "none", "controller-moved": "delay"}


def test_leave_to_stop_that_takes_minutes_is_told(tmp_path: Path) -> None:
    """Who started the broker mostly kills it after half a minute."""
    for wait, slow in ((20, []), (300, ["broker 2 waited for permission to stop"])):
        lines = [*ONE, (3, LEAVES, 1, "2"), (3 + wait, WENT, 1, "2"), (9 + wait, CAME, 1, "2")]
        (tmp_path / str(wait)).mkdir()
        report = judged(tmp_path / str(wait), b1=lines)
        waits = [one.title for one in report.incidents if one.kind == "controlled-shutdown"]
        assert waits == slow


def test_a_broker_that_stays_stopped_is_no_alarm_by_itself(tmp_path: Path) -> None:
    """It was asked for; only what follows from it is trouble."""
    stopped = [*ONE, (3, LEAVES, 1, "2"), (5, WENT, 1, "2")]
    assert told(judged(tmp_path, b1=stopped)) == []


def test_a_broker_that_was_stopped_is_the_cause_of_what_has_no_leader(tmp_path: Path) -> None:
    """A partition with one replica, and that on the broker that was stopped."""
    stopped = [*ONE, (3, LEAVES, 1, "2"), (5, WENT, 1, "2"), (5, NO_LEADER, 1, 1), (8, LATER, 1)]
    assert told(judged(tmp_path, b1=stopped)) == [("broker 2 was stopped in order", True)]
