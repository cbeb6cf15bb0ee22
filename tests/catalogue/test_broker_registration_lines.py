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
