"""What the coordinator holds of one transactional id: Kafka's own unit tests of it as calls, and a mutant for every property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.value_acceptance import accept_value
from tests.catalogue.planting import planted
from tests.shipped import shipped

NAME = "kafka/TransactionMetadata"
SPEC = shipped(NAME)
SINCE_1, SINCE_2_5 = ("1.0.2", "2.4.1", "2.5.1", "2.8.2", "3.9.2"), ("2.5.1", "2.8.2", "3.9.2")
SINCE_0_11 = ("0.11.0.0", "0.11.0.1", "0.11.0.3", *SINCE_1)
LAST = 32767
ILLEGAL, ARGUMENT = "IllegalStateException", "IllegalArgumentException"
Call = tuple[str, dict[str, Any]]
BUMP: Call = ("prepareIncrementProducerEpoch", {})
ADD: Call = ("prepareAddPartitions", {"addedTopicPartitions": {"t-0"}})
ROTATE: Call = ("prepareProducerIdRotation", {"newProducerId": "second", "recordLastEpoch": True})


FENCE: Call = ("prepareFenceProducerEpoch", {})
ABORT: Call = ("prepareAbortOrCommit", {"newState": "PrepareAbort"})
COMPLETE: Call = ("completeTransitionTo", {})
DEAD: Call = ("prepareDead", {})
LOAD: Call = ("loadTransactionsForTxnTopicPartition", {})
UNLOAD: Call = ("removeTransactionsForTxnTopicPartition", {})
ASK: Call = ("getTransactionState", {})


def loaded(state: str, *partitions: str) -> Call:
    """Return what the log tells of the id."""
    found = {
        "loadedProducerId": "first",
        "loadedState": state,
        "loadedEpoch": 7,
        "loadedPartitions": set(partitions),
    }
    return "addLoadedTransactionsToCache", found


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
    ("testAttemptedEpochBumpWithFencedEpoch", ("2.5.0", "2.6.3"), "Empty", 735, [(BUMP[0], {"expectedProducerEpoch": 733})], {"returned": "INVALID_PRODUCER_EPOCH", "producerEpoch": 735, "pending": None}),
    ("testAttemptedEpochBumpWithFencedEpoch", ("2.7.0", "2.8.2", "3.9.2"), "Empty", 735, [(BUMP[0], {"expectedProducerEpoch": 733})], {"returned": "PRODUCER_FENCED", "producerEpoch": 735, "pending": None}),
    ("testAttemptedEpochBumpWithLastEpoch", SINCE_2_5, "Empty", 735, [(BUMP[0], {"expectedProducerEpoch": 734}), COMPLETE], {"producerEpoch": 735, "lastProducerEpoch": 734}),
    ("testEpochBumpWithCurrentEpochProvided", SINCE_2_5, "Empty", 735, [(BUMP[0], {"expectedProducerEpoch": 735}), COMPLETE], {"producerEpoch": 736, "lastProducerEpoch": 735}),
    ("testAttemptedEpochBumpWithNewlyCreatedMetadata", SINCE_2_5, "Empty", -1, [(BUMP[0], {"expectedProducerEpoch": 735}), COMPLETE], {"producerEpoch": 0, "lastProducerEpoch": -1}),
    ("testInitializeEpoch", SINCE_0_11, "Empty", -1, [BUMP, COMPLETE], {"producerEpoch": 0, "producerId": "first"}),
    ("testRotateProducerId-last", SINCE_2_5, "Empty", LAST - 1, [ROTATE, COMPLETE], {"lastProducerId": "first"}),
    ("testRotateProducerIdInOngoingState", SINCE_0_11, "Ongoing", LAST - 1, [ROTATE], {"error": ILLEGAL, "pending": None}),
    ("testFenceProducerAfterEpochsExhausted", SINCE_0_11[2:], "Ongoing", LAST - 1, [FENCE], {"pending": "PrepareEpochFence", "producerEpoch": LAST - 1}),
    ("testFenceProducerAfterEpochsExhausted", SINCE_0_11[:2], "Ongoing", LAST - 1, [FENCE], {"pending": None, "producerEpoch": LAST}),
    ("aFenceRaisesTheEpochWhateverIsPending", SINCE_0_11[:2], "Ongoing", 7, [("prepareAbortOrCommit", {"newState": "PrepareCommit"}), FENCE, written()], {"error": ILLEGAL, "txnState": "Ongoing"}),
    ("testFenceProducerNotAllowedIfItWouldOverflow", SINCE_0_11[:2], "Ongoing", LAST, [FENCE], {"error": ILLEGAL, "producerEpoch": LAST}),
    ("aFenceWhileAnotherStepIsPending", SINCE_0_11[2:], "Ongoing", 7, [ADD, FENCE], {"error": ILLEGAL, "pending": "Ongoing"}),
    ("aFenceIsNeverWritten", SINCE_0_11[2:], "Ongoing", 7, [FENCE, COMPLETE], {"error": ILLEGAL, "pending": "PrepareEpochFence"}),
    ("shouldNotRepeatedlyBumpEpochDueToInitPidDuringOngoingTxnIfAppendToLogFails", ("2.6.0", "2.8.2", "3.9.2"), "Ongoing", 7, [FENCE, ("fencedIsAborted", {}), ABORT, written("NOT_COORDINATOR"), ("epochFenceFailed", {}), FENCE, ("fencedIsAborted", {})], {"producerEpoch": 8}),
    ("anEndLetsTheNextFenceRaiseAgain", ("2.6.0", "3.9.2"), "PrepareAbort", 7, [("epochFenceFailed", {}), ("prepareComplete", {}), COMPLETE], {"hasFailedEpochFence": False}),
    ("testAppendTransactionToLogWhilePendingStateChanged", SINCE_0_11, "Empty", 0, [written()], {"error": ILLEGAL, "txnState": "Empty"}),
    ("completeWithNothingPending", SINCE_0_11, "Ongoing", 0, [COMPLETE], {"error": ILLEGAL, "txnState": "Ongoing"}),
    ("aFailedWriteWithNothingPending", SINCE_0_11, "Ongoing", 0, [written("NOT_COORDINATOR")], {"error": None, "returned": "NOT_COORDINATOR"}),
    ("completeWhatIsComplete", SINCE_0_11, "CompleteAbort", 7, [("prepareComplete", {})], {"error": ILLEGAL, "pending": None}),
    ("prepareWithoutEpoch", SINCE_0_11, "Empty", -1, [ADD], {"error": ARGUMENT, "pending": None}),
    ("whatIsPendingIsLookedAtFirst", SINCE_0_11, "Empty", -1, [BUMP, ADD], {"error": ILLEGAL, "pending": "Empty"}),
    ("expiryWithoutEpoch", ("0.11.0.0", "2.8.2", "3.4.0"), "Empty", -1, [DEAD], {"error": ARGUMENT, "pending": None}),
    ("expiryWithoutEpoch", ("3.4.1", "3.9.2"), "Empty", -1, [DEAD], {"error": None, "pending": "Dead"}),
    ("deadIsNeverCompleted", SINCE_0_11, "Empty", 0, [DEAD, COMPLETE], {"error": ILLEGAL, "pending": "Dead"}),
    ("removePartition", SINCE_0_11, "PrepareCommit", 7, [("removePartition", {"topicPartition": "t-0"})], {"error": None, "topicPartitions": frozenset()}),
    ("removePartitionTooEarly", SINCE_0_11, "Ongoing", 7, [("removePartition", {"topicPartition": "t-0"})], {"error": ILLEGAL, "topicPartitions": frozenset({"t-0"})}),
    ("shouldRespondWithCoordinatorLoadInProgress", SINCE_0_11, "Empty", 7, [LOAD, ASK], {"returned": "COORDINATOR_LOAD_IN_PROGRESS", "producerId": None}),
    ("shouldRespondWithNotCoordinator", SINCE_0_11, "Empty", 7, [UNLOAD, ASK], {"returned": "NOT_COORDINATOR", "producerId": None}),
    ("testAppendFailToCoordinatorLoadingError-cache", SINCE_0_11, "Empty", 7, [ADD, LOAD, written()], {"returned": "COORDINATOR_LOAD_IN_PROGRESS", "pending": None}),
    ("testAppendFailToNotCoordinatorError", SINCE_0_11, "Empty", 7, [ADD, UNLOAD, written()], {"returned": "NOT_COORDINATOR", "pending": None}),
    ("testAppendFailToNotCoordinatorError-noId", SINCE_0_11, "Empty", 7, [LOAD, (loaded("Empty")[0], loaded("Empty")[1] | {"loadedProducerId": None}), written()], {"returned": "NOT_COORDINATOR"}),
    ("testLoadAndRemoveTransactionsForPartition", SINCE_0_11, "Empty", 7, [LOAD, loaded("Ongoing", "t-0"), ASK], {"returned": "NONE", "txnState": "Ongoing", "pending": None}),
    ("shouldWriteTxnMarkersForTransactionInPreparedCommitState-load", SINCE_0_11, "Empty", 7, [LOAD, loaded("PrepareCommit", "t-0")], {"pending": "CompleteCommit"}),
    ("shouldWriteTxnMarkersForTransactionInPreparedAbortState", SINCE_0_11, "Empty", 7, [LOAD, loaded("PrepareAbort", "t-0"), COMPLETE], {"txnState": "CompleteAbort", "topicPartitions": frozenset()}),
    ("whatIsReadTooLateIsDropped", SINCE_0_11, "Empty", 7, [LOAD, UNLOAD, loaded("Ongoing", "t-0"), ASK], {"returned": "NOT_COORDINATOR", "producerId": None}),
    ("putWhereThereIsOne", SINCE_0_11, "Empty", 7, [("putTransactionStateIfNotExists", {"newProducerId": "second"})], {"returned": "NONE", "producerId": "first"}),
    ("putWhileLoading", SINCE_0_11, "Empty", 7, [LOAD, ("putTransactionStateIfNotExists", {"newProducerId": "second"})], {"returned": "COORDINATOR_LOAD_IN_PROGRESS", "producerId": None}),
    ("testCompleteTransitionWhenAppendSucceeded", SINCE_1, "Empty", 0, [ADD, written()], {"txnState": "Ongoing", "pending": None}),
    ("testAppendFailToCoordinatorLoadingError", SINCE_1, "Empty", 0, [ADD, written("COORDINATOR_LOAD_IN_PROGRESS")], {"txnState": "Empty", "pending": None}),
    ("testPendingStateNotResetOnRetryAppend", SINCE_1, "Empty", 0, [ADD, written("COORDINATOR_NOT_AVAILABLE", again=True)], {"txnState": "Empty", "pending": "Ongoing"}),
    ("testAppendTransactionToLogWhileProducerFenced", SINCE_1, "Empty", 0, [ADD, written("NOT_COORDINATOR")], {"returned": "NOT_COORDINATOR", "txnState": "Empty"}),
    ("shouldWriteTxnMarkersForTransactionInPreparedCommitState", SINCE_1, "PrepareCommit", 0, [("prepareComplete", {})], {"pending": "CompleteCommit"}),
    ("shouldRemoveCompleteCommitExpiredTransactionalIds", SINCE_1, "CompleteCommit", 0, [("prepareDead", {}), written()], {"producerId": None}),
    ("shouldNotRemoveExpiredTransactionalIdsIfLogAppendFails", SINCE_1, "CompleteAbort", 0, [("prepareDead", {}), written("UNKNOWN_SERVER_ERROR"), ADD], {"producerId": "first", "pending": "Ongoing"}),
    ("shouldNotRemovePrepareAbortTransactionalIds", SINCE_1, "PrepareAbort", 0, [("prepareDead", {})], {"error": ILLEGAL, "pending": None}),
    ("shouldNotRemovePrepareCommitTransactionalIds", SINCE_1, "PrepareCommit", 0, [("prepareDead", {})], {"error": ILLEGAL, "pending": None}),
    ("testAppendFailToUnknownError", SINCE_0_11, "Ongoing", 0, [ADD, written("UNKNOWN_SERVER_ERROR"), ADD, written("UNKNOWN_SERVER_ERROR")], {"returned": "UNKNOWN_SERVER_ERROR", "pending": None, "txnState": "Ongoing"}),
    ("testAppendFailToCoordinatorNotAvailableError", SINCE_0_11, "Ongoing", 0, [ADD, written("COORDINATOR_NOT_AVAILABLE")], {"returned": "COORDINATOR_NOT_AVAILABLE", "pending": None, "txnState": "Ongoing"}),
    ("shouldRemoveEmptyExpiredTransactionalIds", SINCE_0_11, "Empty", 0, [DEAD, written()], {"returned": "NONE", "producerId": None}),
    ("shouldRemoveCompleteAbortExpiredTransactionalIds", SINCE_0_11, "CompleteAbort", 0, [DEAD, written()], {"returned": "NONE", "producerId": None}),
    ("shouldNotRemoveOngoingTransactionalIds", SINCE_0_11, "Ongoing", 0, [DEAD], {"error": ILLEGAL, "pending": None}),
    ("testTransactionExpirationShouldNotFailWithUninitializedTransactionMetadata", ("3.4.1", "3.9.2"), "Empty", -1, [DEAD, written()], {"returned": "NONE", "producerId": None}),
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
        "lastProducerEpoch": max(epoch - 1, -1),
        "topicPartitions": {"t-0"} if open_ else set(),
    }
    given = {
        name: accept_value(machine.value.data.variable(name).type, value)
        for name, value in held.items()
    }
    return Snapshot(made.state, FrozenMap({**made.variables, **given}), made.parameters)


def taken_by(machine: sm.Machine, event: str) -> bool:
    """Say whether an event has arguments in a release."""
    return next(
        bool(one.signature and one.signature.arguments)
        for one in machine.value.events
        if one.name == event
    )


@pytest.mark.parametrize("row", SCENARIOS, ids=[f"{row[0]}-{row[1][0]}" for row in SCENARIOS])
def test_the_unit_tests_of_kafka_hold_for_the_spec(
    row: tuple[str, tuple[str, ...], str, int, list[Call], dict[str, Any]],
) -> None:
    """In each release of a row."""
    _, releases, state, epoch, calls, wanted = row
    for release in releases:
        machine = SPEC.at(release)
        now = begin(machine, state, epoch)
        for event, arguments in calls:
            taken = (
                {"expectedProducerEpoch": None}
                if event == BUMP[0] and taken_by(machine, event)
                else {}
            )
            answer = sm.step(machine, now, event, **{**taken, **arguments})
            now = answer.after
        pending = now.variables["pendingState"]
        told = {
            **now.variables,
            "pending": pending and pending.txnState,
            "error": answer.error,
            "returned": answer.returned,
        }
        assert {name: told[name] for name in wanted} == wanted


MUTANTS = [
    ("epochFits", "- when: producerEpoch >= shortMaxValue\n          raises", "- when: producerEpoch < 0\n          raises"),
    ("noPartitionsWithoutTransaction", "transit('CompleteCommit', producerId, producerEpoch, lastProducerEpoch, set())", "transit('CompleteCommit', producerId, producerEpoch, lastProducerEpoch, topicPartitions)"),
    ("onlyLegalIsPending", "producerId is not None and TransactionCoordinator.allows(txnState, target)", "producerId is not None"),
    ("onlyLegalMoves", "producerId is not None and TransactionCoordinator.allows(txnState, target)", "producerId is not None"),
    ("onlyTheLeaderKnows", "cache: \"'none'\"\n      txnState: \"'Empty'\"\n      pendingState: None\n      producerId: None", "cache: \"'none'\"\n      txnState: \"'Empty'\"\n      pendingState: None"),
    ("decidedEndsAreCompleted", "if loadedState == 'PrepareAbort' else None", "if loadedState == 'CompleteAbort' else None"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "instead"), MUTANTS, ids=[row[0] for row in MUTANTS])
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    (tmp_path / "TransactionMetadata.yaml").write_text(planted(NAME, text, instead), "utf-8")
    mutant = sm.load(tmp_path / "TransactionMetadata.yaml").at("2.4.1")
    found = mutant.explore(integers=(-1, 5))
    assert [
        one.verdict for one in found.examined if one.property and one.property.name == name
    ] == [Verdict.VIOLATED]


def test_every_property_has_a_mutant_and_holds() -> None:
    """In every era of the class."""
    for release in ("0.11.0.1", "2.4.1", "3.9.2"):
        machine = SPEC.at(release)
        claimed = {
            one.name
            for one in machine.value.data.properties
            if one.kind in (PropertyKind.ALWAYS, PropertyKind.EACH_STEP)
        }
        assert claimed == {row[0] for row in MUTANTS}
        walks = [machine.simulate(seed=seed, steps=200) for seed in range(5)]
        assert not any(one.verdict is Verdict.VIOLATED for walk in walks for one in walk.noticed)
