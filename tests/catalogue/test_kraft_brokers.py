"""What becomes of brokers without ZooKeeper, and of what they led: stopped in order, killed, and with a disk that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from tests.catalogue.kraft_logs import ID, Cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """Brokers 1 and 2, of which 1 leads t-0, which nobody else has."""
    made = Cluster(tmp_path)
    for broker, epoch in ((1, 10), (2, 11)):
        made.registered(101, 1, broker, epoch)
        made.fenced(101, 2, broker, epoch, -1)
    made.partition(101, 3, isr="1")
    made.leads(1, 3, 0, 0, isr="1")
    return made


def checked(cluster: Cluster) -> sm.Report:
    """Judge its logs with all machines of brokers and partitions."""
    cluster.check()
    specs = [f"kafka/{name}" for name in ("BrokerRegistration", "Partition", "LogDir")]
    return sm.check([cluster.folder], specs=specs, engine="local")


def incidents(report: sm.Report) -> list[tuple[str, list[str]]]:
    """The incidents with what followed."""
    return [(one.title, [effect.title for effect in one.effects]) for one in report.incidents]


def test_a_broker_that_asked_to_stop_is_not_told_as_one_that_was_lost(cluster: Cluster) -> None:
    """Its fencing is the last step of its own request, and no session that timed out; once it is
    back, people are told how long it was away, and nobody calls that harm.
    """
    cluster.fenced(101, 10, 2, 11, 0, 1)
    cluster.fenced(101, 12, 2, 11, 1)
    cluster.fenced(101, 20, 2, 11, -1)
    report = checked(cluster)
    assert [one.kind for one in report.episodes] == ["stopped"]
    assert incidents(report) == [("broker 2 was away after an orderly stop", [])]
    assert report.health.value == "well"


def test_a_broker_that_was_stopped_and_is_not_back_is_no_trouble(cluster: Cluster) -> None:
    """Somebody asked for it, and nothing followed."""
    cluster.fenced(101, 10, 2, 11, 0, 1)
    cluster.fenced(101, 12, 2, 11, 1)
    report = checked(cluster)
    assert [one.kind for one in report.episodes] == ["stopped"]
    assert incidents(report) == []


def test_a_broker_that_was_stopped_twice_has_two_stops(cluster: Cluster) -> None:
    """Each stop has its own times, and what followed: also what the other broker tells two seconds
    before the controller fences this one, and ten after the first stop was over.
    """
    for second, epoch in ((10, 1), (30, 3)):
        cluster.fenced(101, second, 1, 10, 0, 1)
        cluster.follows(2, second + 0.1, -1, epoch, epoch)
        cluster.fenced(101, second + 2, 1, 10, 1)
        cluster.fenced(101, second + 10, 1, 10, -1)
        cluster.leads(1, second + 10.1, epoch + 1, epoch + 1, isr="1")
    away = "broker 1 was away after an orderly stop"
    assert incidents(checked(cluster)) == [(away, ["t-0 had no leader"])] * 2


def test_what_only_a_broker_that_was_stopped_had_is_told_with_it(cluster: Cluster) -> None:
    """A topic of one replica has no leader while its broker is restarted in order."""
    cluster.fenced(101, 10, 1, 10, 0, 1)
    cluster.follows(2, 10.1, -1, 1, 1)
    cluster.fenced(101, 12, 1, 10, 1)
    cluster.fenced(101, 20, 1, 10, -1)
    cluster.leads(1, 20.1, 2, 2, isr="1")
    stopped = "broker 1 was away after an orderly stop", ["t-0 had no leader"]
    assert incidents(checked(cluster)) == [stopped]


def test_a_broker_whose_session_timed_out_is_fenced(cluster: Cluster) -> None:
    """It did not ask for it."""
    cluster.fenced(101, 12, 2, 11, 1)
    assert incidents(checked(cluster)) == [("broker 2 is fenced", [])]


@pytest.mark.parametrize("back", [False, True])
def test_a_broker_that_dies_while_it_is_being_stopped_is_not_told_as_stopped_in_order(
    cluster: Cluster, back: bool
) -> None:
    """Its session times out before all that it led is led by others: nobody granted it to go."""
    cluster.fenced(101, 10, 2, 11, 0, 1)
    cluster.controller(101, 16, "Fencing broker 2 at epoch 11 because its session has timed out.")
    cluster.fenced(101, 16.001, 2, 11, 1)
    if back:
        cluster.fenced(101, 20, 2, 11, -1)
    was = "away: it was killed while it was being stopped" if back else ""
    title = f"broker 2 was {was or 'killed while it was being stopped'}"
    report = checked(cluster)
    assert [one.kind for one in report.episodes] == ["cut_off_while_stopping"]
    assert [(one.kind, one.title, one.until is None) for one in report.incidents] == [
        ("broker-fenced", title, not back)
    ]
    assert report.health.value == ("healed" if back else "ill")


@pytest.mark.parametrize("other_leads", [False, True])
def test_what_lay_in_a_directory_that_failed_may_have_no_leader(
    cluster: Cluster, other_leads: bool
) -> None:
    """The controllers give it to another replica, and that one says so; else nobody does."""
    lost = f"Unable to bring up new local leader t-0 with topic id {ID} because it resides in an offline log directory."
    failed = "[ReplicaManager broker=1] Stopping serving replicas in dir /data/b with uuid Some(x) because the log directory has failed."
    for name, second, text, logger in (
        ("server", 10, failed, "kafka.server.ReplicaManager"),
        ("state-change", 11, f"[Broker id=1] {lost}", "state.change.logger"),
    ):
        line = f"[2026-11-22 20:00:{second},000] WARN {text} ({logger})\n"
        cluster.lines[f"broker1/{name}.log"].append(line)
    if other_leads:
        cluster.leads(2, 11.1, 1, 1, isr="2")
    cluster.fenced(101, 30, 2, 11, 0)
    [(title, effects)] = incidents(checked(cluster))
    assert title == "the log directory /data/b is offline"
    assert effects == ([] if other_leads else ["t-0 may have no leader"])
