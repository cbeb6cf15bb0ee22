"""What a client of Kafka Streams does when it is called: Kafka's own unit tests of KafkaStreams as calls, and a mutant for every property."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.planting import planted
from tests.shipped import shipped

NAME = "kafka/KafkaStreamsClient"
SPEC, TABLE = shipped(NAME), shipped("kafka/KafkaStreams")
SINCE_2_8 = ("2.8.0", "3.1.2", "3.2.0", "3.9.2", "4.3.1")
Call = tuple[str, dict[str, Any]]
START: Call = ("start", {})


def begin(release: str, threads: int = 2, *, other: bool = False) -> Snapshot:
    """Return a client that was made."""
    return SPEC.at(release).start(numStreamThreads=threads, hasGlobalTopology=other)


def after(release: str, now: Snapshot, *calls: Call) -> tuple[Snapshot, Answer]:
    """Step through calls; return the snapshot and the last answer."""
    machine = SPEC.at(release)
    for event, arguments in calls:
        answer = sm.step(machine, now, event, **arguments)
        now = answer.after
    return now, answer


def change(number: int, state: str) -> Call:
    """Return that a thread tells its state."""
    return "onChange", {"number": number, "newState": state}


def running(release: str, threads: int = 2, *, other: bool = False) -> Snapshot:
    """Return a client all of whose threads run."""
    told = [
        change(number, state)
        for number in range(1, threads + 1)
        for state in ("PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING")
    ]
    globally: list[Call] = [("onGlobalChange", {"newState": "RUNNING"})] if other else []
    now, _ = after(release, begin(release, threads, other=other), START, *globally, *told)
    assert now.state == "RUNNING"
    return now


def numbers(now: Snapshot) -> list[int]:
    """Return which threads the client has."""
    return [one.number for one in now.variables["threads"]]


def states(now: Snapshot) -> list[str]:
    """Return what its threads are in."""
    return [one.state for one in now.variables["threads"]]


def close(timeout: int = 1000, *, in_time: bool = True) -> Call:
    """Return a call of `close(timeout)`."""
    return "close", {"timeoutMs": timeout, "inTime": in_time}


def add(*, meanwhile: bool = False) -> Call:
    """Return that a thread is asked for."""
    return "addStreamThread", {"closedMeanwhile": meanwhile}


def remove(caller: int | None = None, *, slow: bool = False) -> Call:
    """Return that one less is asked for."""
    return "removeStreamThread", {"caller": caller, "tooSlow": slow}


def died(number: int | None, answer: str, *, skip: bool = False) -> Call:
    """Return that a thread died and what the handler answered."""
    return "handleStreamsUncaughtException", {
        "number": number,
        "answer": answer,
        "skipThreadReplacement": skip,
    }


@pytest.mark.parametrize("release", SINCE_2_8)
def test_a_thread_that_is_added_is_told_by_its_number(release: str) -> None:
    """shouldAddThreadWhenRunning; shouldNotAddThreadWhenCreated, WhenClosed, WhenError: the answer is empty and nothing changes."""
    now, answer = after(release, running(release), add())
    assert (answer.returned, numbers(now), now.state) == (3, [1, 2, 3], "RUNNING")
    assert after(release, begin(release), add())[1].returned is None
    for calls in ([close()], [died(1, "SHUTDOWN_CLIENT"), ("shutdownHelper", {})]):
        now, answer = after(release, running(release), *calls, add())
        assert (answer.returned, len(numbers(now))) == (None, 2)
    assert after(release, running(release), add(meanwhile=True))[1].returned is None


@pytest.mark.parametrize("release", SINCE_2_8)
def test_the_first_thread_is_removed_and_its_number_is_given_anew(release: str) -> None:
    """shouldRemoveThread, shouldNotRemoveThreadWhenNotRunning, shouldReuseThreadIndex."""
    now, answer = after(release, running(release), remove())
    assert (answer.returned, numbers(now)) == (1, [2])
    now, answer = after(release, now, add())
    assert (answer.returned, numbers(now)) == (1, [2, 1])
    now, answer = after(release, now, remove())
    assert (answer.returned, numbers(now)) == (2, [1])
    assert after(release, begin(release), remove())[1].returned is None


@pytest.mark.parametrize("release", SINCE_2_8)
def test_a_thread_removes_another_one_before_itself(release: str) -> None:
    """Two threads: the caller is spared; alone, it is asked to shut down and cannot wait for itself."""
    now, answer = after(release, running(release), remove(1))
    assert (answer.returned, numbers(now)) == (2, [1])
    now, answer = after(release, now, remove(1))
    assert (answer.returned, states(now)) == (1, ["PENDING_SHUTDOWN"])
    now, answer = after(release, now, change(1, "DEAD"), remove())
    assert (answer.returned, now.state) == (None, "RUNNING")


@pytest.mark.parametrize("release", SINCE_2_8)
def test_a_thread_that_does_not_stop_in_time_is_kept(release: str) -> None:
    """shouldThrowTimeoutExceptionWhenRemovingThread: its number is burned until it is dead."""
    now, answer = after(release, running(release), remove(slow=True))
    assert (answer.error, states(now)) == ("TimeoutException", ["PENDING_SHUTDOWN", "RUNNING"])
    assert SPEC.at(release).define["numLiveStreamThreads"](now) == 1
    assert after(release, now, add())[1].returned == 3
    assert after(release, now, change(1, "DEAD"), add())[1].returned == 1


@pytest.mark.parametrize("release", SINCE_2_8)
def test_the_handlers_answer_decides(release: str) -> None:
    """shouldReplaceThreads…, shouldShutdownClient…, shouldShutDownApplication…: what each answer does."""
    now, answer = after(release, running(release), died(1, "REPLACE_THREAD"))
    assert (now.state, answer.error, answer.returned["added"], states(now)) == (
        "RUNNING",
        "UncaughtException",
        3,
        ["PENDING_SHUTDOWN", "RUNNING", "CREATED"],
    )
    now, answer = after(release, running(release), died(1, "SHUTDOWN_CLIENT"))
    assert (now.state, answer.error, answer.returned["closing"], set(states(now))) == (
        "PENDING_ERROR",
        None,
        True,
        {"PENDING_SHUTDOWN"},
    )
    assert after(release, now, ("shutdownHelper", {}))[0].state == "ERROR"
    now, answer = after(release, running(release), died(1, "SHUTDOWN_APPLICATION"))
    assert (now.state, answer.returned) == (
        "RUNNING",
        {"added": None, "closing": False, "shutdownRequested": True},
    )
    now, answer = after(release, running(release, 1), died(1, "SHUTDOWN_APPLICATION"))
    assert (answer.returned["added"], numbers(now)) == (2, [1, 2])


@pytest.mark.parametrize("release", SINCE_2_8)
def test_the_global_thread_cannot_be_replaced(release: str) -> None:
    """The client closes itself, and the cast of its thread fails; without stream threads nobody can tell the application."""
    now, answer = after(release, running(release, other=True), died(None, "REPLACE_THREAD"))
    assert (now.state, answer.error) == ("PENDING_ERROR", "ClassCastException")
    now, answer = after(
        release,
        running(release, 1, other=True),
        change(1, "DEAD"),
        died(None, "SHUTDOWN_APPLICATION"),
    )
    assert (now.state, answer.returned["shutdownRequested"]) == ("PENDING_ERROR", False)


@pytest.mark.parametrize(
    ("release", "replaced"), [("2.8.0", True), ("3.1.2", True), ("3.2.0", False), ("4.3.1", False)]
)
def test_an_error_after_which_the_thread_goes_on_replaces_nothing(
    release: str, replaced: bool
) -> None:
    """From 3.2.0 on."""
    answer = after(release, running(release), died(1, "REPLACE_THREAD", skip=True))[1]
    assert (answer.error is not None) == replaced
    assert answer.returned["added"] == (3 if replaced else None)


@pytest.mark.parametrize("release", ["1.0.2", "2.1.1", "2.2.2", "2.7.2"])
def test_up_to_2_7_nobody_asks_a_handler_and_the_last_dead_thread_is_the_clients_error(
    release: str,
) -> None:
    """stateShouldTransitToErrorIfAllThreadsDead."""
    assert "handleStreamsUncaughtException" not in {
        one.name for one in SPEC.at(release).value.events
    }
    now, _ = after(release, running(release), change(1, "PENDING_SHUTDOWN"), change(1, "DEAD"))
    assert now.state == "RUNNING"
    assert after(release, now, change(2, "PENDING_SHUTDOWN"), change(2, "DEAD"))[0].state == "ERROR"


@pytest.mark.parametrize(
    ("release", "runs"),
    [("1.0.2", False), ("2.1.1", False), ("2.2.0", True), ("3.9.2", True), ("4.3.1", True)],
)
def test_a_dead_thread_keeps_older_clients_from_running(release: str, runs: bool) -> None:
    """stateShouldTransitToRunningIfNonDeadThreadsBackToRunning."""
    now, _ = after(release, running(release), change(1, "DEAD"), change(2, "PARTITIONS_REVOKED"))
    assert now.state == "REBALANCING"
    assert (after(release, now, change(2, "RUNNING"))[0].state == "RUNNING") == runs


@pytest.mark.parametrize(
    ("release", "runs"), [("2.8.2", False), ("3.4.1", False), ("3.5.0", True), ("4.3.1", True)]
)
def test_a_thread_that_shuts_down_keeps_clients_before_3_5_from_running(
    release: str, runs: bool
) -> None:
    """As long as another one runs."""
    now, _ = after(
        release,
        running(release),
        change(1, "PENDING_SHUTDOWN"),
        change(2, "PARTITIONS_REVOKED"),
        change(2, "RUNNING"),
    )
    assert (now.state == "RUNNING") == runs


@pytest.mark.parametrize("release", ["1.0.2", "2.1.1", "2.2.2", "2.7.2", *SINCE_2_8])
def test_a_second_start_is_refused_by_the_client_or_by_its_threads(release: str) -> None:
    """testCannotStartTwice, testCannotStartOnceClosed: a RUNNING client of 2.2.0 and later is REBALANCING after it."""
    later = release >= "2.2"
    now, answer = after(release, running(release), START)
    assert (now.state, answer.error) == (
        ("REBALANCING", "IllegalThreadStateException")
        if later
        else ("RUNNING", "IllegalStateException")
    )
    assert after(release, now, START)[1].error == "IllegalStateException"
    assert after(release, begin(release), close(), START)[1].error == "IllegalStateException"


@pytest.mark.parametrize("release", ["1.0.2", "2.0.1", "2.1.0", "2.7.2", *SINCE_2_8])
def test_close_says_whether_it_was_in_time(release: str) -> None:
    """shouldReturnFalseOnCloseWhenThreadsHaventTerminated, testCloseIsIdempotent, shouldThrowOnNegativeTimeoutForClose."""
    now, answer = after(release, running(release), close(in_time=False))
    assert (now.state, answer.returned) == ("PENDING_SHUTDOWN", False)
    now, answer = after(release, now, close())
    assert (now.state, answer.returned) == ("NOT_RUNNING", True)
    assert after(release, now, close(in_time=False))[1].returned is True
    now, answer = after(release, running(release), close(-1, in_time=False))
    raised = release >= "2.1"
    assert (answer.error, now.state) == (
        ("IllegalArgumentException", "RUNNING") if raised else (None, "PENDING_SHUTDOWN")
    )


@pytest.mark.parametrize("release", SINCE_2_8)
def test_close_of_a_client_in_error_gives_true_at_once(release: str) -> None:
    """From 2.8.0 on; while it is PENDING_ERROR it is waited for."""
    now, _ = after(release, running(release), died(1, "SHUTDOWN_CLIENT"))
    assert after(release, now, close(in_time=False))[1].returned is False
    now, answer = after(release, now, close())
    assert (now.state, answer.returned) == ("ERROR", True)
    now, answer = after(release, now, close(in_time=False))
    assert (now.state, answer.returned) == ("ERROR", True)


@pytest.mark.parametrize("release", ["3.3.0", "3.9.2", "4.3.1"])
def test_pause_and_resume_leave_the_state(release: str) -> None:
    """In any state, also before start."""
    now, answer = after(release, begin(release), ("pause", {}), ("isPaused", {}))
    assert (now.state, answer.returned) == ("CREATED", True)
    now, answer = after(release, now, START, ("resume", {}), ("isPaused", {}))
    assert (now.state, answer.returned) == ("REBALANCING", False)
    assert "pause" not in {one.name for one in SPEC.at("3.2.3").value.events}


@pytest.mark.parametrize("release", ["1.0.2", "2.7.2", "2.8.0", "4.3.1"])
def test_which_threads_are_alive_is_told(release: str) -> None:
    """Started and not ended."""
    alive = SPEC.at(release).define["aliveThreads"]
    assert (alive(begin(release)), alive(running(release))) == (frozenset(), {1, 2})
    assert alive(after(release, running(release), change(1, "DEAD"))[0]) == {2}


@pytest.mark.parametrize(
    "release", ["1.0.2", "2.1.1", "2.2.2", "2.5.1", "2.7.2", "2.8.0", "3.5.2", "4.3.1"]
)
def test_every_step_is_one_of_the_clients_table_or_two(release: str) -> None:
    """`close` that is waited for takes two; no other way leads beside the table."""
    table, machine = TABLE.at(release), SPEC.at(release)
    names = [one.name for one in table.value.states]
    known = {(a, b) for a in names for b in names if a == b or table.allows(a, b)}
    twice = {
        (a, c) for a, b in known for other, c in known if b == other and b == "PENDING_SHUTDOWN"
    }
    for seed in range(20):
        walk = machine.simulate(seed=seed, steps=150)
        passed = [walk.begin.state, *(one.answer.after.state for one in walk.steps)]
        assert set(pairwise(passed)) <= known | twice


MUTANTS = [
    ("numbersAreOfOneThread", "for n in range(1, len(kept) + 2) if all(t.number != n for t in kept)", "for n in range(1, len(kept) + 2)"),
    ("theDeadAreNotRunning", "    effect: {threads: ended}\n    cases:\n", "    cases:\n"),
    ("errorIsLeftByCloseAlone", "when: \"rebalances and (state == 'RUNNING' or state == 'CREATED')\", to: REBALANCING", "when: rebalances, to: REBALANCING"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "instead"), MUTANTS, ids=[row[0] for row in MUTANTS])
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    (tmp_path / "KafkaStreamsClient.yaml").write_text(planted(NAME, text, instead), "utf-8")
    mutant = sm.load(tmp_path / "KafkaStreamsClient.yaml").at("4.3.1")
    walks = (mutant.simulate(seed=seed, steps=300) for seed in range(60))
    assert any(
        one.property.name == name and one.verdict is Verdict.VIOLATED
        for walk in walks
        for one in walk.noticed
    )


@pytest.mark.parametrize("release", ["1.0.2", "2.1.1", "2.7.2", "2.8.0", "4.3.1"])
def test_no_walk_breaks_a_property(release: str) -> None:
    """In every era of the class."""
    walks = [SPEC.at(release).simulate(seed=seed, steps=200) for seed in range(5)]
    assert not any(one.verdict is Verdict.VIOLATED for walk in walks for one in walk.noticed)
