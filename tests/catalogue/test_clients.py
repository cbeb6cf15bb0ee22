"""A client and its threads, against Kafka's own unit tests of KafkaStreams and GlobalStreamThread."""

from __future__ import annotations

import pytest

from tests.catalogue.facts import in_range
from tests.catalogue.scenarios import Call, Row, call, play, runs
from tests.catalogue.test_systems import RELEASES, assigned, rows, streams, up_to

SINCE_2_2 = (
    "2.2.2",
    "2.3.1",
    "2.5.1",
    "2.7.2",
    "2.8.2",
    "3.3.2",
    "3.5.2",
    "3.9.1",
    "4.1.1",
    "4.3.1",
)
SINCE_2_8, SINCE_3_0 = SINCE_2_2[4:], SINCE_2_2[5:]
ISE = "IllegalStateException"


def client(test: str, releases: tuple[str, ...], *calls: Call, state: str = "CREATED") -> Row:
    """Return a scenario of a client alone."""
    return Row(test, "kafka/KafkaStreams", releases, calls, state)


def global_thread(
    test: str, releases: tuple[str, ...], *calls: Call, state: str = "CREATED"
) -> Row:
    """Return a scenario of a global thread."""
    return Row(test, "kafka/GlobalStreamThread", releases, calls, state)


CLOSE = (call("close", "PENDING_SHUTDOWN"), call("to_NOT_RUNNING", "NOT_RUNNING"))
ALONE = [
    client("stateShouldTransitToNotRunningIfCloseRightAfterCreated", SINCE_2_2[:2], *CLOSE),
    client("testShouldTransitToNotRunningIfCloseRightAfterCreated", SINCE_2_2[2:], *CLOSE),
    client("testCloseIsIdempotent", ("1.1.1", *SINCE_2_2), *CLOSE, call("close", "NOT_RUNNING", does="Ignored"), state="RUNNING"),
    client("testCannotStartOnceClosed", ("1.1.1", *SINCE_2_2), call("start"), *CLOSE, call("start", "NOT_RUNNING", error=ISE)),
    client("testCannotStartTwice", SINCE_2_2, call("start", "REBALANCING"), call("start", "REBALANCING", error=ISE)),
    client("testCannotStartTwice", SINCE_2_2, call("start"), call("to_RUNNING"), call("start", "REBALANCING", error="IllegalThreadStateException")),
    client("shouldNotBlockInCloseForZeroDuration", SINCE_2_2, call("close", "PENDING_SHUTDOWN"), state="RUNNING"),
    client("shouldThrowOnCleanupWhileRunning", SINCE_2_2, call("cleanUp", "RUNNING", error=ISE), state="RUNNING"),
    client("shouldCleanUpBeforeStartAndAfterClose", SINCE_2_2, call("cleanUp", "CREATED", does="Advanced"), *CLOSE, call("cleanUp", "NOT_RUNNING")),
    client("shouldThrowOnCleanupWhileShuttingDown", SINCE_3_0, call("close"), call("cleanUp", "PENDING_SHUTDOWN", error=ISE), state="RUNNING"),
    client("shouldNotAddThreadWhenCreated", SINCE_2_8, call("addStreamThread", "CREATED", does="Refused")),
    client("shouldNotAddThreadWhenClosed", SINCE_2_8, *CLOSE, call("addStreamThread", "NOT_RUNNING", does="Refused"), state="RUNNING"),
    client("shouldNotTransitToErrorAfterCloseToError", SINCE_2_8, call("closeToError", "PENDING_ERROR"), call("closeToError", "PENDING_ERROR", does="Ignored"), call("to_ERROR", "ERROR"), call("close", "ERROR", does="Ignored"), state="RUNNING"),
    client("shouldThrowExceptionSettingStateListenerNotInCreateState", SINCE_2_2, call("setStateListener", "CREATED", does="Advanced"), call("start"), call("setStateListener", "REBALANCING", error=ISE)),
    client("shouldThrowExceptionSettingUncaughtExceptionHandlerNotInCreateState", SINCE_2_2, call("start"), call("setUncaughtExceptionHandler", "REBALANCING", error=ISE)),
    client("shouldNotGetAllTasksWhenNotRunning", SINCE_3_0, call("validateIsRunningOrRebalancing", "CREATED", error="StreamsNotStartedException"), call("start"), call("validateIsRunningOrRebalancing", "REBALANCING"), call("close"), call("validateIsRunningOrRebalancing", error=ISE)),
    client("shouldNotGetAllTasksWhenNotRunning", SINCE_2_2[:2], call("validateIsRunning", "CREATED", error=ISE), call("start"), call("validateIsRunning", "REBALANCING"), call("close"), call("validateIsRunning", error=ISE)),
    client("shouldAddThreadWhenRunning", SINCE_2_8, call("addStreamThread", "RUNNING", does="Advanced"), state="RUNNING"),
    client("shouldRemoveThread", SINCE_2_8, call("removeStreamThread", "RUNNING", does="Advanced"), state="RUNNING"),
    client("shouldNotRemoveThreadWhenNotRunning", SINCE_2_8, call("removeStreamThread", "CREATED", does="Refused")),
    client(
        "shouldNotAddThreadWhenError",
        SINCE_2_8,
        call("to_PENDING_ERROR"),
        call("addStreamThread", "PENDING_ERROR", does="Refused"),
        call("to_ERROR"),
        call("addStreamThread", "ERROR", does="Refused"),
        state="RUNNING",
    ),
    global_thread("shouldTransitionToRunningOnStart", ("1.1.1", *SINCE_2_2), call("start", "RUNNING")),
    global_thread(
        "shouldDieOnInvalidOffsetExceptionWhileRunning",
        ("1.1.1", *SINCE_2_2),
        call("start"),
        call("to_PENDING_SHUTDOWN", "PENDING_SHUTDOWN"),
        call("to_DEAD", "DEAD"),
        call("shutdown", "DEAD", does="Ignored"),
    ),
    global_thread("shouldThrowStreamsExceptionOnStartupIfExceptionOccurred", ("1.1.1", *SINCE_2_2), call("shutdown", "PENDING_SHUTDOWN"), call("to_DEAD", "DEAD")),
]  # fmt: skip


@pytest.mark.parametrize(("row", "release"), runs(ALONE))
def test_a_client_or_a_global_thread_alone_does_what_kafkas_unit_tests_say(
    row: Row, release: str
) -> None:
    """By the names of the methods, and the moves that are made for them by others."""
    play(row, release)


@pytest.mark.parametrize("release", list(in_range("2.2.0..trunk", RELEASES)))
def test_a_dead_thread_does_not_change_the_state_of_its_client(release: str) -> None:
    """stateShouldTransitToRunningIfNonDeadThreadsBackToRunning: the counts of changes are those of the unit test."""
    one = streams(release)
    one.go(
        f"t1 PARTITIONS_REVOKED, t2 PARTITIONS_REVOKED, t1 {assigned(release)}, t2 {assigned(release)}"
    )
    assert one.client == ["RUNNING", "REBALANCING"]
    one.go("t2 PENDING_SHUTDOWN, t2 DEAD")
    assert one.client == ["RUNNING", "REBALANCING"]
    one.go("t1 RUNNING")
    assert one.client == ["RUNNING", "REBALANCING", "RUNNING"]
    one.go("c PENDING_SHUTDOWN, deliver, t1 DEAD, c NOT_RUNNING")
    assert one.client == ["RUNNING", "REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING"]


@pytest.mark.parametrize("release", list(in_range("2.2.0..2.7.2", RELEASES)))
def test_a_client_all_of_whose_threads_died_is_in_error_until_it_is_closed(release: str) -> None:
    """stateShouldTransitToErrorIfAllThreadsDead: REBALANCING until the last thread is DEAD, and after close NOT_RUNNING."""
    one = streams(release)
    one.go(
        "t1 PARTITIONS_REVOKED, t2 PARTITIONS_REVOKED, t1 PENDING_SHUTDOWN, t1 DEAD, t2 PENDING_SHUTDOWN"
    )
    assert one.client == ["RUNNING", "REBALANCING"]
    one.go("t2 DEAD, c PENDING_SHUTDOWN, c NOT_RUNNING")
    assert one.client == ["RUNNING", "REBALANCING", "ERROR", "PENDING_SHUTDOWN", "NOT_RUNNING"]


GLOBAL = list(rows(
    ("2.2.0..2.7.2", "deliver, t1 PENDING_SHUTDOWN, t1 DEAD, t2 PENDING_SHUTDOWN, t2 DEAD, c PENDING_SHUTDOWN, c NOT_RUNNING", "RUNNING ERROR PENDING_SHUTDOWN NOT_RUNNING"),
    ("2.8.0..trunk", "deliver, t1 DEAD, t2 DEAD, c ERROR", "RUNNING PENDING_ERROR ERROR"),
))  # fmt: skip


@pytest.mark.parametrize(("release", "script", "expected"), GLOBAL)
def test_the_end_of_the_global_thread_is_an_error_of_the_client(
    release: str, script: str, expected: str
) -> None:
    """testStateGlobalThreadClose: from 2.8.0 on closing the client leads to no NOT_RUNNING any more."""
    one = streams(release, with_global=True)
    one.go("g PENDING_SHUTDOWN, g DEAD")
    one.go(script)
    assert " ".join(one.client) == expected
    if not up_to(release, "2.7.2"):
        play(client("", (release,), call("close", "ERROR", does="Ignored"), state="ERROR"), release)


@pytest.mark.parametrize("release", list(in_range("2.8.0..trunk", RELEASES)))
def test_a_client_of_which_a_thread_was_removed_goes_on(release: str) -> None:
    """shouldRemoveThread: one thread fewer, and the client stays RUNNING."""
    one = streams(release)
    one.go("t1 PENDING_SHUTDOWN, t1 DEAD")
    assert (one.client, one.state("t2")) == (["RUNNING"], "RUNNING")
