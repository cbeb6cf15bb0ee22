"""What the coordinator holds of one transactional id: Kafka's own unit tests of it as calls, and a mutant for every property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.data import Claim
from statemachines.model.snapshots import Snapshot
from statemachines.model.values import FrozenMap
from statemachines.model.verdicts import Verdict
from statemachines.notation import specs_folder
from statemachines.semantics.values import accept

NAME = "kafka/TransactionMetadata"
SPEC = sm.load(NAME)
SINCE_1, SINCE_2_5 = ("1.0.2", "2.4.1", "2.5.1", "2.8.2", "3.9.2"), ("2.5.1", "2.8.2", "3.9.2")
LAST = 32767
ILLEGAL = "IllegalStateException"
Call = tuple[str, dict[str, Any]]
BUMP: Call = ("prepareIncrementProducerEpoch", {})
ADD: Call = ("prepareAddPartitions", {"addedTopicPartitions": {"t-0"}})
ROTATE: Call = ("prepareProducerIdRotation", {"newProducerId": "second", "recordLastEpoch": True})


def written(error: str = "NONE", *, again: bool = False) -> Call:
    """Return what becomes of the write of a prepared step."""
    return "appendTransactionToLog", {"error": error, "retryOnError": again}


SCENARIOS: list[tuple[str, tuple[str, ...], str, int, list[Call], dict[str, Any]]] = [
    ("testNormalEpochBump", SINCE_1, "Empty", 735, [BUMP, written()], {"producerEpoch": 736, "pending": None}),
    ("testBumpEpochNotAllowedIfEpochsExhausted", SINCE_1, "Empty", LAST - 1, [BUMP], {"error": ILLEGAL, "producerEpoch": LAST - 1}),
    ("testTolerateTimeShiftDuringAddPartitions", SINCE_1, "Empty", 735, [ADD, written(), ADD, written()], {"txnState": "Ongoing"}),
    ("testTolerateTimeShiftDuringPrepareAbort", SINCE_1, "Ongoing", 735, [("prepareAbortOrCommit", {"newState": "PrepareAbort"}), written()], {"txnState": "PrepareAbort"}),
    ("testTolerateTimeShiftDuringCompleteCommit", SINCE_1, "PrepareCommit", 735, [("prepareComplete", {}), written()], {"txnState": "CompleteCommit"}),
    ("testFenceProducerNotAllowedIfItWouldOverflow", SINCE_1, "Ongoing", LAST, [("prepareFenceProducerEpoch", {})], {"error": ILLEGAL, "pending": None}),
    ("testRotateProducerId", SINCE_2_5, "Empty", LAST - 1, [ROTATE, written()], {"producerId": "second", "producerEpoch": 0, "lastProducerEpoch": LAST - 1}),
    ("testRotateProducerId", SINCE_1[:2], "Empty", LAST - 1, [ROTATE, written()], {"producerId": "second", "producerEpoch": 0}),
    ("testRotateProducerIdInPrepareAbortState", SINCE_1, "PrepareAbort", 735, [ROTATE], {"error": ILLEGAL, "producerId": "first"}),
    ("testAttemptedEpochBumpWithFencedEpoch", SINCE_2_5, "Empty", 735, [(BUMP[0], {"expectedProducerEpoch": 733})], {"returned": "PRODUCER_FENCED", "producerEpoch": 735, "pending": None}),
    ("testCompleteTransitionWhenAppendSucceeded", SINCE_1, "Empty", 0, [ADD, written()], {"txnState": "Ongoing", "pending": None}),
    ("testAppendFailToCoordinatorLoadingError", SINCE_1, "Empty", 0, [ADD, written("COORDINATOR_LOAD_IN_PROGRESS")], {"txnState": "Empty", "pending": None}),
    ("testPendingStateNotResetOnRetryAppend", SINCE_1, "Empty", 0, [ADD, written("COORDINATOR_NOT_AVAILABLE", again=True)], {"txnState": "Empty", "pending": "Ongoing"}),
    ("testAppendTransactionToLogWhileProducerFenced", SINCE_1, "Empty", 0, [ADD, written("NOT_COORDINATOR")], {"returned": "NOT_COORDINATOR", "txnState": "Empty"}),
    ("shouldWriteTxnMarkersForTransactionInPreparedCommitState", SINCE_1, "PrepareCommit", 0, [("prepareComplete", {})], {"pending": "CompleteCommit"}),
    ("shouldRemoveCompleteCommitExpiredTransactionalIds", SINCE_1, "CompleteCommit", 0, [("prepareDead", {}), written()], {"producerId": None}),
    ("shouldNotRemoveExpiredTransactionalIdsIfLogAppendFails", SINCE_1, "CompleteAbort", 0, [("prepareDead", {}), written("UNKNOWN_SERVER_ERROR"), ADD], {"producerId": "first", "pending": "Ongoing"}),
    ("shouldNotRemovePrepareAbortTransactionalIds", SINCE_1, "PrepareAbort", 0, [("prepareDead", {})], {"error": ILLEGAL, "pending": None}),
    ("shouldNotRemovePrepareCommitTransactionalIds", SINCE_1, "PrepareCommit", 0, [("prepareDead", {})], {"error": ILLEGAL, "pending": None}),
]  # fmt: skip
"""A test; releases; the state and the epoch that are given; calls; what is to come of them: variables, `pending` state, `error`, `returned`."""


def begin(machine: sm.Machine, state: str, epoch: int) -> Snapshot:
    """Return an id with a producer; where a transaction is open it has a partition."""
    made = machine.start(shortMaxValue=LAST)
    open_ = state in ("Ongoing", "PrepareCommit", "PrepareAbort")
    held = {
        "txnState": state,
        "producerId": "first",
        "producerEpoch": epoch,
        "lastProducerEpoch": epoch - 1,
        "topicPartitions": {"t-0"} if open_ else set(),
    }
    given = {name: accept(machine.value.data.variable(name).type, value) for name, value in held.items()}
    return Snapshot(made.state, FrozenMap({**made.variables, **given}), made.parameters)


@pytest.mark.parametrize("row", SCENARIOS, ids=[f"{row[0]}-{row[1][0]}" for row in SCENARIOS])
def test_the_unit_tests_of_kafka_hold_for_the_spec(row: tuple[str, tuple[str, ...], str, int, list[Call], dict[str, Any]]) -> None:
    """In each release of a row."""
    _, releases, state, epoch, calls, wanted = row
    for release in releases:
        machine = SPEC.at(release)
        now = begin(machine, state, epoch)
        for event, arguments in calls:
            taken = {"expectedProducerEpoch": None} if event == BUMP[0] and release in SINCE_2_5 else {}
            answer = sm.step(machine, now, event, **{**taken, **arguments})
            now = answer.after
        pending = now.variables["pendingState"]
        told = {**now.variables, "pending": pending and pending.txnState, "error": answer.error, "returned": answer.returned}
        assert {name: told[name] for name in wanted} == wanted


MUTANTS = [
    ("epochFits", "      - {when: producerEpoch >= shortMaxValue, raises: IllegalStateException, doc: Cannot fence producer with epoch equal to Short.MaxValue since this would overflow.}\n", "      - {when: producerEpoch < 0, raises: IllegalStateException}\n"),
    ("noPartitionsWithoutTransaction", "transit('CompleteCommit', producerId, producerEpoch, lastProducerEpoch, set())", "transit('CompleteCommit', producerId, producerEpoch, lastProducerEpoch, topicPartitions)"),
    ("onlyLegalIsPending", "producerId is not None and TransactionCoordinator.allows(txnState, target)", "producerId is not None"),
    ("onlyLegalMoves", "producerId is not None and TransactionCoordinator.allows(txnState, target)", "producerId is not None"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "instead"), MUTANTS, ids=[row[0] for row in MUTANTS])
def test_a_mistake_in_the_spec_breaks_the_property(name: str, text: str, instead: str, tmp_path: Path) -> None:
    """A property that no mistake breaks says nothing."""
    whole = (specs_folder() / f"{NAME}.yaml").read_text("utf-8")
    assert text in whole
    (tmp_path / "TransactionMetadata.yaml").write_text(whole.replace(text, instead), "utf-8")
    mutant = sm.load(tmp_path / "TransactionMetadata.yaml").at("2.8.2")
    walks = (mutant.simulate(seed=seed, steps=300) for seed in range(60))
    assert any(one.property.name == name and one.verdict is Verdict.VIOLATED for walk in walks for one in walk.noticed)


def test_every_property_has_a_mutant_and_holds() -> None:
    """In every era of the class."""
    for release in ("2.4.1", "3.9.2"):
        machine = SPEC.at(release)
        claimed = {one.name for one in machine.value.data.properties if one.claim in (Claim.ALWAYS, Claim.EACH_STEP)}
        assert claimed == {row[0] for row in MUTANTS}
        walks = [machine.simulate(seed=seed, steps=200) for seed in range(5)]
        assert not any(one.verdict is Verdict.VIOLATED for walk in walks for one in walk.noticed)
