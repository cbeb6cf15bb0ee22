"""Scenarios of Kafka's TaskManagerTest that no fact tells: written with the spec and its documentation alone."""

from __future__ import annotations

from tests.catalogue.manager_rows import (
    ALL_2_6,
    ASSIGN,
    ONE,
    SINCE_2_7,
    SINCE_2_8,
    A,
    B,
    C,
    D,
    Scenario,
    assigned,
    running,
    task,
)

NEW_ONE = (("handleAssignment", ONE), ("tryToCompleteRestoration", {"restored": {A}}))
ASKED = {
    A: task("active", "RUNNING", A, needs=True, asks=True),
    C: task("active", "RUNNING", C, asks=True),
}
UNSEEN = [
    Scenario(
        "shouldCloseStandbyUnassignedTasksWhenCreatingNewTasks",
        ALL_2_6,
        (("handleAssignment", {"activeTasks": {}, "standbyTasks": assigned(A)}), ("tryToCompleteRestoration", {}), ("handleAssignment", ASSIGN)),
        states={},
    ),
    Scenario(
        "shouldAddNonResumedSuspendedTasks",
        ALL_2_6,
        (
            ("handleAssignment", {"activeTasks": assigned(A), "standbyTasks": assigned(B)}),
            ("tryToCompleteRestoration", {"restored": {A}}),
            ("handleAssignment", {"activeTasks": assigned(A), "standbyTasks": assigned(B)}),
            ("tryToCompleteRestoration", {}),
        ),
        states={A: "RUNNING", B: "RUNNING"},
        returned={"value": True},
    ),
    Scenario(
        "shouldUpdateInputPartitionsAfterRebalance",
        ALL_2_6,
        (*NEW_ONE, ("handleAssignment", {"activeTasks": {A: {B}}, "standbyTasks": {}}), ("tryToCompleteRestoration", {})),
        states={A: "RUNNING"},
        returned={"value": True},
    ),
    Scenario("shouldAddNewActiveTasks", ALL_2_6, NEW_ONE, states={A: "RUNNING"}, returned={"value": True}),
    Scenario(
        "shouldNotCompleteRestorationIfTaskCannotCompleteRestoration",
        SINCE_2_8,
        (("handleAssignment", ONE), ("tryToCompleteRestoration", {"restored": {A}, "timedOut": {A}})),
        states={A: "RESTORING"},
        returned={"value": False},
    ),
    Scenario("shouldSuspendActiveTasksDuringRevocation", ALL_2_6, (*NEW_ONE, ("handleRevocation", {"revokedPartitions": {A}})), states={A: "SUSPENDED"}),
    Scenario(
        "shouldCommitAllActiveTasksThatNeedCommittingOnHandleRevocationWithEosV2",
        ALL_2_6,
        (("handleRevocation", {"revokedPartitions": {A}}),),
        given={**running(A, B, C, needs=(A, B)), **running(D, kind="standby")},
        flags={A: False, B: False, C: False},
        returned={"committed": frozenset({A, B})},
        mode="EXACTLY_ONCE_V2",
    ),
    Scenario("shouldPropagateExceptionFromActiveCommit", ALL_2_6, (("commitAll", {"failure": "RuntimeException"}),), given=running(A, needs=(A,)), error="StreamsException"),
    Scenario("shouldPropagateExceptionFromStandbyCommit", ALL_2_6, (("commitAll", {"failure": "RuntimeException"}),), given=running(A, needs=(A,), kind="standby"), error="StreamsException"),
    Scenario("shouldSendPurgeData", ALL_2_6, (("maybePurgeCommittedRecords", {"previous": "done", "purgeable": {A}}),), returned={"deleteRecords": frozenset({A})}),
    Scenario("shouldNotSendPurgeDataIfPreviousNotDone", ALL_2_6, (("maybePurgeCommittedRecords", {"previous": "underWay", "purgeable": {A}}),), returned={"deleteRecords": frozenset()}),
    Scenario("shouldIgnorePurgeDataErrors", ALL_2_6, (("maybePurgeCommittedRecords", {"previous": "failed", "purgeable": {A}}),), returned={"deleteRecords": frozenset({A})}),
    Scenario(
        "shouldMaybeCommitAllActiveTasksThatNeedCommit",
        ALL_2_6,
        (("maybeCommitActiveTasksPerUserRequested", {}),),
        given={**ASKED, B: task("active", "RUNNING", B, needs=True), D: task("active", "RUNNING", D, needs=True, asks=True), "1_0": task("standby", "RUNNING", "1_0", needs=True)},
        flags={A: False, B: False, C: False, D: False, "1_0": True},
        returned=3,
    ),
    Scenario("shouldProcessActiveTasks", ALL_2_6, (("process", {"processed": {A, B}, "records": 6}),), given=running(A, B), returned=6, flags={A: True, B: True}),
    Scenario("shouldPunctuateActiveTasks", ALL_2_6, (("punctuate", {"punctuated": {A}, "number": 2}),), given=running(A), returned=2, flags={A: True}),
    Scenario("shouldPropagateTaskMigratedExceptionsInProcessActiveTasks", ALL_2_6, (("process", {"failure": "TaskMigratedException", "records": 0}),), given=running(A), error="TaskMigratedException"),
    Scenario("shouldReturnFalseWhenThereAreStillNonRunningTasks", ALL_2_6, (("handleAssignment", ONE), ("tryToCompleteRestoration", {})), states={A: "RESTORING"}, returned={"value": False}),
    Scenario("shouldHaveRemainingPartitionsUncleared", SINCE_2_7, (("handleRevocation", {"revokedPartitions": {A, B}}),), given=running(A), states={A: "SUSPENDED"}),
    Scenario("shouldThrowRuntimeExceptionWhenEncounteredUnknownExceptionDuringTaskClose", ("2.6.3", "2.8.2", "3.3.2"), (("handleAssignment", {**ASSIGN, "failures": {A: "RuntimeException", B: "TaskMigratedException"}}),), given=running(A, B, kind="standby"), states={}, error="RuntimeException"),
    Scenario("shouldThrowSameKafkaExceptionWhenEncounteredDuringTaskClose", ("2.6.3", "2.8.2", "3.3.2"), (("handleAssignment", {**ASSIGN, "failures": {A: "TaskMigratedException", B: "KafkaException"}, "kafkaFirst": True}),), given=running(A, B, kind="standby"), states={}, error="KafkaException"),
]  # fmt: skip
