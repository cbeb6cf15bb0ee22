"""What a broker that cannot register says, and what the controllers say of one that asks to be fenced or to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from tests.catalogue.kraft_logs import Cluster, said, told

ME = "BrokerLifecycleManager id=2"


def judged(folder: Path, logger: str, *rows: tuple[str, str]) -> sm.Report:
    """Judge what the broker 2 writes, two seconds apart: level, and text."""
    lines = [
        f"[2026-11-22 20:00:{2 * number:02},000] {level} [{ME}] {text} ({logger})\n"
        for number, (level, text) in enumerate(rows)
    ]
    log = folder / "server.log"
    log.write_text("".join(lines), "utf-8")
    return sm.check([log], specs=["kafka/BrokerLifecycle"], engine="local")


REFUSALS = {
    "kafka.server.BrokerLifecycleManager": "Unable to register broker 2 because of an authentication exception.",
    "org.apache.kafka.server.BrokerLifecycleManager": "Unable to register broker $nodeId because of an authentication exception.",
}
"""The logger up to 4.2 and from 4.3.0 on, where the number is not filled in."""


@pytest.mark.parametrize("logger", REFUSALS)
def test_a_broker_that_cannot_register_says_why_again_and_again(
    logger: str, tmp_path: Path
) -> None:
    """It tries every few seconds, and never gives up by itself."""
    report = judged(tmp_path, logger, *[("ERROR", REFUSALS[logger])] * 3)
    ((kind, count, reasons),) = [
        (one.kind, one.count, [reason for reason, _ in one.reasons]) for one in report.repeated
    ]
    assert (kind, count) == ("could not register", 3)
    assert reasons == ["an authentication exception"]


HEARTBEATS = {
    "Unable to send broker heartbeat for 2 because of an API version problem.": "an API version problem",
    "Unable to send broker heartbeat for 2 because the controller returned an invalid response type.": "invalid response type",
    "Unable to send a heartbeat because the RPC got timed out before it could be sent.": "the RPC got timed out before it could be sent",
}


@pytest.mark.parametrize("logger", REFUSALS)
@pytest.mark.parametrize("text", HEARTBEATS)
def test_a_heartbeat_that_cannot_be_sent_is_counted_with_its_reason(
    logger: str, text: str, tmp_path: Path
) -> None:
    """Whatever hinders it: soon the broker will be fenced for it."""
    report = judged(tmp_path, logger, ("WARN", text), ("WARN", text))
    assert [
        (one.kind, one.count, [reason for reason, _ in one.reasons]) for one in report.repeated
    ] == [("could not send a heartbeat", 2, [HEARTBEATS[text]])]


def test_a_broker_that_cannot_tell_of_its_disk_gives_up(tmp_path: Path) -> None:
    """The controllers would go on electing it for what lies there."""
    text = "Shutting down because couldn't communicate offline log dir 4rPy with controllers"
    report = judged(tmp_path, "kafka.server.BrokerLifecycleManager", ("ERROR", text))
    assert [(one.kind, one.count) for one in report.repeated] == [("gave up", 1)]


def test_a_fault_after_which_a_process_goes_on_is_over_when_it_is_started_anew(
    tmp_path: Path,
) -> None:
    """What it knows of the cluster may be old from here on, and no line takes that back."""
    begins = "INFO Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)\n"
    fault = "ERROR Encountered metadata loading fault: Error loading metadata log record from offset 72 (org.apache.kafka.server.fault.LoggingFaultHandler)\n"
    log = tmp_path / "server.log"
    times = [f"[2026-11-22 20:00:0{number},000] " for number in range(3)]
    log.write_text(times[0] + begins + times[1] + fault, "utf-8")

    def faults() -> list[tuple[str, str]]:
        report = sm.check([log], specs=["kafka/KafkaProcess"], engine="local")
        return [(one.kind, one.outcome.value) for one in report.incidents]

    assert faults() == [("process-fault", "may be over")]
    log.write_text(log.read_text("utf-8") + times[2] + begins, "utf-8")
    assert faults() == [("process-fault", "healed")]


def test_a_controller_says_which_broker_lost_directories(tmp_path: Path) -> None:
    """It is told in a heartbeat, and knows the directories by their ids alone."""
    text = "[QuorumController id=101] Directories [4rPy] in broker 3 marked offline, remaining directories: [F1RZ]"
    log = tmp_path / "controller.log"
    log.write_text(
        f"[2026-11-22 20:00:00,000] WARN {text} (org.apache.kafka.controller.ReplicationControlManager)\n",
        "utf-8",
    )
    report = sm.check([log], specs=["kafka/BrokerRegistration"], engine="local")
    assert [(one.kind, one.title) for one in report.incidents] == [
        ("broker-lost-directories", "broker 3 lost log directories")
    ]


def test_who_is_told_to_stop_stops(tmp_path: Path) -> None:
    """The controller's leave is a request, and the next line says what became of it."""
    logger = "kafka.server.BrokerLifecycleManager"
    leave = ("INFO", "The controller has asked us to exit controlled shutdown.")
    stops = ("INFO", "Transitioning from PENDING_CONTROLLED_SHUTDOWN to SHUTTING_DOWN.")
    report = judged(tmp_path, logger, ("INFO", "Beginning controlled shutdown."), leave, stops)
    assert (said(report), [step.split(" ", 1)[1] for step in told(report)]) == (
        [],
        ["RUNNING PENDING_CONTROLLED_SHUTDOWN", "PENDING_CONTROLLED_SHUTDOWN SHUTTING_DOWN"],
    )


def test_who_asks_to_be_fenced_is_fenced_once(tmp_path: Path) -> None:
    """The active controller grants it, and every controller replays the record."""
    cluster = Cluster(tmp_path)
    for node in (101, 102):
        cluster.registered(node, 1, 2, 9)
        cluster.fenced(node, 2, 2, 9, -1)
    cluster.controller(101, 10, "Unfenced broker 2 has requested and been granted fencing")
    for node in (101, 102):
        cluster.fenced(node, 10.1, 2, 9, 1)
    report = cluster.check("BrokerRegistration")
    assert (told(report), said(report)) == (["2.0 FENCED UNFENCED", "10.0 UNFENCED FENCED"], [])


def test_who_stops_before_it_was_unfenced_is_fenced(tmp_path: Path) -> None:
    """The controller calls it fenced, so a line by which it was unfenced is no longer true."""
    cluster = Cluster(tmp_path)
    cluster.registered(101, 1, 2, 9)
    stops = "Fenced broker 2 has requested and been granted an immediate shutdown."
    cluster.controller(101, 3, stops)
    assert said(cluster.check("BrokerRegistration")) == []
    cluster.lines["controller101/controller.log"].pop()
    cluster.fenced(101, 2, 2, 9, -1)
    cluster.controller(101, 3, stops)
    assert said(cluster.check("BrokerRegistration")) == [
        "gap INCONCLUSIVE controller101/controller.log:3"
    ]
