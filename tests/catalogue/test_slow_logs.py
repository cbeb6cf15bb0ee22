"""What takes too long is told, by the limit that the log itself prints; what is late by a promise
breaks a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.incidents import Health

_Line = tuple[float, str, str]
"""Seconds after eight, the logger and the message."""
CLIENT = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
CONFIG = "org.apache.kafka.clients.consumer.ConsumerConfig"
TRANSACTION = "kafka.coordinator.transaction.TransactionMetadata"
BROKER = "kafka.server.BrokerLifecycleManager"


def judged(folder: Path, lines: Sequence[_Line], machine: str, level: str = "INFO") -> sm.Report:
    """Judge lines by a machine of the catalogue."""
    texts = []
    for at, logger, message in lines:
        whole = int(at)
        clock = f"{8 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},000"
        texts.append(f"[2026-11-21 {clock}] {level} {message} ({logger})\n")
    log = folder / "a.log"
    log.write_text("".join(texts), "utf-8")
    return sm.check([log], specs=[f"kafka/{machine}"], release="3.9.1")


def kinds(report: sm.Report) -> list[str]:
    """What happened, in order of harm."""
    return [one.kind for one in report.incidents]


def rebalance(lasting: float, limit_ms: int | None) -> list[_Line]:
    """A consumer that is between two assignments, and what it printed when it was made."""
    head = "[Consumer clientId=c-1, groupId=billing] "
    settings = (
        f"ConsumerConfig values: \n\tclient.id = c-1\n\tgroup.id = billing\n"
        f"\tmax.poll.interval.ms = {limit_ms}\n"
    )
    joined = "generation Generation{generationId=1, memberId='c-1-x', protocol='range'}"
    return [
        *([(0, CONFIG, settings)] if limit_ms else []),
        (10, CLIENT, f"{head}(Re-)joining group"),
        (10 + lasting, CLIENT, f"{head}Successfully joined group with {joined}"),
        (11 + lasting, CLIENT, f"{head}Successfully synced group in {joined}"),
    ]


@pytest.mark.parametrize(
    ("lasting", "limit_ms", "told"),
    [
        (50, 300_000, []),
        (50, 20_000, ["client-rebalance-late"]),
        (50, None, []),
        (400, None, ["client-rebalance-late"]),
        (400, 600_000, ["client-rebalancing"]),
    ],
)
def test_a_rebalance_has_the_time_that_its_client_printed(
    tmp_path: Path, lasting: float, limit_ms: int | None, told: list[str]
) -> None:
    """Ten minutes are nothing for one program and an outage for another; its settings say which."""
    report = judged(tmp_path, rebalance(lasting, limit_ms), "AbstractCoordinator")
    assert kinds(report) == told
    assert report.verdict.name == "HOLDS"


def transaction(lasting: float) -> list[_Line]:
    """A transaction with a time-out of four seconds, which its coordinator prints."""
    head = "TransactionalId tx complete transition from"
    data = (
        "producerId=1, lastProducerId=1, producerEpoch=0, lastProducerEpoch=-1, txnTimeoutMs=4000"
    )
    rest = "topicPartitions=Set(orders-1), txnStartTimestamp=1, txnLastUpdateTimestamp=1"
    moves = (
        (1.0, "Empty", "Ongoing"),
        (1 + lasting, "Ongoing", "PrepareAbort"),
        (1 + lasting, "PrepareAbort", "CompleteAbort"),
    )
    return [
        (at, TRANSACTION, f"{head} {a} to TxnTransitMetadata({data}, txnState={b}, {rest})")
        for at, a, b in moves
    ]


@pytest.mark.parametrize(
    ("lasting", "told", "verdict"),
    [
        (9, [], "HOLDS"),
        (20, ["transaction-late"], "HOLDS"),
        (60, ["transaction-late"], "VIOLATED"),
    ],
)
def test_a_coordinator_that_does_not_abort_in_time_breaks_its_promise(
    tmp_path: Path, lasting: float, told: list[str], verdict: str
) -> None:
    """It looks every ten seconds: a round late is trouble, and two are no accident."""
    report = judged(tmp_path, transaction(lasting), "TransactionCoordinator", "DEBUG")
    assert (kinds(report), report.verdict.name) == (told, verdict)
    assert report.health is (Health.HEALED if told else Health.WELL)


@pytest.mark.parametrize(("lasting", "told"), [(20, []), (200, ["controlled-shutdown"])])
def test_a_controlled_shutdown_that_takes_minutes_is_told(
    tmp_path: Path, lasting: float, told: list[str]
) -> None:
    """Somebody who waits for a broker to go wants to know that it hangs; once it went in order,
    nothing was wrong.
    """
    head = "[BrokerLifecycleManager id=2]"
    steps = (
        (1.0, f"{head} The broker has caught up. Transitioning from STARTING to RECOVERY."),
        (2.0, f"{head} The broker has been unfenced. Transitioning from RECOVERY to RUNNING."),
        (10.0, f"{head} Beginning controlled shutdown."),
        (10 + lasting, "Deleting old segments"),
    )
    end = f"{head} Transitioning from PENDING_CONTROLLED_SHUTDOWN to SHUTTING_DOWN."
    lines = [(at, BROKER, text) for at, text in steps]
    report = judged(tmp_path, lines, "BrokerLifecycle")
    assert (kinds(report), report.health is Health.ILL) == (told, bool(told))
    ended = judged(tmp_path, [*lines, (11 + lasting, BROKER, end)], "BrokerLifecycle")
    assert ended.health is Health.WELL
