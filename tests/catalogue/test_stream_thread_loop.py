"""The inside of a stream thread, against Kafka's own scenarios, a second telling of its formulas, and the table of its states."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.definitions.snapshots import Raised, Refused, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from tests.catalogue.assigned_tasks import Registries
from tests.shipped import shipped

SPEC = shipped("kafka/StreamThreadLoop")
TABLE = shipped("kafka/StreamThread")
FIXED = {
    "pollTimeMs": 100,
    "commitTimeMs": 100,
    "maxPollTimeMs": 1000,
    "purgeTimeMs": 300,
    "stateUpdaterEnabled": False,
    "eosEnabled": True,
}
SINCE_2_6 = ["2.6.3", "2.7.2", "2.8.2", "3.3.2", "3.5.2", "3.9.1", "4.3.1"]


def thread(release: str, state: str, *, updater: bool = False, **variables: Any) -> Snapshot:
    """Return a thread in a state."""
    machine = SPEC.at(release)
    fixed = {**FIXED, "stateUpdaterEnabled": updater}
    begun = machine.start(**{one.name: fixed[one.name] for one in machine.value.data.parameters})
    return sm.Snapshot(state, FrozenMap({**begun.variables, **variables}), begun.parameters)


def after(release: str, now: Snapshot, *calls: tuple[str, dict[str, Any]]) -> tuple[Snapshot, Any]:
    """Step through calls; return the snapshot after them and the last answer."""
    machine = SPEC.at(release).value
    answer: Any = None
    for event, arguments in calls:
        signature = next(one.signature for one in machine.events if one.name == event)
        taken = [one.name for one in signature.arguments] if signature else []
        answer = sm.step(
            machine,
            now,
            event,
            **{name: value for name, value in arguments.items() if name in taken},
        )
        now = answer.after
    return now, answer


WELL = {"failed": "none", "empty": False}
LOOP = {
    "thrown": "none",
    "rebalanceInProgress": False,
    "activeCorrupted": False,
    "followupDue": False,
}


@pytest.mark.parametrize("release", ["1.1.1", "2.2.2", "2.3.1", "2.4.1", "2.5.1"])
def test_partition_assignment_change_for_single_group(release: str) -> None:
    """testPartitionAssignmentChangeForSingleGroup."""
    now, _ = after(
        release,
        thread(release, "CREATED"),
        ("run", {}),
        ("onPartitionsRevoked", {**WELL, "empty": True}),
    )
    assert now.state == "PARTITIONS_REVOKED"
    now, answer = after(release, now, ("onPartitionsAssigned", WELL), ("runOnce", {}))
    assert answer.returned == 0
    now, _ = after(release, now, ("initializeAndRestorePhase", {"allRunning": True}))
    assert now.state == "RUNNING"
    assert after(release, now, ("shutdown", {}))[0].state == "PENDING_SHUTDOWN"


@pytest.mark.parametrize("release", ["1.1.1", "2.3.1", *SINCE_2_6])
def test_a_thread_that_was_shut_down_before_it_began_does_not_run(release: str) -> None:
    """shouldOnlyShutdownOnce: the caller of shutdown does the rest, and run returns at once."""
    now, answer = after(release, thread(release, "CREATED"), ("shutdown", {}))
    assert answer.returned["completeShutdown"]
    now, answer = after(release, now, ("completeShutdown", {"cleanRun": True}), ("run", {}))
    assert (now.state, answer.returned["runLoop"]) == ("DEAD", False)


@pytest.mark.parametrize("release", ["2.2.2", "2.3.1", "2.5.1", "2.6.3", "2.8.2", "3.5.2"])
def test_the_number_of_iterations_grows_by_one_and_is_halved(release: str) -> None:
    """shouldRespectNumIterationsInMainLoop: what is processed in each turn, and whether a punctuator or a commit came."""
    now = thread(release, "RUNNING")
    turns = [
        ([(1, True), (0, False)], 1),
        ([(1, False), (0, False)], 2),
        ([(0, False)], 2),
        ([(1, True), (0, False)], 1),
        ([(1, False), (0, False)], 2),
        ([(1, True), (0, False)], 1),
        ([(1, False), (1, False), (0, False)], 3),
        ([(0, False)], 3),
        ([(1, True), (0, False)], 1),
    ]
    for rounds, number in turns:
        for processed, did in rounds:
            told = {
                "processed": processed,
                "did": did,
                "punctuated": int(did),
                "committed": 0,
                "sinceLastPoll": 0,
            }
            now, _ = after(release, now, ("process", told))
        assert now.variables["numIterations"] == number


@pytest.mark.parametrize("release", ["1.1.1", "2.2.2", "2.3.1", "2.5.1"])
def test_what_a_callback_threw_is_thrown_after_every_poll(release: str) -> None:
    """The stored exception is never taken back: endless lines of a migrated task."""
    now = thread(release, "RUNNING")
    now, _ = after(release, now, ("setRebalanceException", {"thrown": "TaskMigratedException"}))
    for _ in range(3):
        now, answer = after(
            release, now, ("pollRequests", {"invalidOffset": False, "hasResetPolicy": True})
        )
        assert answer.error == "TaskMigratedException"


@pytest.mark.parametrize("release", SINCE_2_6)
def test_a_shutdown_waits_for_the_rebalance(release: str) -> None:
    """shouldOnlyCompleteShutdownAfterRebalanceNotInProgress, shouldNotEnforceRebalanceWhenCurrentlyRebalancing."""
    now, _ = after(release, thread(release, "STARTING"), ("shutdown", {}))
    now, answer = after(
        release, now, ("runLoop", {**LOOP, "rebalanceInProgress": True, "followupDue": True})
    )
    assert (now.state, answer.returned["again"]) == ("PENDING_SHUTDOWN", True)
    assert answer.returned["enforceRebalance"] == (release in ("2.6.3", "2.7.2", "2.8.2"))
    now, answer = after(release, now, ("onPartitionsAssigned", WELL), ("runLoop", LOOP))
    assert answer.returned["again"] is False
    assert after(release, now, ("completeShutdown", {"cleanRun": True}))[0].state == "DEAD"


@pytest.mark.parametrize("release", SINCE_2_6)
def test_a_fenced_commit_comes_out_of_the_callback(release: str) -> None:
    """shouldNotCloseTaskAndRemoveFromTaskManagerIfProducerGotFencedInCommitTransactionWhenSuspendingTasks."""
    _, answer = after(
        release,
        thread(release, "RUNNING"),
        ("onPartitionsRevoked", {"empty": False, "failed": "TaskMigratedException"}),
    )
    assert isinstance(answer, Raised)
    assert answer.error == "TaskMigratedException"


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("release", SINCE_2_6)
def test_corrupted_tasks_are_revived_and_active_ones_make_a_rebalance(
    release: str, *, active: bool
) -> None:
    """What comes of a turn that threw TaskCorruptedException.

    shouldCatchHandleCorruptionOnTaskCorruptedExceptionPath, shouldEnforceRebalanceWhenTaskCorruptedExceptionIsThrownForAnActiveTask,
    shouldNotEnforceRebalanceWhenTaskCorruptedExceptionIsThrownForAnInactiveTask.
    """
    told = {**LOOP, "thrown": "TaskCorruptedException", "activeCorrupted": active}
    _, answer = after(release, thread(release, "RUNNING"), ("runLoop", told))
    assert answer.returned["handleCorruption"]
    assert answer.returned["enforceRebalance"] == (
        active and release not in ("2.6.3", "2.7.2", "2.8.2")
    )


@pytest.mark.parametrize("release", SINCE_2_6)
def test_a_broker_that_is_too_old_ends_the_loop(release: str) -> None:
    """From 2.8.0 on the handler hears of UnsupportedVersionException, and the loop ends unclean, in a rebalance too."""
    told = {**LOOP, "thrown": "UnsupportedVersionException", "rebalanceInProgress": True}
    _, answer = after(release, thread(release, "RUNNING"), ("runLoop", told))
    if release in ("2.6.3", "2.7.2"):
        assert isinstance(answer, Raised)
        assert answer.error == "UnsupportedVersionException"
    else:
        heard = "UnsupportedVersionException" if release == "2.8.2" else "StreamsException"
        assert answer.returned["streamsUncaughtExceptionHandler"] == heard
        assert (answer.returned["again"], answer.returned["cleanRun"]) == (False, False)


@pytest.mark.parametrize("updater", [True, False])
@pytest.mark.parametrize("release", ["3.5.2", "3.7.2", "3.8.1", "3.9.1", "4.3.1"])
def test_nothing_is_processed_while_partitions_are_revoked(release: str, *, updater: bool) -> None:
    """shouldNotProcessWhenPartitionRevoked, from 3.7.0 on with the state updater too; in RUNNING the state updater is asked before each round.

    That is shouldCheckStateUpdaterInBetweenProcessCalls.
    """
    told = {"processed": 1, "punctuated": 0, "committed": 0, "sinceLastPoll": 0}
    _, refused = after(
        release, thread(release, "PARTITIONS_REVOKED", updater=updater), ("process", told)
    )
    assert (refused.returned is None) == (release >= "3.7" or not updater)
    _, answer = after(release, thread(release, "RUNNING", updater=updater), ("process", told))
    assert answer.returned == {"again": True, "checkStateUpdater": updater}


@pytest.mark.parametrize("release", ["1.1.1", "2.2.2", "2.3.1"])
def test_a_task_whose_producer_is_fenced_while_it_processes_is_gone(release: str) -> None:
    """shouldCloseTaskAsZombieAndRemoveFromActiveTasksIfProducerWasFencedWhileProcessing: out of process, and out of the registry."""
    registries = Registries(release).given("running", "t1")
    assert registries.work("process", t1="migrated").error == "TaskMigratedException"
    assert (registries["running"], registries["closed"]) == (set(), {"t1"})
    manager = shipped("kafka/TaskManager").at(release)
    told = sm.step(
        manager,
        manager.start(stateless=set()),
        "process",
        processed=0,
        failure="TaskMigratedException",
    )
    assert told.error == "TaskMigratedException"


@pytest.mark.parametrize("release", ["2.2.2", "2.3.1"])
def test_a_task_whose_producer_is_fenced_while_it_is_suspended_is_gone_without_an_exception(
    release: str,
) -> None:
    """shouldCloseTaskAsZombieAndRemoveFromActiveTasksIfProducerGotFencedInCommitTransactionWhenSuspendingTaks."""
    registries = Registries(release).given("running", "t1")
    assert registries.suspend("t1", t1="migrated").error is None
    assert (registries["running"], registries["suspended"], registries["closed"]) == (
        set(),
        set(),
        {"t1"},
    )
    now, answer = after(release, thread(release, "RUNNING"), ("onPartitionsRevoked", WELL))
    assert (now.state, answer.error, now.variables["rebalanceException"]) == (
        "PARTITIONS_REVOKED",
        None,
        "none",
    )


@pytest.mark.parametrize(
    "release", ["1.1.1", "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2"]
)
def test_the_metadata_of_a_thread_name_no_tasks_while_it_rebalances(release: str) -> None:
    """shouldAlwaysReturnEmptyTasksMetadataWhileRebalancingStateAndTasksNotRunning."""
    empty, now = SPEC.at(release).define["threadMetadataIsEmpty"], thread(release, "RUNNING")
    assert empty(now) is False
    for event in ("onPartitionsRevoked", "onPartitionsAssigned"):
        now, _ = after(release, now, (event, WELL))
        assert empty(now) is True


CODES = [
    (
        "shouldThrowMissingSourceTopicException",
        "INCOMPLETE_SOURCE_TOPIC_METADATA",
        "MissingSourceTopicException",
        "RUNNING",
        True,
    ),
    ("shouldSwallowVersionProbingError", "VERSION_PROBING", None, "PARTITIONS_ASSIGNED", True),
    ("shouldSendShutdown", "SHUTDOWN_REQUESTED", None, "PENDING_SHUTDOWN", True),
    (
        "shouldThrowTaskAssignmentException",
        "ASSIGNMENT_ERROR",
        "TaskAssignmentException",
        "RUNNING",
        True,
    ),
    (
        "shouldThrowTaskAssignmentExceptionOnUnrecognizedErrorCode",
        "UNKNOWN",
        "TaskAssignmentException",
        "RUNNING",
        False,
    ),
    ("shouldHandleAssignedPartitions", "NONE", None, "PARTITIONS_ASSIGNED", True),
]


@pytest.mark.parametrize(("test", "code", "error", "state", "completed"), CODES)
@pytest.mark.parametrize("release", ["2.8.2", "3.5.2", "3.9.1"])
def test_the_codes_of_the_assignor(
    test: str, code: str, error: str | None, state: str, completed: bool, release: str
) -> None:
    """StreamsRebalanceListenerTest: what is thrown, where the thread goes, and whether the rebalance is over."""
    now = thread(release, "RUNNING", assignmentErrorCode=code)
    now, answer = after(release, now, ("onPartitionsAssigned", WELL))
    assert (now.state, answer.error, answer.returned["handleRebalanceComplete"]) == (
        state,
        error,
        completed,
    )


def test_after_an_unknown_code_the_rebalance_never_ends() -> None:
    """Nor after a known one in 2.7: rebalanceInProgress stays true and nothing is committed any more."""
    now = thread("2.7.2", "RUNNING", assignmentErrorCode="INCOMPLETE_SOURCE_TOPIC_METADATA")
    assert after("2.7.2", now, ("onPartitionsAssigned", WELL))[1].returned == {
        "handleRebalanceComplete": False
    }


@given(st.integers(-1, 50), st.integers(0, 200), st.integers(0, 300), st.integers(0, 200))
def test_the_records_before_a_commit_are_adjusted_as_kafka_does(
    limit: int, total: int, latency: int, interval: int
) -> None:
    """Down, up, or without a limit; the formula told a second time."""
    definition = SPEC.at("2.0.1").define["adjustRecordsProcessedBeforeCommit"]
    expected = -1
    if latency > 0 and (latency > interval or limit != -1):
        expected = max(1, interval * total // latency)
    assert definition(limit, total, latency, interval) == expected


@pytest.mark.parametrize(
    ("release", "times"),
    [
        (
            "2.3.1",
            {
                "PARTITIONS_ASSIGNED": 0,
                "PARTITIONS_REVOKED": 100,
                "RUNNING": 100,
                "STARTING": 100,
                "PENDING_SHUTDOWN": None,
            },
        ),
        (
            "2.5.1",
            {
                "PARTITIONS_ASSIGNED": 0,
                "PARTITIONS_REVOKED": 0,
                "RUNNING": 100,
                "STARTING": 100,
                "PENDING_SHUTDOWN": None,
            },
        ),
        (
            "2.6.3",
            {
                "PARTITIONS_ASSIGNED": 0,
                "PARTITIONS_REVOKED": 0,
                "RUNNING": 100,
                "STARTING": 100,
                "PENDING_SHUTDOWN": 0,
                "DEAD": None,
            },
        ),
    ],
)
def test_how_long_it_polls_depends_on_the_state(release: str, times: dict[str, int | None]) -> None:
    """None: an unexpected state, of which the thread dies."""
    for state, milliseconds in times.items():
        answer = after(release, thread(release, state), ("runOnce", {}))[1]
        assert (answer.returned, answer.error) == (
            milliseconds,
            None if milliseconds is not None else "StreamsException",
        )


def test_with_the_state_updater_it_waits_for_records_while_tasks_restore() -> None:
    """The updater has its own thread, so the loop need not hurry."""
    assert (
        after("3.9.1", thread("3.9.1", "PARTITIONS_ASSIGNED", updater=True), ("runOnce", {}))[
            1
        ].returned
        == 100
    )


@pytest.mark.parametrize("release", ["2.4.1", "2.5.1", "2.8.2", "3.9.1"])
def test_a_commit_that_a_rebalance_forbids_does_not_move_the_time_of_the_last(release: str) -> None:
    """So it is tried again in the next turn."""
    now = thread(release, "RUNNING", now=500)
    assert after(release, now, ("maybeCommit", {"committed": -1}))[0].variables["lastCommitMs"] == 0
    assert (
        after(release, now, ("maybeCommit", {"committed": 0}))[0].variables["lastCommitMs"] == 500
    )


@pytest.mark.parametrize(
    "release", ["1.0.2", "2.0.1", "2.3.1", "2.5.1", "2.6.3", "2.7.2", "3.5.2", "3.9.1", "4.3.1"]
)
def test_every_step_on_a_walk_is_one_of_the_table_of_states(release: str) -> None:
    """What the loop does is legal for the thread that logs are judged by."""
    table = TABLE.at(release)
    for seed in range(4):
        walk = SPEC.at(release).simulate(seed=seed, steps=80)
        states = [each.state for each in walk.snapshots]
        wrong = [
            pair for pair in pairwise(states) if pair[0] != pair[1] and not table.allows(*pair)
        ]
        assert wrong == []
        assert [one.property.name for one in walk.noticed if one.verdict is Verdict.VIOLATED] == []
        assert walk.wrong == ()


@pytest.mark.parametrize(
    ("release", "purges"), [("4.1.2", False), ("4.2.0", True), ("4.3.1", True)]
)
def test_records_are_purged_between_commits_from_4_2_on(release: str, purges: bool) -> None:
    """Where the purge interval is over and that of commits is not."""
    now = thread(release, "RUNNING", lastCommitMs=950)
    _, answer = after(
        release,
        now,
        ("advanceNowAndComputeLatency", {"time": 1000}),
        ("maybeCommit", {"committed": 0}),
    )
    assert (answer.returned["commit"], answer.returned["maybePurgeCommittedRecords"]) == (
        False,
        purges,
    )


@pytest.mark.parametrize(
    ("release", "committed", "purged"),
    [
        ("3.1.2", 1, [(400, True), (510, True)]),
        ("3.2.3", 1, [(400, True), (600, False), (800, True)]),
        ("3.5.2", 0, [(400, False), (800, False)]),
        ("3.6.0", 0, [(400, True), (600, False), (800, True)]),
        ("3.9.1", 0, [(400, True), (600, False), (800, True)]),
        ("4.1.2", 0, [(400, True), (450, False), (720, True), (760, False)]),
        ("4.2.0", 0, [(400, True), (450, False), (720, True), (760, False), (1030, True)]),
    ],
)
def test_committed_records_are_purged_by_an_interval_of_their_own(
    release: str, committed: int, purged: list[tuple[int, bool]]
) -> None:
    """shouldNotPurgeBeforeThePurgeInterval, shouldPurgeAfterPurgeInterval: from 3.2.0 on; from 3.6.0 on also where nothing was committed."""
    now = thread(release, "RUNNING")
    for time, purges in purged:
        now, answer = after(
            release,
            now,
            ("advanceNowAndComputeLatency", {"time": time}),
            ("maybeCommit", {"committed": committed}),
        )
        assert answer.returned["maybePurgeCommittedRecords"] is purges


GOES_ON = ("1.0.2", "1.1.1", "2.0.1", "2.1.1", "2.2.1", "2.3.0")
ENDS_BEFORE = ("2.2.2", "2.3.1", "2.4.0", "2.4.1")
ENDS_AFTER = ("2.5.0", "2.5.1", "2.6.0", "3.9.2", "4.3.1")


def shut_down_within_the_poll(release: str) -> Snapshot:
    """Return a running thread that polled, and was shut down meanwhile."""
    now, answer = after(release, thread(release, "RUNNING"), ("runOnce", {}))
    assert answer.returned == FIXED["pollTimeMs"]
    return after(
        release,
        now,
        ("shutdown", {}),
        ("pollRequests", {"invalidOffset": False, "hasResetPolicy": True}),
    )[0]


@pytest.mark.parametrize("release", [*GOES_ON, *ENDS_BEFORE, *ENDS_AFTER])
def test_a_shutdown_within_the_poll_ends_the_turn_in_later_releases(release: str) -> None:
    """KAFKA-8620: the task manager is not touched after it; up to 2.2.1, and in 2.3.0, the turn goes on."""
    now = shut_down_within_the_poll(release)
    _, answer = after(release, now, ("checkStateAfterPoll", {}))
    assert answer.returned == {
        "addRecordsToTasks": release not in ENDS_BEFORE,
        "goesOn": release in GOES_ON,
    }


@pytest.mark.parametrize("release", [*GOES_ON, *ENDS_BEFORE, *ENDS_AFTER[:2]])
def test_after_a_shutdown_within_the_poll_only_some_releases_take_the_records(release: str) -> None:
    """2.5 adds them before it looks at the state; the steps after that are refused, as those of the turn that ended."""
    now = shut_down_within_the_poll(release)
    assert (type(after(release, now, ("addRecordsToTasks", {"closed": False}))[1]) is Refused) == (
        release in ENDS_BEFORE
    )
    turn = {
        "totalProcessed": 1,
        "processLatency": 1,
        "processed": 1,
        "did": False,
        "sinceLastPoll": 0,
    }
    step = "processAndMaybeCommit" if release < "2.1" else "process"
    assert (type(after(release, now, (step, turn))[1]) is Refused) == (release not in GOES_ON)
    assert (
        type(after(release, now, ("initializeAndRestorePhase", {"allRunning": True}))[1]) is Refused
    ) == (release not in GOES_ON)


@pytest.mark.parametrize("release", ["2.6.0", "2.8.2", "3.0.2", "3.1.0", "3.9.2", "4.3.1"])
def test_what_was_thrown_while_corrupted_tasks_were_handled(release: str) -> None:
    """shouldCatchTaskMigratedExceptionOnOnTaskCorruptedExceptionPath: a task that migrated is one; anything else ends the thread."""
    now = thread(release, "RUNNING")
    told = {
        failed: after(
            release, now, ("handleCorruption", {"failed": failed, "activeCorrupted": True})
        )[1]
        for failed in thrown()
    }
    assert told["none"].returned == {
        "handleTaskMigrated": False,
        "enforceRebalance": release >= "3.1",
    }
    assert told["TaskMigratedException"].returned == {
        "handleTaskMigrated": True,
        "enforceRebalance": False,
    }
    assert [told[one].error for one in ("TaskCorruptedException", "StreamsException")] == [
        "TaskCorruptedException",
        "StreamsException",
    ]


@pytest.mark.parametrize("release", ["2.6.0", "3.9.2", "4.3.1"])
def test_what_was_thrown_while_all_tasks_were_lost_ends_the_thread(release: str) -> None:
    """The consumer then neither leaves the group nor joins it again."""
    now = thread(release, "RUNNING")
    told = {
        failed: after(release, now, ("handleLostAll", {"failed": failed}))[1] for failed in thrown()
    }
    assert told.pop("none").returned == {"unsubscribe": True, "subscribe": True}
    assert {failed: answer.error for failed, answer in told.items()} == {
        failed: failed for failed in told
    }


def thrown() -> tuple[str, ...]:
    """Return all that may be thrown, and nothing."""
    return ("none", "TaskMigratedException", "TaskCorruptedException", "StreamsException")
