"""What Kafka's TaskManagerTest says (given, when, expect), as calls on the spec: a table for the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

Task = tuple[str, str, frozenset[str], bool, bool, str]
Call = tuple[str, dict[str, Any]]
A, B, C, D = "0_0", "0_1", "0_2", "0_3"
ALL_2_6 = ("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.3.2", "3.5.2", "3.9.1", "4.1.1")
SINCE_2_7, SINCE_2_8, UP_TO_3_3 = ALL_2_6[1:], ALL_2_6[2:], ALL_2_6[:5]
UPDATER = ("3.8.1", "3.9.1", "4.3.1")


def task(kind: str, state: str, task_id: str, *, needs: bool = False, asks: bool = False, place: str = "registry") -> Task:
    """Return a task whose only partition has the task's name."""
    return (kind, state, frozenset({task_id}), needs, asks, place)


def running(*ids: str, needs: tuple[str, ...] = (), kind: str = "active") -> dict[str, Task]:
    """Return running tasks, some of which have something to commit."""
    return {each: task(kind, "RUNNING", each, needs=each in needs) for each in ids}


@frozen
class Scenario:
    """One of Kafka's unit tests of the class."""

    test: str
    releases: tuple[str, ...]
    calls: tuple[Call, ...]
    given: Mapping[str, Task] = field(factory=dict)
    states: Mapping[str, str] | None = None
    """Task to state at the end; None where there are no such tasks."""
    returned: Any = None
    """What the last call gives back, or some of its named results."""
    error: str | None = None
    mode: str = "AT_LEAST_ONCE"
    updater: bool = False
    rebalancing: bool = False
    places: Mapping[str, str] = field(factory=dict)
    flags: Mapping[str, bool] = field(factory=dict)
    """Task to whether it still has something to commit."""


def assigned(*ids: str) -> dict[str, set[str]]:
    """Return an assignment of tasks with a partition each."""
    return {each: {each} for each in ids}


ASSIGN: dict[str, Any] = {"activeTasks": {}, "standbyTasks": {}}
ONE = {"activeTasks": assigned(A), "standbyTasks": {}}
MAP = {A: A}
FAILS = {A: "TaskMigratedException", B: "RuntimeException", C: "RuntimeException", D: "none"}
FOUR = {**running(A, B, C), D: task("active", "RESTORING", D)}
BOTH = {**running(A, needs=(A,)), **running(B, needs=(B,), kind="standby")}
RESTORING = {A: task("active", "RESTORING", A, place="updater")}
TWO_RESTORING = {**RESTORING, B: task("active", "RESTORING", B, place="updater")}
SCENARIOS = [
    # Up to 2.5.1
    Scenario(
        "shouldAddNonResumedActiveTasks",
        ("1.1.1", "2.2.2", "2.3.1"),
        (("setAssignmentMetadata", ONE), ("createTasks", {"assignment": {A}, "answers": {A: "refused"}})),
        returned={"created": frozenset({A})},
    ),
    Scenario(
        "shouldThrowStreamsExceptionAtEndIfExceptionDuringSuspend",
        ("1.1.1", "2.2.2", "2.3.1"),
        (("suspendTasksAndState", {"activeFailed": True, "standbyFailed": True}),),
        returned={"activeSuspend": True, "standbySuspend": True, "restoreConsumerUnsubscribe": True},
        error="StreamsException",
    ),
    Scenario(
        "shouldReturnTrueWhenActiveAndStandbyTasksAreRunning",
        ("2.2.2", "2.3.1", "2.5.1"),
        (("updateNewAndRestoringTasks", {"activeRunning": True, "standbyRunning": True}),),
        returned={"value": True},
    ),
    Scenario(
        "shouldReturnFalseWhenThereAreStillNonRunningTasks",
        ("1.1.1", "2.2.2", "2.3.1", "2.5.1"),
        (("updateNewAndRestoringTasks", {"activeRunning": False, "standbyRunning": True}),),
        returned={"value": False},
    ),
    Scenario(
        "shouldCloseActiveUnAssignedSuspendedTasksWhenClosingRevokedTasks",
        ("2.4.1", "2.5.1"),
        (("setAssignmentMetadata", ONE), ("setAssignmentMetadata", ASSIGN), ("closeRevokedSuspendedTasks", {"failure": "none"})),
        returned={"closeNotAssignedSuspendedTasks": frozenset({A})},
    ),
    Scenario(
        "shouldNotAddResumedActiveTasks",
        ("2.4.1", "2.5.1"),
        (
            ("setAssignmentMetadata", ONE),
            ("setAssignmentMetadata", ONE),
            ("createTasks", {"assignment": {A}, "partitionsToTaskId": MAP, "answers": {A: "resumed"}}),
        ),
        returned={"created": frozenset(), "resumed": frozenset({A})},
    ),
    Scenario(
        "shouldThrowStreamsExceptionAtEndIfExceptionDuringSuspend",
        ("2.4.1", "2.5.1"),
        (("suspendActiveTasksAndState", {"revokedPartitions": {A}, "partitionsToTaskId": MAP, "activeFailed": True}),),
        returned={"suspendOrCloseTasks": frozenset({A})},
        error="StreamsException",
    ),
    # From 2.6.0 on
    Scenario(
        "shouldHandleRebalanceEvents",
        ALL_2_6,
        (("handleRebalanceStart", {}), ("handleRebalanceComplete", {"assignment": {A}})),
        returned={"pause": frozenset({A})},
    ),
    Scenario(
        "shouldInitializeNewStandbyTasks",
        ALL_2_6,
        (("handleAssignment", {"activeTasks": {}, "standbyTasks": assigned(A)}), ("tryToCompleteRestoration", {})),
        states={A: "RUNNING"},
        returned={"value": True},
    ),
    Scenario(
        "shouldCloseActiveUnassignedSuspendedTasksWhenClosingRevokedTasks",
        ALL_2_6,
        (("handleRevocation", {"revokedPartitions": {A}}), ("handleAssignment", ASSIGN)),
        given=running(A),
        states={},
    ),
    Scenario(
        "shouldCloseActiveTasksWhenHandlingLostTasks",
        ALL_2_6,
        (("handleRebalanceStart", {"locked": {A, B}}), ("handleLostAll", {})),
        given={**running(A), **running(B, kind="standby")},
        states={B: "RUNNING"},
        returned={"closed": frozenset({A})},
    ),
    Scenario(
        "shouldReviveCorruptTasks", ALL_2_6, (("handleCorruption", {"corruptedTasks": {A}}),), given=running(A), states={A: "CREATED"}
    ),
    Scenario(
        "shouldReviveCorruptTasksEvenIfTheyCannotCloseClean",
        ALL_2_6,
        (("handleCorruption", {"corruptedTasks": {A}}),),
        given=running(A, needs=(A,)),
        states={A: "CREATED"},
    ),
    Scenario(
        "shouldNotCompleteRestorationIfTasksCannotInitialize",
        ALL_2_6,
        (
            ("handleAssignment", {"activeTasks": assigned(A, B), "standbyTasks": {}}),
            ("tryToCompleteRestoration", {"notInitialized": {A, B}, "restored": {A, B}}),
        ),
        states={A: "CREATED", B: "CREATED"},
        returned={"value": False},
    ),
    Scenario(
        "shouldCommitOnlyRevokedActiveTasksThatNeedCommittingOnHandleRevocation",
        ("2.6.3",),
        (("handleRevocation", {"revokedPartitions": {A}}),),
        given={**running(A, B, C, needs=(A, B)), **running(D, kind="standby")},
        states={A: "SUSPENDED", B: "RUNNING", C: "RUNNING", D: "RUNNING"},
        flags={A: False, B: True},
        returned={"committed": frozenset({A})},
    ),
    Scenario(
        "shouldNotCommitOnHandleAssignmentIfOnlyStandbyTaskClosed",
        ALL_2_6,
        (("handleAssignment", ONE),),
        given={**running(A, needs=(A,)), **running(B, kind="standby")},
        states={A: "RUNNING"},
        flags={A: True},
    ),
    Scenario(
        "shouldCloseActiveTasksAndPropagateExceptionsOnCleanShutdown",
        UP_TO_3_3,
        (("shutdown", {"clean": True, "failures": FAILS}),),
        given=FOUR,
        states={},
        error="RuntimeException",
    ),
    Scenario(
        "shouldCloseActiveTasksAndIgnoreExceptionsOnUncleanShutdown",
        ALL_2_6,
        (("shutdown", {"clean": False, "failures": FAILS}),),
        given=FOUR,
        states={},
    ),
    Scenario("shouldCommitActiveAndStandbyTasks", ALL_2_6, (("commitAll", {}),), given=BOTH, returned=2, flags={A: False, B: False}),
    Scenario(
        "shouldNotCommitActiveAndStandbyTasksWhileRebalanceInProgress",
        ALL_2_6,
        (("commitAll", {}),),
        given=BOTH,
        returned=-1,
        rebalancing=True,
    ),
    Scenario(
        "shouldNotCommitActiveAndStandbyTasksWhileRebalanceInProgress",
        ALL_2_6,
        (("maybeCommitActiveTasksPerUserRequested", {}),),
        given=BOTH,
        returned=-1,
        rebalancing=True,
    ),
    Scenario(
        "shouldThrowTaskMigratedWhenAllTaskCloseExceptionsAreTaskMigrated",
        ALL_2_6,
        (("handleAssignment", {**ASSIGN, "failures": {A: "TaskMigratedException", B: "TaskMigratedException"}}),),
        given=running(A, B, kind="standby"),
        states={},
        error="TaskMigratedException",
    ),
    Scenario(
        "shouldThrowTaskMigratedExceptionOnCommitFailed",
        ALL_2_6,
        (("commitAll", {"outcome": "CommitFailedException"}),),
        given=running(A, needs=(A,)),
        states={A: "RUNNING"},
        error="TaskMigratedException",
    ),
    Scenario(
        "shouldNotAttemptToCommitInHandleCorruptedDuringARebalance",
        SINCE_2_8,
        (("handleCorruption", {"corruptedTasks": {A}, "outcome": "CommitFailedException"}),),
        given=running(A, B, needs=(B,)),
        states={A: "CREATED", B: "RUNNING"},
        flags={B: True},
        rebalancing=True,
    ),
    Scenario(
        "shouldCloseAndReviveUncorruptedTasksWhenTimeoutExceptionThrownFromCommitDuringRevocationWithEOS",
        SINCE_2_8,
        (("handleRevocation", {"revokedPartitions": {A}, "outcome": "TimeoutException"}),),
        given=running(A, B, C, needs=(A, B)),
        states={A: "SUSPENDED", B: "CREATED", C: "RUNNING"},
        mode="EXACTLY_ONCE_V2",
        returned={"revived": frozenset({A, B})},
    ),
    Scenario(
        "shouldCommitAllNeededTasksOnHandleRevocation",
        SINCE_2_7,
        (("handleRevocation", {"revokedPartitions": {A}}),),
        given={**running(A, B, C, needs=(A, B)), **running(D, kind="standby")},
        states={A: "SUSPENDED", B: "RUNNING", C: "RUNNING", D: "RUNNING"},
        flags={A: False, B: False, C: False},
        returned={"committed": frozenset({A, B})},
    ),
    Scenario(
        "shouldNotFailForTimeoutExceptionOnConsumerCommit",
        SINCE_2_8,
        (("commit", {"tasksToCommit": {A}, "outcome": "TimeoutException"}),),
        given=running(A, needs=(A,)),
        returned={"value": 0},
        flags={A: True},
    ),
    Scenario(
        "shouldNotFailForTimeoutExceptionOnConsumerCommit",
        SINCE_2_8,
        (("commit", {"tasksToCommit": {A}, "outcome": "TimeoutException"}), ("commit", {"tasksToCommit": {A}})),
        given=running(A, needs=(A,)),
        returned={"value": 1, "clearTaskTimeout": frozenset({A})},
        flags={A: False},
    ),
    # With the state updater
    Scenario(
        "shouldResumeActiveSuspendedTaskInTasksRegistryAndAddToStateUpdater",
        UPDATER,
        (("handleAssignment", ONE),),
        given={A: task("active", "SUSPENDED", A)},
        states={A: "RESTORING"},
        places={A: "updater"},
        updater=True,
    ),
    Scenario(
        "shouldNotRevokeStandbyTaskInStateUpdaterOnRevocation",
        UPDATER,
        (("handleRevocation", {"revokedPartitions": {A}}),),
        given={A: task("standby", "RUNNING", A, place="updater")},
        states={A: "RUNNING"},
        places={A: "updater"},
        updater=True,
    ),
    Scenario(
        "shouldTransitRestoredTaskToRunning",
        UPDATER,
        (("checkStateUpdater", {"restored": {A}}),),
        given=RESTORING,
        states={A: "RUNNING"},
        places={A: "registry"},
        returned=True,
        updater=True,
    ),
    Scenario(
        "shouldHandleTimeoutExceptionInTransitRestoredTaskToRunning",
        UPDATER,
        (("checkStateUpdater", {"restored": {A}, "timedOut": {A}}),),
        given=RESTORING,
        states={A: "RESTORING"},
        places={A: "updater"},
        returned=False,
        updater=True,
    ),
    Scenario(
        "shouldRethrowTaskCorruptedExceptionFromStateUpdater",
        UPDATER,
        (("checkStateUpdater", {"failures": dict.fromkeys((A, B), "TaskCorruptedException")}),),
        given=TWO_RESTORING,
        returned={"corruptedTasks": frozenset({A, B})},
        error="TaskCorruptedException",
        places={A: "failed", B: "failed"},
        updater=True,
    ),
    Scenario(
        "shouldRemoveUnusedActiveTaskFromStateUpdaterAndCloseCleanly",
        UPDATER,
        (("handleAssignment", ASSIGN),),
        given=RESTORING,
        states={},
        updater=True,
    ),
    Scenario(
        "shouldRemoveUnusedFailedActiveTaskFromStateUpdaterAndCloseDirty",
        UPDATER,
        (("handleAssignment", {**ASSIGN, "failedInUpdater": {A}, "failures": {A: "RuntimeException"}}),),
        given=RESTORING,
        states={},
        updater=True,
    ),
    Scenario(
        "shouldSuspendActiveTaskWithRevokedInputPartitionsInStateUpdater",
        UPDATER,
        (("handleRevocation", {"revokedPartitions": {A}}),),
        given=RESTORING,
        states={A: "SUSPENDED"},
        places={A: "registry"},
        updater=True,
    ),
    Scenario(
        "shouldCloseCleanWhenRemoveAllActiveTasksFromStateUpdaterOnPartitionLost",
        UPDATER,
        (("handleLostAll", {}),),
        given={**TWO_RESTORING, C: task("standby", "RUNNING", C, place="updater")},
        states={C: "RUNNING"},
        returned={"closed": frozenset({A, B})},
        updater=True,
    ),
    Scenario(
        "shouldRethrowTaskCorruptedExceptionFromInitialization",
        UPDATER,
        (("checkStateUpdater", {"failures": {A: "TaskCorruptedException", B: "TaskCorruptedException", C: "none"}}),),
        given={each: task("active", "CREATED", each, place="pendingInit") for each in (A, B, C)},
        states={A: "CREATED", B: "CREATED", C: "RESTORING"},
        places={A: "failed", B: "failed", C: "updater"},
        returned={"corruptedTasks": frozenset({A, B})},
        error="TaskCorruptedException",
        updater=True,
    ),
]
LEFT_OUT = {
    "shouldSuspendRevokedTaskRemovedFromStateUpdater": "3.4.0 to 3.7.2 only, with the state updater that was an experiment there and is left out",
}
"""Scenarios of the facts without a row, and why."""
