"""A broker of ZooKeeper's time whose session expires: who it is, why, and until when."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import EpisodeOutcome

ZK, CLIENT = "kafka.zk.KafkaZkClient", "kafka.zookeeper.ZooKeeperClient"
UTILS, HEALTH = "kafka.utils.ZkUtils", "kafka.server.KafkaHealthcheck$SessionExpireListener"
CONTROLLER = "kafka.controller.KafkaController"
AT = "at path /brokers/ids/1 with addresses"
WORDINGS = {
    "3.9.2": (
        (ZK, f"Registered broker 1 {AT}: PLAINTEXT://10.0.0.1:9092, czxid (broker epoch): 106"),
        (CLIENT, "[ZooKeeperClient Kafka server] Session expired."),
    ),
    "2.0.0": (
        (ZK, f"Registered broker 1 {AT}: ArrayBuffer(EndPoint(10.0.0.1,9092,ListenerName(A),A))"),
        (CLIENT, "[ZooKeeperClient] Session expired."),
    ),
    "1.0.0": (
        (UTILS, f"Registered broker 1 {AT}: EndPoint(10.0.0.1,9092,ListenerName(A),A)"),
        (HEALTH, "re-registering broker info in ZK for broker 1"),
    ),
}
"""The line by which a broker registers, and the one by which its session expired."""
DOWN = (CONTROLLER, "[Controller id=2] Broker failure callback for {}")
UP = (CONTROLLER, "[Controller id=2] New broker startup callback for {}")


def checked(folder: Path, release: str, *told: tuple[int, str, tuple[str, str]]) -> sm.Report:
    """Judge lines `(<second>, <process>, (<logger>, <text>))`."""
    for name in dict.fromkeys(process for _, process, _ in told):
        written = [
            f"[2026-01-01 10:00:{at:02},000] INFO {text} ({logger})\n"
            for at, process, (logger, text) in told
            if process == name
        ]
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "server.log").write_text("".join(written), "utf-8")
    return sm.check(folder, release=release, engine="local")


def titles(report: sm.Report) -> list[tuple[str, list[str]]]:
    """The title of each incident, and those of its effects."""
    return [(one.title, [effect.title for effect in one.effects]) for one in report.incidents]


@pytest.mark.parametrize("release", WORDINGS)
def test_a_session_that_expired_is_told_of_its_broker(tmp_path: Path, release: str) -> None:
    """The line names nobody; whoever is called at night asks which broker it is."""
    registered, expired = WORDINGS[release]
    told = [(0, "b", registered), (20, "b", expired), (22, "b", registered)]
    (incident,) = checked(tmp_path, release, *told).incidents
    assert incident.title == "broker 1 had lost its session with ZooKeeper"
    assert incident.outcome is EpisodeOutcome.HEALED
    times = [one.ms or 0 for one in (incident.since, incident.until) if one]
    assert times[1] - times[0] == 2_000


def test_a_session_that_is_not_back_goes_on(tmp_path: Path) -> None:
    """ZooKeeper is still away: the broker is out of its cluster."""
    registered, expired = WORDINGS["3.9.2"]
    told = [(0, "b", registered), (20, "b", expired), (59, "c", (CLIENT, "Connected."))]
    (incident,) = checked(tmp_path, "3.9.2", *told).incidents
    assert (incident.title, incident.is_ill) == (
        "broker 1 has lost its session with ZooKeeper",
        True,
    )


@pytest.mark.parametrize(
    ("broker", "effects"), [(1, ["broker 1 was down"]), (3, [])], ids=["its own", "another's"]
)
def test_it_is_why_this_broker_was_down_and_no_other(
    tmp_path: Path, broker: int, effects: list[str]
) -> None:
    """Two brokers that are lost within seconds have not one cause because of that."""
    registered, expired = WORDINGS["3.9.2"]
    gone, back = ((logger, text.format(broker)) for logger, text in (DOWN, UP))
    told = [
        (0, "a", (CONTROLLER, f"[Controller id=2] New broker startup callback for {broker}")),
        *((0, "b", registered), (18, "a", gone), (20, "b", expired), (22, "b", registered)),
        (23, "a", back),
    ]
    found = dict(titles(checked(tmp_path, "3.9.2", *told)))
    assert found["broker 1 had lost its session with ZooKeeper"] == effects
