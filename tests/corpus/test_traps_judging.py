"""What surprises in real logs, and what a judge must not conclude from it: a test a point of the captures' own lists."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from statemachines.model.evidence.reports import TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from tests.corpus.captures import CAPTURED, at, moves, report, told, truth

pytestmark = [pytest.mark.corpus, pytest.mark.usefixtures("shared")]


def by_instance(steps: list[TimelineStep]) -> dict[tuple[object, ...], list[TimelineStep]]:
    found: dict[tuple[object, ...], list[TimelineStep]] = defaultdict(list)
    for step in steps:
        found[step.process, step.instance].append(step)
    return found


def test_times_that_step_back_are_no_disorder() -> None:
    """Two threads stamp before they write: a small step back proves nothing (streams 1)."""
    lines = (CAPTURED / "s391_overwritten" / "app1.log").read_text("utf-8").splitlines()
    assert lines[1183][1:24] < lines[1182][1:24]
    assert not [
        f for line in range(1180, 1190) for f in at(report("s391_overwritten"), "app1.log", line)
    ]


def test_each_instance_keeps_its_own_order_whatever_others_do() -> None:
    """Lines of different threads may stand the other way round (streams 2, 3 of the controller's list)."""
    for steps in by_instance(told(report("s251_rotated"), "StreamThread")).values():
        assert [a.target for a in steps[:-1]] == [b.source for b in steps[1:]]


def test_a_client_that_a_dead_thread_holds_back_is_told_and_no_violation() -> None:
    """1.1.1 never comes back to RUNNING after a death; that is legal and an open matter until it is closed (streams 9)."""
    seen = report("s111_death_one", "app1.log")
    assert seen.verdict is Verdict.HOLDS
    held = [e for e in seen.episodes if e.kind == "client_not_running"]
    dead = [e for e in seen.episodes if e.kind == "thread_dead"]
    last = max(held, key=lambda e: e.since.ms or 0 if e.since else 0)
    assert last.since is not None
    assert any(e.since is not None and (e.since.ms or 0) < (last.since.ms or 0) for e in dead)


def test_in_2_5_1_a_dead_thread_does_not_hold_the_client_back() -> None:
    """The rule of 1.1.1 must not be carried over (streams 10)."""
    seen = report("s251_death_one", "app1.log")
    dead = min((e.since.ms or 0) for e in seen.episodes if e.kind == "thread_dead" and e.since)
    client = told(seen, "KafkaStreams")
    assert any(step.target == "RUNNING" and step.at and (step.at.ms or 0) > dead for step in client)
    assert seen.verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", ["s251_outage", "s282_outage", "s391_outage"])
def test_an_outage_without_a_line_is_neither_gap_nor_violation(name: str) -> None:
    """The client stays RUNNING while the broker is away (streams 11)."""
    assert report(name).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("s391_overwritten", 1463),
        ("s391_overwritten_legal", 1390),
        ("s391_overwritten_legal", 1424),
    ],
)
def test_overwritten_states_show_though_each_step_is_legal_by_itself(name: str, line: int) -> None:
    """The line tells a from-state that nobody led to (streams 17)."""
    found = {f.kind for f in at(report(name), "app1.log", line)}
    assert found & {"gap", "impossible", "began again"}


def test_a_swallowed_request_looks_exactly_like_a_lost_line() -> None:
    """1.1.1 swallows it without a word: a gap, and no accusation (streams 18)."""
    seen = report("s111_overwritten")
    assert "gap" in {f.kind for f in seen.findings if f.verdict is Verdict.INCONCLUSIVE}


def test_hidden_levels_of_a_whole_machine_are_no_gaps() -> None:
    """app1 shows only client lines, app2 only thread lines (streams 43)."""
    for name in ("s251_levels", "s391_levels"):
        seen = report(name)
        assert seen.verdict is Verdict.HOLDS
        assert {s.machine.rpartition("/")[2] for s in seen.timeline if s.how == "told"} >= {
            "KafkaStreams",
            "StreamThread",
        }


@pytest.mark.parametrize(
    "name", ["c01022_failover", "c111_failover", "c251_failover", "c391_failover"]
)
def test_a_deposed_controller_never_decides_what_is_now(name: str) -> None:
    """Its late lines are judged in their own epoch; now is the newest epoch's word (controller 1, 3, 5)."""
    seen = report(name)
    newest: dict[tuple[object, ...], int] = {}
    for step in told(seen, "PartitionStateMachine"):
        key = dict(step.instance)
        subject = (key["topic"], key["partition"])
        newest[subject] = max(int(key["epoch"]), newest.get(subject, 0))
    lines = {
        (s.place.file, s.place.line): int(dict(s.instance)["epoch"])
        for s in told(seen, "PartitionStateMachine")
        if s.place
    }
    for now in seen.now:
        if (
            now.machine.endswith("PartitionStateMachine")
            and now.place
            and (now.place.file, now.place.line) in lines
        ):
            key = dict(now.subject)
            assert lines[now.place.file, now.place.line] == newest[key["topic"], key["partition"]]
    assert seen.verdict is Verdict.HOLDS


def test_repeated_failures_of_one_dead_leader_are_one_row_and_one_episode() -> None:
    """Every later event writes the ERROR line again (controller 7)."""
    seen = report("c111_election")
    failed = [
        f for f in seen.findings if f.kind == "failed" and dict(f.instance).get("topic") == "moves"
    ]
    assert any(f.count > 1 for f in seen.findings if f.kind == "failed") or failed
    episodes = Counter((e.subject, e.since) for e in seen.episodes if e.kind == "leaderless")
    assert max(episodes.values()) == 1


def test_a_level_that_shows_no_step_at_all_is_told_as_such() -> None:
    """2.5.1 at INFO has only ERROR lines; nothing may be called missing (controller 11)."""
    seen = report("c251_info")
    assert told(seen, "PartitionStateMachine") == []
    assert not [f for f in seen.findings if f.verdict is not Verdict.HOLDS]


def test_an_overwritten_state_that_looks_like_a_hidden_step_is_taken_for_one() -> None:
    """At INFO of 2.6 and later nothing tells them apart; that is a limit, and it is said in the docs (controller 13)."""
    entries = [f for f in truth("c352_overwritten")["forced"] if f["outcome"] == "overwritten"]
    assert entries
    assert not [f for f in report("c352_overwritten").findings if f.kind == "forbidden"]


def test_at_trace_an_overwritten_state_shows_in_an_error_line() -> None:
    """A judge that ignores the from-state of ERROR lines would miss it (controller 13)."""
    seen = report("c111_overwritten")
    assert at(seen, "broker3/state-change.log", 85)
    assert at(seen, "broker3/state-change.log", 106)


@pytest.mark.parametrize("name", ["c01022_life", "c111_life", "c251_life", "c391_life"])
def test_a_clean_stop_leaves_a_single_copy_without_a_leader_until_it_is_back(name: str) -> None:
    """Not a fault of the controller, and people want to know (controller 15)."""
    subjects = {
        tuple(dict(e.subject).values())
        for e in report(name).episodes
        if e.kind == "leaderless" and not e.open
    }
    assert ("pay-ments-2", 0) in subjects


def test_short_leaderless_moments_are_episodes_that_end() -> None:
    """Between the loss of a broker and the election it is normal (controller 16)."""
    short = [e for e in report("c352_failover").episodes if e.kind == "leaderless"]
    assert all(not e.open for e in short)


def test_an_hourly_roll_in_another_zone_is_one_log_in_order() -> None:
    """The part with the suffix is older; times are told as unknown, five hours and more ahead (controller 26)."""
    seen = report("c251_rolled")
    assert seen.verdict is Verdict.HOLDS
    assert {source.zone for source in seen.sources} == {"unknown"}
    for steps in by_instance(told(seen, "PartitionStateMachine")).values():
        assert [a.target for a in steps[:-1]] == [b.source for b in steps[1:]]


def test_a_flood_of_one_line_is_one_row(tmp_path: Path) -> None:
    """173,000 times the same must not become 173,000 findings (streams 38)."""
    from tests.doors import House

    house = House(tmp_path)
    failure = "ERROR Door d did not get from OPEN to CLOSED"
    seen = house.judge("House software version 1.1", *[failure] * 20_000)
    assert [(f.kind, f.count) for f in seen.findings] == [("failed", 20_000)]


def test_the_signs_of_a_killed_process_let_its_names_begin_again() -> None:
    """SIGKILL leaves no line; the next process has the same client and thread names (streams 28)."""
    seen = report("s251_restart")
    assert seen.verdict is Verdict.HOLDS
    assert max(step.life for step in seen.timeline) == 2
    assert "ended unseen" in {step.how for step in seen.timeline}


def test_names_that_are_used_again_are_new_lives_and_never_dead_to_created() -> None:
    """Thread numbers come back from 2.8 on (streams 19)."""
    seen = report("s391_death_replace")
    assert seen.verdict is Verdict.HOLDS
    assert not [step for step in seen.timeline if (step.source, step.target) == ("DEAD", "CREATED")]
    assert max(step.life for step in seen.timeline if step.machine.endswith("StreamThread")) >= 2


def test_the_older_release_tells_the_forced_step_once() -> None:
    """0.10.2.1: the WARN line is the step, and a request to go on is asked of a thread that is over (streams 8)."""
    seen = report("s01021_forced")
    forced = [f for f in seen.findings if f.kind == "forbidden"]
    assert forced
    assert {f.verdict for f in forced} == {Verdict.VIOLATED}
    assert "RUNNING -> NOT_RUNNING" in moves(told(seen, "StreamThread"))
