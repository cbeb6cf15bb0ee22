"""What Kafka's TaskManagerTest says (given, when, expect), as calls on the spec: a table for the tests."""

from __future__ import annotations

from tests.catalogue.manager_rows import (
    ALL_2_6,
    ASSIGN,
    BOTH,
    FAILS,
    FOUR,
    MAP,
    ONE,
    SINCE_2_7,
    SINCE_2_8,
    UP_TO_3_3,
    A,
    B,
    C,
    D,
    Scenario,
    assigned,
    running,
    task,
)
from tests.catalogue.manager_scenarios_updater import UPDATED

SCENARIOS = [
    # Up to 2.5.1
    Scenario(
        "shouldAddNonResumedActiveTasks",
        ("1.1.1", "2.2.2", "2.3.1"),
        (
            ("setAssignmentMetadata", ONE),
            ("createTasks", {"assignment": {A}, "answers": {A: "refused"}}),
        ),
        returned={"created": frozenset({A})},
    ),
    Scenario(
        "shouldThrowStreamsExceptionAtEndIfExceptionDuringSuspend",
        ("1.1.1", "2.2.2", "2.3.1"),
        (("suspendTasksAndState", {"activeFailed": True, "standbyFailed": True}),),
        returned={
            "activeSuspend": True,
            "standbySuspend": True,
            "restoreConsumerUnsubscribe": True,
        },
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
        (
            ("setAssignmentMetadata", ONE),
            ("setAssignmentMetadata", ASSIGN),
            ("closeRevokedSuspendedTasks", {"failure": "none"}),
        ),
        returned={"closeNotAssignedSuspendedTasks": frozenset({A})},
    ),
    Scenario(
        "shouldNotAddResumedActiveTasks",
        ("2.4.1", "2.5.1"),
        (
            ("setAssignmentMetadata", ONE),
            ("setAssignmentMetadata", ONE),
            (
                "createTasks",
                {"assignment": {A}, "partitionsToTaskId": MAP, "answers": {A: "resumed"}},
            ),
        ),
        returned={"created": frozenset(), "resumed": frozenset({A})},
    ),
    Scenario(
        "shouldThrowStreamsExceptionAtEndIfExceptionDuringSuspend",
        ("2.4.1", "2.5.1"),
        (
            (
                "suspendActiveTasksAndState",
                {"revokedPartitions": {A}, "partitionsToTaskId": MAP, "activeFailed": True},
            ),
        ),
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
        (
            ("handleAssignment", {"activeTasks": {}, "standbyTasks": assigned(A)}),
            ("tryToCompleteRestoration", {}),
        ),
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
        "shouldReviveCorruptTasks",
        ALL_2_6,
        (("handleCorruption", {"corruptedTasks": {A}}),),
        given=running(A),
        states={A: "CREATED"},
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
        returned={"closedDirty": frozenset({A, B, C}), "closedClean": frozenset({D})},
        error="RuntimeException",
    ),
    Scenario(
        "shouldCloseAllTasksDirtyIfOneCannotBePreparedForItsCommit",
        ("2.6.3", "2.7.2"),
        (
            (
                "shutdown",
                {"clean": True, "failures": {A: "TaskMigratedException"}, "prepareFails": {A}},
            ),
        ),
        given=running(A, B, needs=(B,)),
        states={},
        returned={"closedDirty": frozenset({A, B}), "committed": frozenset()},
    ),
    Scenario(
        "shouldCommitAllOtherTasksIfOneCannotBePreparedForItsCommit",
        SINCE_2_8,
        (
            (
                "shutdown",
                {"clean": True, "failures": {A: "TaskMigratedException"}, "prepareFails": {A}},
            ),
        ),
        given=running(A, B, needs=(B,)),
        states={},
        returned={"closedDirty": frozenset({A}), "committed": frozenset({B})},
    ),
    Scenario(
        "shouldCloseTasksDirtyThatWereNotCommittedAndRecycleOthers",
        ("2.7.2", "2.8.2", "3.3.2"),
        (
            (
                "handleCloseAndRecycle",
                {
                    "tasksToRecycle": {A, B},
                    "tasksToCloseClean": {C},
                    "standbyTasksToCreate": assigned(A, B),
                    "activeTasksToCreate": {},
                },
            ),
        ),
        given={
            A: task("active", "SUSPENDED", A),
            B: task("active", "SUSPENDED", B, needs=True),
            C: task("active", "SUSPENDED", C),
        },
        states={A: "CREATED"},
        returned={
            "tasksToCloseDirty": frozenset({B}),
            "closedClean": frozenset({C}),
            "taskCloseExceptions": frozenset(),
        },
    ),
    Scenario(
        "shouldCloseActiveTasksAndIgnoreExceptionsOnUncleanShutdown",
        ALL_2_6,
        (("shutdown", {"clean": False, "failures": FAILS}),),
        given=FOUR,
        states={},
    ),
    Scenario(
        "shouldCommitActiveAndStandbyTasks",
        ALL_2_6,
        (("commitAll", {}),),
        given=BOTH,
        returned=2,
        flags={A: False, B: False},
    ),
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
        (
            (
                "handleAssignment",
                {**ASSIGN, "failures": {A: "TaskMigratedException", B: "TaskMigratedException"}},
            ),
        ),
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
        (
            ("commit", {"tasksToCommit": {A}, "outcome": "TimeoutException"}),
            ("commit", {"tasksToCommit": {A}}),
        ),
        given=running(A, needs=(A,)),
        returned={"value": 1, "clearTaskTimeout": frozenset({A})},
        flags={A: False},
    ),
    *UPDATED,
]
MADE_UP = {
    "shouldAddTasksToStateUpdater",
    "shouldRecycleTasksRemovedFromStateUpdater",
    "shouldCloseAllTasksDirtyIfOneCannotBePreparedForItsCommit",
    "shouldCommitAllOtherTasksIfOneCannotBePreparedForItsCommit",
    "shouldCloseTasksDirtyThatWereNotCommittedAndRecycleOthers",
}
"""Rows that the facts tell in words, or in no words, not as a unit test."""
