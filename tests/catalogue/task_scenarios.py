"""What Kafka's StreamTaskTest and StandbyTaskTest say, as calls on the spec of one task."""

from __future__ import annotations

from typing import Any

from tests.catalogue.scenarios import Call, Row, call

SINCE_2_6 = ("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.3.2", "3.5.2", "3.9.1", "4.1.1", "4.3.1")
UP_TO_3_3, SINCE_3_4, SINCE_3_5, SINCE_2_8 = (
    SINCE_2_6[:5],
    SINCE_2_6[5:],
    SINCE_2_6[5:],
    SINCE_2_6[2:],
)
ACTIVE: dict[str, Any] = {"kind": "active", "eosEnabled": False}
STANDBY: dict[str, Any] = {"kind": "standby", "eosEnabled": False}
EOS: dict[str, Any] = {"kind": "active", "eosEnabled": True}


def row(
    test: str,
    releases: tuple[str, ...],
    *calls: Call,
    state: str = "",
    of: dict[str, Any] = ACTIVE,
    **variables: Any,
) -> Row:
    """Return a scenario of one task."""
    return Row(test, "kafka/Task", releases, calls, state, of, variables)


PREPARE = call("prepareCommit", clean=True)
POST = call("postCommit", enforceCheckpoint=True)
SCENARIOS = [
    # Those of the facts
    row(
        "shouldTransitToRestoringThenRunningAfterCreation",
        SINCE_2_6,
        call("initializeIfNeeded", "RESTORING"),
        call("initializeIfNeeded", "RESTORING", does="Ignored"),
        call("completeRestoration", "RUNNING", returned={"initializeTopology": True}),
    ),
    row("shouldThrowIfCommittingOnIllegalState", SINCE_2_6, call("prepareCommit", "CLOSED", error="IllegalStateException", clean=True), state="CLOSED"),
    row("shouldThrowIfRecyclingDirtyTask", UP_TO_3_3, call("closeCleanAndRecycleState", "RUNNING", error="TaskMigratedException"), state="RUNNING", commitNeeded=True),
    row("shouldThrowIfRecyclingDirtyTask", SINCE_3_4, call("prepareRecycle", "RUNNING", error="TaskMigratedException"), state="RUNNING", commitNeeded=True),
    row("shouldAlwaysSuspendRunningTasks", SINCE_2_6, call("suspend", "SUSPENDED", error="StreamsException", closeFails=True), state="RUNNING"),
    row(
        "shouldReInitializeTopologyWhenResuming",
        SINCE_2_6,
        call("suspend", "SUSPENDED", returned={"closeTopology": False}),
        call("resume", "RESTORING"),
        call("completeRestoration", "RUNNING", returned={"initializeTopology": True}),
        state="RESTORING",
    ),
    row(
        "shouldCheckpointAfterRestorationWhenAtLeastOnceEnabled",
        SINCE_3_5,
        call("initializeIfNeeded", "RESTORING"),
        call("completeRestoration", "RUNNING", returned={"checkpoint": True}),
    ),
    row(
        "shouldRequireSuspendingCreatedTasksBeforeClose",
        SINCE_2_6,
        call("closeClean", "CREATED", error="IllegalStateException"),
        call("suspend", "SUSPENDED"),
        call("closeClean", "CLOSED"),
        of=STANDBY,
    ),
]  # fmt: skip
OTHERS = [
    # Not in the facts: written with the spec and its documentation alone
    row(
        "shouldNotCheckpointAfterRestorationWhenExactlyOnceEnabled",
        SINCE_3_5,
        call("initializeIfNeeded"),
        call("completeRestoration", "RUNNING", returned={"checkpoint": False}),
        of=EOS,
    ),
    row("shouldLockStateDirectoryWithoutStores", SINCE_2_6, call("initializeIfNeeded", "CREATED", error="LockException", failed="LockException")),
    row("shouldSkipCheckpointingSuspendedCreatedTask", SINCE_2_6[:8], call("suspend", "SUSPENDED"), PREPARE, call("postCommit", returned={"checkpoint": False})),
    row("shouldCheckpointForSuspendedTask", SINCE_2_6, call("initializeIfNeeded"), call("completeRestoration"), call("suspend"), PREPARE, call("postCommit", "SUSPENDED", returned={"checkpoint": True}, enforceCheckpoint=True)),
    row("shouldReturnStateManagerChangelogOffsets", SINCE_2_6, call("commitNeeded", returned=False, positionMoved=False), of=ACTIVE),
    row("shouldCommitWhenProcessedAndClearFlags", SINCE_2_8, call("process", returned=True, ready=True), call("requestCommit"), call("commitRequested", returned=True), PREPARE, Call("postCommit", "RUNNING", arguments={"enforceCheckpoint": True}, variables={"commitNeeded": False, "commitRequested": False, "hasPendingTxCommit": False}), state="RUNNING", of=EOS),
    row("shouldNotProcessRecordsAfterPrepareCommitWhenEosV2Enabled", SINCE_2_8, call("process", returned=True, ready=True), call("isProcessable", returned=True, ready=True), call("prepareCommit", returned={"value": "some"}, clean=True), call("process", returned=False, ready=True), POST, call("process", returned=True, ready=True), state="RUNNING", of=EOS),
    row("shouldProcessRecordsAfterPrepareCommitWhenEosDisabled", SINCE_2_8, call("process", returned=True, ready=True), PREPARE, call("process", returned=True, ready=True), state="RUNNING"),
    row("shouldThrowTaskCorruptedExceptionOnTimeoutExceptionIfEosEnabled", SINCE_2_8, call("process", "RUNNING", error="TaskCorruptedException", ready=True, failed="TimeoutException"), state="RUNNING", of=EOS),
    row("shouldThrowIfCleanClosingDirtyTask", SINCE_2_6, call("process", returned=True, ready=True), call("closeClean", "RUNNING", error="TaskMigratedException"), state="RUNNING"),
    row("shouldThrowIfClosingOnIllegalState", SINCE_2_6, call("suspend"), call("closeClean", "CLOSED"), call("closeClean", "CLOSED", does="Ignored"), call("suspend", "CLOSED", error="IllegalStateException"), call("resume", error="IllegalStateException"), call("postCommit", error="IllegalStateException"), call("revive", "CREATED")),
    row("shouldUpdateOffsetIfAllRecordsHaveInvalidTimestamp", SINCE_2_6[5:8], call("commitNeeded", returned=True, positionMoved=True), state="RUNNING"),
    row("shouldInitTaskTimeoutAndEventuallyThrow", SINCE_2_6[1:], call("maybeInitTaskTimeoutOrThrow"), call("maybeInitTaskTimeoutOrThrow"), call("maybeInitTaskTimeoutOrThrow", error="TimeoutException", overdue=True)),
    row("shouldClearTaskTimeout", SINCE_2_6[1:], call("maybeInitTaskTimeoutOrThrow"), call("clearTaskTimeout"), call("maybeInitTaskTimeoutOrThrow", overdue=True)),
    row("shouldTransitToRunningAfterInitialization", SINCE_2_6, call("initializeIfNeeded", "RUNNING"), call("initializeIfNeeded", "RUNNING", does="Ignored"), of=STANDBY),
    row("shouldThrowIllegalStateExceptionIfStandbyCompletesRestoration", SINCE_2_6, call("completeRestoration", error="IllegalStateException"), state="RUNNING", of=STANDBY),
    row("shouldNotFlushAndThrowOnCloseDirty", SINCE_2_6, call("closeDirty", "CLOSED"), call("closeDirty", "CLOSED", does="Ignored"), state="SUSPENDED", of=STANDBY),
    row("shouldThrowOnCloseCleanError", SINCE_2_6, call("closeClean", "SUSPENDED", error="StreamsException", failed="StreamsException"), call("closeDirty", "CLOSED"), state="SUSPENDED", of=STANDBY),
    row("shouldSuspendAndCommitBeforeCloseClean", SINCE_2_6, call("suspend", "SUSPENDED"), PREPARE, POST, call("closeClean", "CLOSED"), state="RUNNING", of=STANDBY),
    row("shouldAlwaysSuspendStandbyTasks", SINCE_2_6, call("suspend", "SUSPENDED"), call("suspend", "SUSPENDED", does="Ignored"), call("resume", "SUSPENDED", does="Ignored"), state="RUNNING", of=STANDBY),
    row("shouldThrowIfPostCommittingOnIllegalState", SINCE_2_6, call("suspend", "SUSPENDED"), call("closeClean", "CLOSED"), call("postCommit", "CLOSED", error="IllegalStateException")),
    row("reviveWhatIsClosed", SINCE_2_6, call("revive", "CREATED"), state="CLOSED"),
    row("reviveWhatRuns", SINCE_2_6, call("revive", "RUNNING", error="IllegalStateException"), state="RUNNING"),
    row("closeWhatRuns", SINCE_2_6, call("closeDirty", error="IllegalStateException"), state="RUNNING"),
    row("closeWhatRestores", SINCE_2_6, call("closeClean", "RESTORING", error="IllegalStateException"), state="RESTORING"),
    row("resumeWhatRuns", SINCE_2_6, call("resume", "RUNNING", does="Ignored"), state="RUNNING"),
    row("processWhatIsClosed", SINCE_2_6, call("process", "CLOSED", returned=False, ready=True), state="CLOSED"),
    row("completeRestorationOfWhatRuns", SINCE_2_6, call("completeRestoration", "RUNNING", does="Ignored"), state="RUNNING"),
    row("completeRestorationOfWhatIsSuspended", SINCE_2_6, call("completeRestoration", "SUSPENDED", error="IllegalStateException"), state="SUSPENDED"),
    row("completeRestorationOfWhatIsNew", SINCE_2_6, call("completeRestoration", "CREATED", error="IllegalStateException")),
    row("initializeWhatIsSuspended", SINCE_2_6, call("initializeIfNeeded", "SUSPENDED", does="Ignored"), state="SUSPENDED"),
    row("suspendWhatRuns", SINCE_2_6, call("suspend", "SUSPENDED", returned={"closeTopology": True}), state="RUNNING"),
    row("recycleWhatRuns", SINCE_3_4, call("prepareRecycle", "RUNNING", error="IllegalStateException"), state="RUNNING"),
    row("recycleWhatIsSuspended", SINCE_3_4, call("suspend"), call("prepareRecycle", "CLOSED"), state="RUNNING"),
]  # fmt: skip
