"""Oddities of Kafka Streams that a spec must know; `tests/data/catalogue/traps.tsv` says which of the facts' points each test is about."""

from __future__ import annotations

import pytest

from tests.catalogue.asking import (
    CLIENT,
    GLOBAL,
    TASK,
    THREAD,
    answer,
    arrows,
    legal,
    machine,
    reading,
    said,
    state,
)
from tests.catalogue.readings import spec_of

T, C, G = (
    "stream-thread [app-StreamThread-1]",
    "stream-client [app]",
    "global-stream-thread [app-GlobalStreamThread]",
)
ACTIVE, STANDBY = f"{T} task [0_1]", f"{T} standby-task [0_1]"


def test_the_older_release_with_the_greater_number_still_forces() -> None:
    """0.11.0.0 was made before 0.10.2.2 and has the older machine."""
    assert (
        answer(THREAD, "0.11.0.0", "RUNNING", "DEAD")
        == answer(CLIENT, "0.11.0.0", "RUNNING", "RUNNING")
        == "force"
    )
    assert (
        answer(THREAD, "0.10.2.2", "RUNNING", "DEAD")
        == answer(CLIENT, "0.10.2.2", "RUNNING", "RUNNING")
        == "StreamsException"
    )


def test_in_the_oldest_releases_the_warning_is_the_step() -> None:
    """No `State transition` line stands beside it; from 0.10.2.2 the same words mean that nothing happened."""
    message = f"{T} Unexpected state transition from RUNNING to PENDING_SHUTDOWN."
    assert [
        said(message, release) for release in ("0.10.2.1", "0.11.0.0", "0.10.2.2", "0.11.0.3")
    ] == [
        "forced",
        "forced",
        "raised",
        "raised",
    ]


def test_0_10_2_0_tells_of_no_step_and_of_no_name() -> None:
    """Its warnings belong to nobody: unjudged, and said so."""
    for name in (THREAD, CLIENT):
        log = machine(name, "0.10.2.0").log
        assert log is not None
        assert not [line for line in log.lines if "step" in line.kinds]
    found = reading("Unexpected state transition from RUNNING to NOT_RUNNING", "0.10.2.0")
    assert found is not None
    assert (found.machine, found.says, found.values) == (
        THREAD,
        "forced",
        {"from": "RUNNING", "to": "NOT_RUNNING"},
    )


def test_the_first_step_of_the_client_is_silent_for_a_while() -> None:
    """0.11.0.1 to 2.1.1: the first line of the client is RUNNING -> REBALANCING."""
    assert all(arrow.silent for arrow in arrows(CLIENT, "1.1.1", "CREATED", "RUNNING"))
    assert not any(arrow.silent for arrow in arrows(CLIENT, "0.10.2.1", "CREATED", "RUNNING"))
    assert legal(CLIENT, "CREATED", "RUNNING") == "0.10.2.0..2.1.1"


def test_a_second_start_is_a_legal_step_of_a_running_client() -> None:
    """From 2.2.0 on start() asks for REBALANCING; while REBALANCING it is swallowed."""
    assert answer(CLIENT, "2.2.0", "RUNNING", "REBALANCING") == "advance"
    assert answer(CLIENT, "2.2.0", "REBALANCING", "REBALANCING") == "ignore"
    assert legal(CLIENT, "REBALANCING", "REBALANCING") == "0.10.2.0..0.11.0.3"


def test_a_client_that_runs_already_runs_again_from_2_4_on_and_throws_before() -> None:
    """The exception hits the stream thread that reported, and kills it."""
    assert {
        answer(CLIENT, release, "RUNNING", "RUNNING") for release in ("1.0.0", "2.2.0", "2.3.1")
    } == {"IllegalStateException"}
    assert legal(CLIENT, "RUNNING", "RUNNING") == "2.4.0..4.3.1"


def test_an_entry_of_one_release_can_never_be_used() -> None:
    """ERROR -> ERROR stands in the table of 2.2.0, and setState swallows it first."""
    (arrow,) = arrows(CLIENT, "2.2.0", "ERROR", "ERROR")
    assert not arrow.taken
    assert (
        answer(CLIENT, "2.2.0", "ERROR", "ERROR")
        == answer(CLIENT, "2.2.1", "ERROR", "ERROR")
        == "ignore"
    )


def test_a_thread_that_runs_already_runs_again() -> None:
    """Real and logged from 2.6.0 on; nobody asks for it any more from 4.3.0 on."""
    assert legal(THREAD, "RUNNING", "RUNNING") == "0.10.2.0..0.10.2.1, 0.11.0.0, 2.6.0..4.3.1"
    assert [arrow.taken for arrow in arrows(THREAD, "4.2.1", "RUNNING", "RUNNING")] == [True]
    assert [arrow.taken for arrow in arrows(THREAD, "4.3.0", "RUNNING", "RUNNING")] == [False]


def test_eager_mode_still_revokes_first() -> None:
    """STARTING -> PARTITIONS_REVOKED: always up to 2.3.1, later with upgrade.from only; never a violation."""
    assert answer(THREAD, "3.9.2", "STARTING", "PARTITIONS_REVOKED") == "advance"
    assert answer(THREAD, "2.3.1", "STARTING", "PARTITIONS_ASSIGNED") == "StreamsException"


def test_self_steps_are_steps() -> None:
    """A second assignment before the first is restored is no repeated line."""
    assert legal(THREAD, "PARTITIONS_ASSIGNED", "PARTITIONS_ASSIGNED") == "2.4.0..4.3.1"
    assert (
        legal(THREAD, "PARTITIONS_REVOKED", "PARTITIONS_REVOKED")
        == "0.10.2.2, 0.11.0.1..0.11.0.3, 2.4.0..4.3.1"
    )
    assert answer(THREAD, "1.1.1", "PARTITIONS_REVOKED", "PARTITIONS_REVOKED") == "ignore"


def test_a_rebalance_may_assign_without_revoking_from_2_4_on() -> None:
    """Several RUNNING -> PARTITIONS_ASSIGNED -> RUNNING in a row are no storm."""
    assert legal(THREAD, "RUNNING", "PARTITIONS_ASSIGNED") == "2.4.0..4.3.1"


def test_a_shutdown_may_cut_between_two_callbacks() -> None:
    """A revocation need not be followed by an assignment."""
    assert legal(THREAD, "PARTITIONS_REVOKED", "PENDING_SHUTDOWN") == "0.10.2.0..4.3.1"


def test_a_thread_that_never_worked_may_be_closed() -> None:
    """The threads of a client whose global thread failed; 0.10.2.0, 0.10.2.1 and 0.11.0.0 do not know it."""
    assert legal(THREAD, "CREATED", "PENDING_SHUTDOWN") == "0.10.2.2, 0.11.0.1..4.3.1"
    assert legal(GLOBAL, "CREATED", "PENDING_SHUTDOWN") == "0.10.2.2, 0.11.0.1..4.3.1"


def test_a_failed_global_thread_is_told_when_it_is_dead_already() -> None:
    """So the line says what failed and claims no state."""
    found = reading(
        f"{G} Error happened during initialization of the global state store; this thread has shutdown.",
        "3.9.1",
    )
    assert found is not None
    assert (found.says, found.line.target, found.line.source, found.line.state) == (
        "note",
        (),
        (),
        None,
    )


def test_error_is_the_end_from_2_8_on() -> None:
    """Up to 2.7.2 close() leads on from it."""
    assert legal(CLIENT, "ERROR", "PENDING_SHUTDOWN") == "0.10.2.2, 0.11.0.1..2.7.2"
    assert answer(CLIENT, "2.8.0", "ERROR", "PENDING_SHUTDOWN") == "IllegalStateException"
    assert answer(CLIENT, "4.1.0", "ERROR", "PENDING_SHUTDOWN") == "ignore"
    assert (
        said(
            f"{C} Streams client is already in the terminal ERROR state, all resources are closed and the client has stopped.",
            "3.9.1",
        )
        == "is"
    )


def test_a_normal_close_with_a_global_thread_shouts_in_2_8() -> None:
    """An ERROR line and a swallowed PENDING_ERROR: no step, no death."""
    assert (
        said(
            f"{C} Global thread has died. The streams application or client will now close to ERROR.",
            "2.8.2",
        )
        == "asked"
    )
    found = reading(f"{C} Skipping shutdown since we are already in PENDING_SHUTDOWN", "2.8.2")
    assert found is not None
    assert (found.says, found.values["from"], found.line.target) == (
        "ignored",
        "PENDING_SHUTDOWN",
        ("PENDING_ERROR",),
    )
    assert answer(CLIENT, "2.8.2", "PENDING_SHUTDOWN", "PENDING_ERROR") == "ignore"


def test_every_normal_close_asks_twice() -> None:
    """`Ignoring request ...` is not a sign of trouble."""
    for release in ("1.0.0", "2.5.1", "4.3.1"):
        assert answer(THREAD, release, "PENDING_SHUTDOWN", "PENDING_SHUTDOWN") == "ignore"


def test_the_lines_of_swallowed_requests_were_backported() -> None:
    """2.2.2 has them and 2.3.0 has not."""
    message = f"{T} Ignoring request to transit from PENDING_SHUTDOWN to PENDING_SHUTDOWN: only DEAD state is a valid next state"
    assert [
        said(message, release) for release in ("2.2.1", "2.2.2", "2.3.0", "2.3.1", "4.3.1")
    ] == [
        "",
        "ignored",
        "",
        "ignored",
        "ignored",
    ]
    message = f"{T} Ignoring request to transit from PARTITIONS_REVOKED to PARTITIONS_REVOKED: self transition is not allowed"
    assert [said(message, release) for release in ("2.2.2", "2.3.1", "2.4.0")] == [
        "ignored",
        "ignored",
        "",
    ]


def test_a_state_that_is_read_without_the_lock_proves_nothing() -> None:
    """A shutdown from another thread may have told its step before such a line is written."""
    assert said(f"{T} Unexpected state PENDING_SHUTDOWN during normal iteration", "2.5.1") == "note"
    assert (
        said(
            f"{T} Thread state is already PENDING_SHUTDOWN, skipping the run once call after poll request",
            "2.8.0",
        )
        == ""
    )
    found = reading(
        f"{T} at state RUNNING: partitions [a-0] revoked at the beginning of consumer rebalance.",
        "2.3.1",
    )
    assert found is not None
    assert (found.says, "from" in found.values) == ("asked", False)


@pytest.mark.parametrize(
    ("release", "words"),
    [("1.1.0", "Detected a task that got migrated to another thread. Trying to rejoin"), ("1.1.1", "Detected task 0_1 that got migrated to another thread: x"),
     ("2.5.1", "Detected task 0_1 that got migrated to another thread. This implies"), ("2.6.0", "Detected that the thread is being fenced. This")],
)  # fmt: skip
def test_falling_out_of_the_group_is_no_step(release: str, words: str) -> None:
    """Each release has its own words; none of them changes the state of the thread."""
    assert said(f"{T} {words}", release) == "note"
    assert said(f"{T} {words}", "4.3.1" if release != "2.6.0" else "2.5.1") == ""


def test_initialized_means_two_things() -> None:
    """Of an active task RESTORING begins, of a standby task RUNNING; the standby's step before it is silent."""
    active, standby = (
        reading(f"{ACTIVE} Initialized", "3.9.1"),
        reading(f"{STANDBY} Initialized", "3.9.1"),
    )
    assert active is not None
    assert standby is not None
    assert (active.line.source, active.line.target) == (("CREATED",), ("RESTORING",))
    assert (standby.line.source, standby.line.target) == (("RESTORING",), ("RUNNING",))
    assert all(arrow.silent for arrow in arrows(TASK, "3.9.1", "CREATED", "RESTORING"))


def test_closing_a_closed_task_writes_the_line_again() -> None:
    """So the line does not claim to come from SUSPENDED."""
    found = reading(f"{ACTIVE} Closed clean", "3.9.1")
    assert found is not None
    assert (found.says, found.line.source, found.line.target) == ("step", (), ("CLOSED",))


def test_a_task_comes_back_without_a_line() -> None:
    """Revived, or a new object of the same id: CLOSED -> CREATED is silent, and the state is final."""
    assert all(arrow.silent for arrow in arrows(TASK, "3.9.1", "CLOSED", "CREATED"))
    assert state(TASK, "3.9.1", "CLOSED").final


def test_two_lines_for_one_suspension() -> None:
    """3.0.0 to 3.3.2 write it twice; the second is an echo and is never counted."""
    first, second = (
        reading(f"{ACTIVE} Suspended RUNNING", "3.3.2"),
        reading(f"{ACTIVE} Suspended running", "3.3.2"),
    )
    assert first is not None
    assert second is not None
    assert (first.line.echo, second.line.echo) == (False, True)
    alone = reading(f"{ACTIVE} Suspended running", "2.8.2")
    assert alone is not None
    assert not alone.line.echo


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("2.8.2", "Suspended running"),
        ("3.3.2", "Suspended RUNNING"),
        ("3.4.1", "Suspended from RUNNING"),
    ],
)
def test_a_suspension_is_told_in_three_ways(release: str, words: str) -> None:
    """All of RUNNING -> SUSPENDED."""
    found = reading(f"{ACTIVE} {words}", release)
    assert found is not None
    assert found.values.get("from", "".join(found.line.source)) == "RUNNING"
    assert found.line.target == ("SUSPENDED",)


@pytest.mark.parametrize(
    ("release", "words"),
    [("2.8.2", "Closed clean and recycled state"), ("3.4.1", "Closed and recycled state")],
)
def test_a_recycled_task_ends(release: str, words: str) -> None:
    """A task of the other kind follows under the same id."""
    for prefix in (ACTIVE, STANDBY):
        found = reading(f"{prefix} {words}", release)
        assert found is not None
        assert found.line.target == ("CLOSED",)


def test_shutdown_complete_comes_from_two_loggers() -> None:
    """From 3.5.0 on; without the logger nobody can tell which, so it says only what both mean: nothing about the state."""
    older, newer = (
        reading(f"{T} Shutdown complete", "3.4.1"),
        reading(f"{T} Shutdown complete", "3.5.0"),
    )
    assert older is not None
    assert newer is not None
    assert (older.says, newer.says) == ("note", "note")
    assert (len(older.line.loggers), len(newer.line.loggers)) == (1, 2)


def test_the_prefix_of_1_0_lacks_a_blank() -> None:
    """`stream-client [x]State transition ...` in 1.0.x only."""
    glued, spaced = (
        f"{C}State transition from RUNNING to REBALANCING",
        f"{C} State transition from RUNNING to REBALANCING",
    )
    assert [said(glued, release) for release in ("0.11.0.3", "1.0.2", "1.1.0")] == ["", "step", ""]
    assert [said(spaced, release) for release in ("0.11.0.3", "1.0.2", "1.1.0")] == ["", "", "step"]


def test_a_dot_dates_a_step() -> None:
    """Up to 0.11.0.3 the step's line ends in one."""
    for prefix, oldest in ((T, "0.10.2.1"), (C, "0.10.2.1"), (G, "0.10.2.2")):
        step = f"{prefix} State transition from RUNNING to PENDING_SHUTDOWN"
        assert (
            said(f"{step}.", oldest)
            == said(f"{step}.", "0.11.0.3")
            == said(step, "1.1.0")
            == "step"
        )
        assert said(step, "0.11.0.3") == said(f"{step}.", "1.1.0") == ""


def test_misprints_are_read_as_they_are() -> None:
    """They date a log."""
    brace = f"{C} Streams client cannot transition to ERROR}} completely within the timeout"
    assert [said(brace, release) for release in ("2.7.2", "2.8.0", "3.7.2", "3.8.0")] == [
        "",
        "failed",
        "failed",
        "",
    ]
    glued = "Encountered the following exception during processing and the registered exception handleropted to SHUTDOWN_CLIENT."
    glued = f"{C} {glued} The streams client is going to shut down now."
    assert [said(glued, release) for release in ("3.9.2", "4.0.0", "4.0.2", "4.1.0")] == [
        "",
        "asked",
        "asked",
        "",
    ]


def test_did_transition_means_that_it_did_not() -> None:
    """4.1.0 on: the word is missing; the line claims no state."""
    message = f"{C} Streams client did transition to a terminal state (ERROR or NOT_RUNNING) within the 3000ms timeout"
    assert said(message, "4.1.0") == "note"


def test_stopped_completely_is_told_twice_over() -> None:
    """Not to be confused: the first close, and from 4.1.0 on a second one that has waited."""
    first, second = (
        f"{C} Streams client stopped completely",
        f"{C} Streams client stopped completely and transitioned to the terminal ERROR state",
    )
    one, other = reading(first, "4.1.0"), reading(second, "4.1.0")
    assert one is not None
    assert other is not None
    assert (one.line.state, other.values["state"]) == ("NOT_RUNNING", "ERROR")


def test_a_name_that_is_used_again_has_a_beginning() -> None:
    """A thread of a reused number, a restarted process: the line permits a new life, DEAD -> CREATED is no step."""
    for release, words in (
        ("2.8.0", f"{T} Creating restore consumer client"),
        ("4.2.0", "Creating restore consumer client for thread app-StreamThread-1"),
    ):
        found = reading(words, release)
        assert found is not None
        assert (found.says, found.line.state, found.values) == (
            "begin",
            "CREATED",
            {"thread": "app-StreamThread-1"},
        )
    assert arrows(THREAD, "2.8.0", "DEAD", "CREATED") == []


def test_the_producer_of_0_11_is_no_beginning() -> None:
    """It is made with the first task, in the middle of a life (s01102_rebalance/app1.log:445)."""
    assert said(f"{T} Creating shared producer client", "0.11.0.2") == "note"
    assert said(f"{T} Creating shared producer client", "1.0.0") == "begin"


def test_the_oldest_thread_ends_where_it_began() -> None:
    """NOT_RUNNING is both; the constructor writes the first line."""
    resting = state(THREAD, "0.10.2.1", "NOT_RUNNING")
    assert (resting.initial, resting.final) == (True, True)
    assert said(f"{T} State transition from NOT_RUNNING to RUNNING.", "0.10.2.1") == "step"


def test_old_threads_have_no_client_in_their_name() -> None:
    """`StreamThread-1` is a thread in every process; the key is it and the process."""
    found = reading(
        "stream-thread [StreamThread-1] State transition from RUNNING to PARTITIONS_REVOKED.",
        "0.10.2.1",
    )
    assert found is not None
    assert found.values["thread"] == "StreamThread-1"


def test_added_and_removed_threads_are_no_steps_of_the_client() -> None:
    """The client stays RUNNING until the next rebalance."""
    for words in (
        "Adding StreamThread-3, there will now be 3 live threads and the new cache size per thread is 1",
        "Successfully removed app-StreamThread-3 in 9ms",
    ):
        assert said(f"{C} {words}", "3.4.1") == "note"
    assert (
        said(f"{C} Replacing thread in the streams uncaught exception handler", "3.9.1") == "note"
    )


def test_a_refused_request_of_the_client_leaves_no_line_from_1_1_on() -> None:
    """The text stands in somebody else's exception, with another prefix (s231_overwritten_legal/app1.log:869)."""
    assert said(f"{C} Unexpected state transition from RUNNING to CREATED", "1.1.0") == ""
    assert (
        said("Stream-client app: Unexpected state transition from RUNNING to RUNNING", "2.3.1")
        == ""
    )
    assert said(f"{C}Unexpected state transition from RUNNING to CREATED", "1.0.2") == "raised"


def test_the_group_protocol_of_4_1_has_words_of_its_own() -> None:
    """group.protocol=streams: no `partition assignment took` line; the states are the same."""
    assert (
        said(f"{T} Processing new assignment x from Streams Rebalance Protocol", "4.1.0") == "asked"
    )
    assert said(f"{T} Processing new assignment x from Streams Rebalance Protocol", "4.0.2") == ""


def test_changes_were_brought_back_to_older_lines() -> None:
    """4.0.2 and 4.1.2 are younger than 4.1.0; the list is in the order of numbers all the same."""
    order = spec_of(THREAD).family.releases
    assert order.index("4.0.2") < order.index("4.1.0") < order.index("4.1.2") < order.index("4.2.0")
