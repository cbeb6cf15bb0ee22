"""Rules of the streams application over logs: correct runs are never accused, planted faults are found, and what is not known is not guessed."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.systems import with_system_findings
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.snapshots import Advanced
from statemachines.model.evidence.reports import (
    CheckCounts,
    Finding,
    Instant,
    Place,
    ProcessReleases,
    Report,
    TimelineStep,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.notation import system_of
from tests.shipped import shipped_system

SPECS = [shipped_system("kafka/StreamsApplication"), shipped_system("kafka/TopicDeletion")]
MACHINES = {
    "c": ("kafka/KafkaStreams", "client"),
    "t": ("kafka/StreamThread", "thread"),
    "g": ("kafka/GlobalStreamThread", "thread"),
}
CLOSING = ["client.to_PENDING_SHUTDOWN", "client.to_PENDING_ERROR"]
ENDING = ["threads.to_PENDING_SHUTDOWN", "globalThread.to_PENDING_SHUTDOWN", "globalThread.close"]


def report(text: str, *, releases: str = "3.9.1", second: str = "") -> Report:
    """A report whose timeline has a row a line: `<ms> <who> <from> <to>`; who is `c:app`, `t:app-1`; lines of `second` are of another file."""
    rows = [
        _row(line.split(), number, second)
        for number, line in enumerate(filter(None, text.splitlines()), 1)
    ]
    return Report(
        Verdict.HOLDS, CheckCounts(), (), (ProcessReleases("app.log", releases, "given"),), (), (), (), (), tuple(sorted(rows, key=_instance)), ()
    )  # fmt: skip


def _row(words: list[str], number: int, second: str) -> TimelineStep:
    at, who, source, target = words
    machine, field = MACHINES[who[0]]
    place = Place("other.log" if second and who.startswith(second) else "app.log", number)
    return TimelineStep(
        machine, ((field, who[2:]),), "app.log", 1, Instant(int(at)), source, target, "told", place
    )


def _instance(step: TimelineStep) -> tuple[str, str]:
    return step.machine, str(step.instance)


def broken_rules(found: Report) -> tuple[Finding, ...]:
    """What the rules find in a report, beside what it found itself."""
    return with_system_findings(evolve(found, findings=()), SPECS, tolerance=1_000).findings


def judged(text: str, **named: str) -> list[tuple[str, Verdict]]:
    return [
        (found.message.split(":")[0], found.verdict)
        for found in broken_rules(report(text, **named))
    ]


START = """
1000 c:app CREATED REBALANCING
1010 t:app-1 CREATED STARTING
1010 t:app-2 CREATED STARTING
2000 t:app-1 STARTING PARTITIONS_ASSIGNED
2000 t:app-2 STARTING PARTITIONS_ASSIGNED
2500 t:app-1 PARTITIONS_ASSIGNED RUNNING
"""
GOOD = (
    START
    + "3000 t:app-2 PARTITIONS_ASSIGNED RUNNING\n3001 c:app REBALANCING RUNNING\n9000 t:app-1 RUNNING PENDING_SHUTDOWN\n"
)
EARLY = (
    START
    + "2600 c:app REBALANCING RUNNING\n3000 t:app-2 PARTITIONS_ASSIGNED RUNNING\n9000 t:app-1 RUNNING PENDING_SHUTDOWN\n"
)
BOTH = [("runningIsEarned", Verdict.VIOLATED), ("runningMeansAllRun", Verdict.VIOLATED)]


def test_a_client_that_waits_for_its_threads_is_fine() -> None:
    """The plain case."""
    assert judged(GOOD) == []


def test_a_client_that_runs_while_a_thread_restores_is_found() -> None:
    """Each line is legal by itself; together they are not."""
    assert judged(EARLY) == BOTH
    first: Finding = broken_rules(report(EARLY))[0]
    assert (first.kind, first.machine, first.instance) == (
        "broken rule",
        "kafka/StreamsApplication",
        (("client", "app"),),
    )
    assert first.place == Place("app.log", 7)
    assert "client RUNNING, app-1 RUNNING, app-2 PARTITIONS_ASSIGNED" in first.message
    assert first.spec is not None
    assert first.spec.file == "kafka/StreamsApplication.yaml"


def test_what_lasts_as_long_as_a_link_takes_is_no_break() -> None:
    """The line of a thread stands before that of its client."""
    assert (
        judged(
            GOOD.replace(
                "9000 t:app-1 RUNNING PENDING_SHUTDOWN",
                "9000 t:app-1 RUNNING PARTITIONS_REVOKED\n9010 c:app RUNNING REBALANCING",
            )
        )
        == []
    )


def test_between_files_what_lasts_less_than_the_tolerance_cannot_be_told() -> None:
    """400 ms of two files may be two clocks; 4 s are not."""
    assert [verdict for _, verdict in judged(EARLY, second="c")] == [
        Verdict.INCONCLUSIVE,
        Verdict.INCONCLUSIVE,
    ]
    assert (("runningMeansAllRun", Verdict.VIOLATED)) in judged(
        EARLY.replace("3000 t", "7000 t"), second="c"
    )


def test_at_the_end_of_the_log_the_answer_may_be_under_way() -> None:
    """The last line may be the first half of what follows."""
    cut = GOOD.replace("RUNNING PENDING_SHUTDOWN", "RUNNING PARTITIONS_REVOKED")
    assert judged(cut) == [("runningMeansAllRun", Verdict.INCONCLUSIVE)]
    late = cut + "9900 t:app-2 RUNNING PARTITIONS_REVOKED\n"
    assert judged(late) == [("runningMeansAllRun", Verdict.INCONCLUSIVE)]
    assert judged(late + "9950 c:app RUNNING REBALANCING\n") == [
        ("runningMeansAllRun", Verdict.INCONCLUSIVE)
    ]
    assert judged(late + "12000 c:app RUNNING REBALANCING\n") == [
        ("runningMeansAllRun", Verdict.VIOLATED)
    ]


def test_what_was_not_seen_is_not_guessed() -> None:
    """Up to 2.7.2 the global thread, whose lines may be hidden, can be why the client is in ERROR."""
    error = GOOD.replace(
        "9000 t:app-1 RUNNING PENDING_SHUTDOWN",
        "9000 c:app RUNNING ERROR\n9900 t:app-1 RUNNING PENDING_SHUTDOWN",
    )
    error += "12000 g:app-G RUNNING PENDING_SHUTDOWN\n"
    assert judged(error.replace(error.splitlines()[-1], ""), releases="2.7.2") == [
        ("errorMeansDead", Verdict.INCONCLUSIVE)
    ]
    with_global = "1001 g:app-G CREATED RUNNING\n"
    assert ("errorMeansDead", Verdict.VIOLATED) in judged(
        error.replace("1010 t:app-1", with_global + "1010 t:app-1"), releases="2.7.2"
    )


def test_a_rule_that_not_all_fitting_releases_have_accuses_nobody() -> None:
    """1.1.1 has no rule about an assignment; 3.9.1 has."""
    assert judged(EARLY, releases="2.8.0..") == BOTH
    assert judged(EARLY, releases="2.1.0..") == []


def test_threads_belong_to_the_client_whose_name_begins_theirs() -> None:
    """Two clients in one JVM: the other one's restoring threads keep nobody waiting."""
    other = START.replace("app", "app-other") + "9900 t:app-other-1 RUNNING PENDING_SHUTDOWN\n"
    assert judged(GOOD + other) == []
    assert judged(EARLY + other) == BOTH


CORRECT = [
    "s111_rebalance",
    "s211_rebalance",
    "s231_rebalance",
    "s251_rotated",
    "s282_death_replace",
    "s341_addremove",
    "s391_global",
    "s391_rebalance",
]


@pytest.mark.parametrize("name", CORRECT)
def test_a_real_run_is_not_accused_and_a_client_that_misses_its_rebalances_is(
    shared: Path, name: str
) -> None:
    """Without the lines by which the client becomes REBALANCING and RUNNING again it seems to run all the time."""
    found = sm.check(shared / "logs" / "captured" / name)
    assert broken_rules(found) == ()
    if name.endswith("_rebalance") and not name.startswith(("s111", "s211")):
        assert any(one.verdict is Verdict.VIOLATED for one in broken_rules(_missing(found)))


def _missing(found: Report) -> Report:
    """Take the client's rebalances after its first one out of a report."""
    kept, running = list[TimelineStep](), set[object]()
    for step in found.timeline:
        key = (step.process, step.instance)
        if (
            step.machine == MACHINES["c"][0]
            and key in running
            and {step.source, step.target} == {"RUNNING", "REBALANCING"}
        ):
            continue
        running |= {key} if step.machine == MACHINES["c"][0] and step.target == "RUNNING" else set()
        kept.append(step)
    return evolve(found, timeline=tuple(kept))


def walked(release: str, seed: int, hide: float) -> Report:
    """A walk as a report would tell it: an event every 100 ms, what links do a millisecond apart, some steps hidden."""
    without = [*(CLOSING if seed % 3 else []), *(ENDING if seed % 4 else [])]
    walk = simulate(
        system_of(SPECS[0], release),
        seed=seed,
        steps=40,
        scope=ExplorationScope({"Thread": 2}),
        without=without,
    )
    random, rows = Random(seed), list[TimelineStep]()
    before = dict(walk.begin.parts)
    for number, one in enumerate(walk.steps):
        for place, step in enumerate(one.answer.steps):
            held = before[step.part]
            source = held[step.key].state if isinstance(held, FrozenMap) else held.state
            before[step.part] = (
                FrozenMap({**held, step.key: step.answer.after})
                if isinstance(held, FrozenMap)
                else step.answer.after
            )
            if isinstance(step.answer, Advanced):
                told = random.random() >= hide
                name = (
                    f"app-{step.key}" if step.key else "app" if step.part == "client" else "app-G"
                )
                instance = ((MACHINES[step.part[0]][1], name),)
                at, line = Instant(100 * number + place), Place("app.log", len(rows) + 1)
                target, how = step.answer.after.state, "told" if told else "hidden"
                row = TimelineStep(
                    MACHINES[step.part[0]][0],
                    instance,
                    "app.log",
                    1,
                    at,
                    source,
                    target,
                    how,
                    line if told else None,
                )
                rows.append(row if told else evolve(row, at=None))
    return evolve(report("", releases=release), timeline=tuple(rows))


@given(
    release=st.sampled_from(["0.10.2.2", "1.0.2", "1.1.1", "2.3.1", "2.5.1", "2.8.2", "3.9.2"]),
    seed=st.integers(0, 400),
)
def test_no_walk_is_ever_accused(release: str, seed: int) -> None:
    """What the system itself allows, in any order, is a correct run."""
    assert [
        one.message
        for one in broken_rules(walked(release, seed, 0.0))
        if one.verdict is Verdict.VIOLATED
    ] == []


@given(
    release=st.sampled_from(["1.1.1", "2.3.1", "2.5.1", "2.8.2", "3.9.2"]),
    seed=st.integers(0, 400),
    hide=st.sampled_from([0.1, 0.4, 0.8]),
)
def test_hidden_steps_accuse_nobody(release: str, seed: int, hide: float) -> None:
    """A log that shows less says less; it never says something else."""
    assert [
        one.message
        for one in broken_rules(walked(release, seed, hide))
        if one.verdict is Verdict.VIOLATED
    ] == []


def too_early(log: Path, to: Path) -> tuple[int, str]:
    """Copy a log in which the client says RUNNING while its threads restore; return where, and the line."""
    lines = log.read_text("utf-8").splitlines(keepends=True)
    said = next(
        number
        for number, line in enumerate(lines)
        if "stream-client" in line and "REBALANCING to RUNNING" in line
    )
    place = (
        next(number for number, line in enumerate(lines) if "to PARTITIONS_ASSIGNED" in line) + 1
    )
    time, message = lines[place - 1][:26], lines.pop(said)[26:]
    lines.insert(place, time + message)
    to.write_text("".join(lines), "utf-8")
    return place + 1, (time + message).rstrip()


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in CORRECT
        if name.endswith("_rebalance") and not name.startswith(("s111", "s211"))
    ],
)
def test_check_finds_a_client_that_says_running_while_a_thread_restores(
    shared: Path, tmp_path: Path, name: str
) -> None:
    """The whole way from a changed line to the verdict, with the line as evidence and the place in the spec."""
    line, text = too_early(shared / "logs" / "captured" / name / "app1.log", tmp_path / "app1.log")
    found = sm.check(tmp_path)
    broken = [one for one in found.findings if one.kind == "broken rule"]
    assert found.verdict is Verdict.VIOLATED
    assert {(one.verdict, one.place, one.text) for one in broken} == {
        (Verdict.VIOLATED, Place("app1.log", line), text)
    }
    assert {one.spec.file for one in broken if one.spec} == {"kafka/StreamsApplication.yaml"}
    assert (
        next(row for row in found.machines if row.machine == SPECS[0].name).verdict
        is Verdict.VIOLATED
    )


def test_a_system_is_judged_where_it_or_the_whole_catalogue_is_named(
    shared: Path, tmp_path: Path
) -> None:
    """Who names one machine asks for nothing else; who names a system asks for its machines too."""
    too_early(shared / "logs" / "captured" / "s391_rebalance" / "app1.log", tmp_path / "app1.log")
    judged_by = {
        name: sm.check(tmp_path, specs=[name])
        for name in ("kafka/KafkaStreams", "kafka/StreamsApplication", "kafka/*")
    }
    assert [found.verdict is Verdict.VIOLATED for found in judged_by.values()] == [
        False,
        True,
        True,
    ]
    assert {row.machine for row in judged_by["kafka/StreamsApplication"].machines} == {
        SPECS[0].name,
        *(m for m, _ in list(MACHINES.values())[:2]),
    }


def test_findings_without_a_timeline_still_know_the_rules(shared: Path, tmp_path: Path) -> None:
    """Steps of the parts are kept for the rules, and left out of the report as asked."""
    too_early(shared / "logs" / "captured" / "s391_rebalance" / "app1.log", tmp_path / "app1.log")
    whole, without = sm.check(tmp_path), sm.check(tmp_path, timeline=False)
    assert without.findings == whole.findings
    assert list(without.timeline) == []


RESTARTED = GOOD.replace(
    "9000 t:app-1 RUNNING PENDING_SHUTDOWN\n",
    "9000 t:app-2 RUNNING PARTITIONS_REVOKED\n9001 c:app RUNNING REBALANCING\n",
)
AGAIN = """
20000 c:app CREATED REBALANCING
20010 t:app-1 CREATED STARTING
20020 t:app-1 STARTING PARTITIONS_ASSIGNED
20030 t:app-1 PARTITIONS_ASSIGNED RUNNING
20031 c:app REBALANCING RUNNING
30000 c:app RUNNING PENDING_SHUTDOWN
30010 t:app-1 RUNNING PENDING_SHUTDOWN
30020 t:app-1 PENDING_SHUTDOWN DEAD
30030 c:app PENDING_SHUTDOWN NOT_RUNNING
"""


def test_threads_of_a_killed_program_are_no_threads_of_the_next_one() -> None:
    """It died with two threads, one of them without partitions; the next one of its name has one thread."""
    assert judged(RESTARTED + AGAIN) == []
    assert judged("".join(RESTARTED.splitlines(keepends=True)[-2:]) + AGAIN) == []


@pytest.mark.parametrize("release", ["2.3.1", "2.5.1", "2.7.2", "2.8.2", "3.9.2"])
def test_no_single_line_that_is_lost_and_no_cut_of_one_file_breaks_a_rule(release: str) -> None:
    """What is missing may be doubted; it accuses nobody. Threads and client in one file, and in two, one of which is cut."""
    whole = (
        RESTARTED
        + "9500 t:app-2 PARTITIONS_REVOKED PARTITIONS_ASSIGNED\n9900 t:app-2 PARTITIONS_ASSIGNED RUNNING\n"
    ).splitlines()
    whole += [
        "9901 c:app REBALANCING RUNNING",
        "19000 c:app RUNNING PENDING_SHUTDOWN",
        "19001 t:app-1 RUNNING PENDING_SHUTDOWN",
    ]
    for place in range(len(whole)):
        lost = [line for number, line in enumerate(whole) if number != place]
        headless = [
            line for number, line in enumerate(whole) if number > place or " c:" not in line
        ]
        tailless = [line for number, line in enumerate(whole) if number < place or " c:" in line]
        for lines, second in ((lost, ""), (lost, "c"), (headless, "c"), (tailless, "c")):
            said = judged("\n".join(lines), releases=release, second=second)
            assert [name for name, verdict in said if verdict is Verdict.VIOLATED] == [], (
                lines,
                said,
            )
