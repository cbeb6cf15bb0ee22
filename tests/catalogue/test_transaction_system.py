"""One transactional id with its coordinator, its producers and a partition: what must hold does, and a planted fault is found by the shortest way."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_system, specs_folder, system_of
from statemachines.report.exploration.scope_texts import scope_from_texts
from tests.catalogue.planting import planted

SYSTEM = "kafka/Transaction"


def examined(text: str, release: str, claim: str, folder: Path) -> PropertyResult[Trace]:
    """Explore the system as `text` writes it and return what is said of one of its properties."""
    file = folder / "Transaction.yaml"
    file.write_text(text, "utf-8")
    system = system_of(load_system(str(file)), release)
    found = explore(
        system,
        scope_from_texts(system, [""]),
        ExplorationOptions(symmetry=True),
    )
    return next(one for one in found.examined if one.name.endswith(claim))


def written() -> str:
    """Return the system's spec."""
    return (specs_folder() / f"{SYSTEM}.yaml").read_text("utf-8")


def test_a_late_record_hangs_up_to_3_5_2(tmp_path: Path) -> None:
    """KAFKA-14402: it arrives when the coordinator is done, and opens a transaction of which nobody knows."""
    found = examined(planted(SYSTEM, "expect: fails", ""), "3.5.2", "nothingHangs", tmp_path)
    assert found.verdict is Verdict.VIOLATED
    assert found.trace is not None
    last = found.trace.snapshots[-1]
    assert last.parts["partition"].state == "ONGOING"
    assert last.parts["coordinator"].state in ("Empty", "CompleteCommit", "CompleteAbort")
    assert len(found.trace.steps) <= 6


def test_from_3_6_0_on_the_coordinator_is_asked_first(tmp_path: Path) -> None:
    """Without the question it would hang as before."""
    assert examined(written(), "3.6.0", "nothingHangs", tmp_path).verdict is Verdict.HOLDS
    unasked = planted(SYSTEM, "sent and coordinator.state == 'Ongoing'", "sent")
    assert examined(unasked, "3.6.0", "nothingHangs", tmp_path).verdict is Verdict.VIOLATED


FAULTS = {
    "zombiesCommitNothing": ("asked is not None and asked == owner", "asked is not None"),
    "committed": ("enters: [CompleteCommit, CompleteAbort]\n    only if: \"partition.state == 'NO_TRANSACTION'\"", "enters: [CompleteCommit, CompleteAbort]\n    only if: \"False\""),
}  # fmt: skip
"""Property to a text of the spec, and what stands there where it is broken."""


@pytest.mark.parametrize("claim", FAULTS)
def test_a_planted_fault_is_found(claim: str, tmp_path: Path) -> None:
    """An epoch that is not looked at; markers that never come."""
    text, instead = FAULTS[claim]
    assert examined(written(), "4.3.1", claim, tmp_path).verdict is Verdict.HOLDS
    found = examined(planted(SYSTEM, text, instead), "4.3.1", claim, tmp_path)
    assert found.verdict is Verdict.VIOLATED
    if found.trace is not None:
        assert len(found.trace.steps) <= 8


COORDINATOR = (
    "kafka.coordinator.transaction.TransactionMetadata",
    "TransactionalId tx complete transition from {} to TxnTransitMetadata(producerId=1000, "
    "lastProducerId=1000, producerEpoch=0, lastProducerEpoch=-1, txnTimeoutMs=60000, txnState={}, "
    "topicPartitions=Set(orders-1), txnStartTimestamp=1, txnLastUpdateTimestamp=1)",
)
PRODUCER = (
    "org.apache.kafka.clients.producer.internals.TransactionManager",
    "[Producer clientId={client}, transactionalId=tx] Transition from state {{}} to {{}}",
)
COMMITTED = [
    (2, "c", "Empty", "Ongoing"), (9, "c", "Ongoing", "PrepareCommit"),
    (10, "c", "PrepareCommit", "CompleteCommit"),
]  # fmt: skip


def judged_transactions(folder: Path, **producers: list[tuple[int, str, str]]) -> list[str]:
    """Judge a coordinator's log with those of producers; return the rules that are broken."""
    logs = {"coordinator": [_line(at, COORDINATOR, one, other) for at, _, one, other in COMMITTED]}
    for client, moves in producers.items():
        wording = PRODUCER[0], PRODUCER[1].format(client=client)
        logs[client] = [_line(at, wording, one, other) for at, one, other in moves]
    for name, lines in logs.items():
        (folder / f"{name}.log").write_text("".join(lines), "utf-8")
    paths = [folder / f"{name}.log" for name in logs]
    report = sm.check(paths, specs=[SYSTEM], release="3.6.2", engine="local")
    assert report.rules
    return [one.message for one in report.findings if one.kind == "broken rule"]


def _line(at: int, wording: tuple[str, str], source: str, target: str) -> str:
    logger, text = wording
    return f"[2026-01-01 10:00:{at:02},000] DEBUG {text.format(source, target)} ({logger})\n"


def producer(ready: int) -> list[tuple[int, str, str]]:
    """Return the steps of a producer that hears at a second that its transaction is committed."""
    return [
        (1, "READY", "IN_TRANSACTION"),
        (3, "IN_TRANSACTION", "COMMITTING_TRANSACTION"),
        (ready, "COMMITTING_TRANSACTION", "READY"),
    ]


def test_a_commit_that_the_coordinator_did_not_write_is_found(tmp_path: Path) -> None:
    """The producer and the coordinator are told in two logs, and only the transactional id is in
    both.
    """
    assert judged_transactions(tmp_path, main=producer(10)) == []
    (found,) = judged_transactions(tmp_path, main=producer(5))
    assert found.startswith("producers enters READY too early")


def test_with_a_second_producer_nothing_is_said(tmp_path: Path) -> None:
    """It may have begun the next transaction meanwhile."""
    assert judged_transactions(tmp_path, main=producer(5), other=producer(10)) == []
