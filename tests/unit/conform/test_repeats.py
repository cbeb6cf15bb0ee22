"""What happens again and again is counted by subject and reason, whatever the order of processes and files.

Covers: statemachines.conform.judge.instance.finding_list, statemachines.conform.judge.instance.line_before,
statemachines.conform.judge.repeats, statemachines.model.evidence.instance_names,
statemachines.report.sections.frequent_repeats, statemachines.report.text.repetitions.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.judge.repeats import (
    MOST_REASONS,
    OTHERS,
    add_reason,
    find_repeats,
    normalise_reason,
)
from statemachines.model.evidence.instance_names import instance_name, whole_finder
from statemachines.model.evidence.reports import Episode, InstanceKey, Instant, Place, Quote, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import to_json
from statemachines.report.text.document import to_text
from tests.effort import some_of

SPEC = """
notation: 1
machine: Till
states: {OPEN: {initial: true}, STUCK: {}, SHUT: {final: true}}
transitions:
  - {from: OPEN, to: STUCK}
  - {from: STUCK, to: OPEN}
  - {from: OPEN, to: SHUT}
log:
  instance: [till]
  patterns: {till: '[a-z]+', reason: '.+'}
  lines:
    - {text: "till {till} is stuck now (because of {reason})", says: step, from: OPEN, to: STUCK, logger: shop.Till, level: INFO,
       samples: ["till a is stuck now (because of a coin)"]}
    - {text: "till {till} works again", says: step, from: STUCK, to: OPEN, logger: shop.Till, level: INFO, samples: ["till a works again"]}
    - {text: "till {till} was hit by {*}", says: note, mark: was hit, logger: shop.Till, level: INFO, samples: ["till a was hit by me"]}
    - {text: "till {till} asks to be shut", says: asked, to: SHUT, mark: wants to end, logger: shop.Till, level: INFO,
       samples: ["till a asks to be shut"]}
    - {text: "till {till} was looked at", says: note, logger: shop.Till, level: INFO, samples: ["till a was looked at"]}
  episodes:
    stuck: {while: "state == 'STUCK'", title: "{till} is stuck"}
"""


def checked(tmp_path: Path, *messages: str, spec: str = SPEC) -> Report:
    """Judge a log with a line a second."""
    (tmp_path / "till.yaml").write_text(spec, "utf-8")
    lines = [
        f"[2026-01-01 10:{second // 60:02}:{second % 60:02},000] INFO {message} (shop.Till)\n"
        for second, message in enumerate(messages)
    ]
    (tmp_path / "till.log").write_text("".join(lines), "utf-8")
    return sm.check([tmp_path / "till.log"], specs=[tmp_path / "till.yaml"])


STUCK = (
    "till a is stuck now (because of coin 17)",
    "till a works again",
    "till a is stuck now (because of coin 4)",
    "till a works again",
)


@pytest.mark.parametrize(
    "says", ["note", "asked, to: SHUT", "step, to: SHUT", "is, state: SHUT", "end"]
)
def test_a_mark_is_counted_whatever_its_line_says_of_states(tmp_path: Path, says: str) -> None:
    """One that ends a life counts like others: somebody was put out, and is gone."""
    asks = "says: asked, to: SHUT, mark: wants to end"
    assert asks in SPEC
    spec = SPEC.replace(asks, f"says: {says}, mark: wants to end")
    report = checked(tmp_path, "till a asks to be shut", spec=spec)
    assert [(row.kind, row.count) for row in report.repeated] == [("wants to end", 1)]


def test_episodes_of_a_subject_are_counted_with_their_reasons(tmp_path: Path) -> None:
    """How many, how far apart, how long in all, why, and whether it settled: numbers in a reason make no new one."""
    found = checked(tmp_path, *STUCK, "till b is stuck now (because of dust)", "till b works again")
    (row,) = found.repeated
    assert (row.kind, row.subject, row.count, row.reasons) == (
        "stuck",
        (("till", "a"),),
        2,
        (("coin …", 2),),
    )
    assert row.first is not None
    assert row.last is not None
    assert (row.first.ms or 0) + 2_000 == row.last.ms
    assert (row.longest_ms, row.total_ms, row.open, row.place.line) == (1_000, 2_000, False, 1)


def test_one_that_goes_on_is_not_settled(tmp_path: Path) -> None:
    """The report says what still is so, and why."""
    found = checked(tmp_path, *STUCK, "till a is stuck now (because of dust)")
    assert [(row.count, row.open, dict(row.reasons)) for row in found.repeated] == [
        (3, True, {"coin …": 2, "dust": 1})
    ]
    assert any("↻ a is stuck, 3 times" in line for line in to_text(found))


def test_what_a_line_is_counted_for_is_told_from_its_first_time_on(tmp_path: Path) -> None:
    """It tells nothing of states: the machine is judged as without it."""
    found = checked(
        tmp_path,
        STUCK[0],
        "till a was hit by me",
        "till a was looked at",
        "till a was hit by you",
        STUCK[1],
    )
    assert [
        (row.kind, row.count, row.place.line, row.last_place.line) for row in found.repeated
    ] == [("was hit", 2, 2, 4)]
    assert (found.checked.observations, found.checked.steps) == (2, 2)
    assert '"kind": "was hit"' in "".join(to_json(found))


def test_what_was_asked_for_is_counted_too(tmp_path: Path) -> None:
    """A request moves no state either."""
    found = checked(
        tmp_path, STUCK[0], "till a asks to be shut", STUCK[1], "till a asks to be shut"
    )
    assert [
        (row.kind, row.count, row.place.line, row.last_place.line) for row in found.repeated
    ] == [("wants to end", 2, 2, 4)]
    assert (found.checked.steps, found.verdict) == (2, Verdict.HOLDS)


def test_a_log_of_marks_alone_shows_no_state(tmp_path: Path) -> None:
    """Who was hit is known, what it did is not."""
    found = checked(tmp_path, "till a was hit by me")
    assert found.verdict is Verdict.INCONCLUSIVE
    assert [(row.kind, row.count) for row in found.repeated] == [("was hit", 1)]
    assert found.now == ()


def test_reasons_without_end_are_counted_as_others() -> None:
    """Memory does not grow with a log."""
    reasons: tuple[tuple[str, int], ...] = ()
    for number in range(1_000):
        reasons = add_reason(
            reasons, "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
        )
    assert len(reasons) == MOST_REASONS + 1
    assert dict(reasons)[OTHERS] == 1_000 - MOST_REASONS


def episode(subject: str, second: int, reason: str) -> Episode:
    quote = Quote(Place("a.log", second + 1), "")
    return Episode(
        "stuck",
        "shop/Till",
        (("till", subject),),
        "",
        Instant(second * 1_000),
        Instant(second * 1_000 + 500),
        False,
        quote,
        "a",
        reason,
    )


@given(
    told=st.lists(
        st.tuples(
            st.sampled_from("abc"), st.integers(0, 50), st.sampled_from(["coin 1", "dust", ""])
        ),
        unique_by=lambda t: t[1],
    ),
    seed=st.integers(0, 9),
)
def test_counting_does_not_depend_on_the_order_of_processes(
    told: list[tuple[str, int, str]], seed: int
) -> None:
    """Several processes may tell of one subject, one after the other in the report."""
    episodes = [episode(*one) for one in told]
    mixed = random.Random(seed).sample(episodes, len(episodes))
    rows = find_repeats(mixed, ())
    assert {
        (row.subject, row.count, row.first, row.last, frozenset(row.reasons)) for row in rows
    } == {
        (row.subject, row.count, row.first, row.last, frozenset(row.reasons))
        for row in find_repeats(episodes, ())
    }
    counts = {subject: sum(one[0] == subject for one in told) for subject in "abc"}
    assert {row.subject[0][1]: row.count for row in rows} == {
        subject: count for subject, count in counts.items() if count > 1
    }
    for row in rows:
        assert sum(times for _, times in row.reasons) == sum(
            1 for one in told if one[0] == row.subject[0][1] and one[2]
        )


def test_what_differs_from_time_to_time_is_left_out() -> None:
    """Names with numbers differ; words do not."""
    assert (
        normalise_reason("removing member app-7f3a-1 on heartbeat expiration")
        == "removing member … on heartbeat expiration"
    )


@given(
    wholes=st.lists(st.text("ab-", min_size=1, max_size=4), min_size=2, unique=True),
    part=st.text("ab-", max_size=8),
)
def test_a_part_belongs_to_the_longest_name_that_ends_where_its_own_goes_on(
    wholes: list[str], part: str
) -> None:
    """The slow way to say it: try every whole."""
    keys: list[InstanceKey] = [(("whole", name),) for name in wholes]
    fitting = [
        name
        for name in wholes
        if part.startswith(name) and not part[len(name) : len(name) + 1].isalnum()
    ]
    found = whole_finder(keys)((("part", part),))
    assert (None if found is None else instance_name(found)) == max(fitting, key=len, default=None)


def test_an_episode_is_blamed_on_the_last_marked_line_before_it(tmp_path: Path) -> None:
    """What broke it is told before it breaks; without such a line the one that opened it is shown."""
    spec = SPEC.replace('title: "{till} is stuck"', 'title: "{till} is stuck", because: was hit')
    hit = (
        "till a was hit by me",
        "till a was hit by you",
        "till b was hit by you",
        STUCK[0],
        STUCK[1],
        STUCK[2],
    )
    (tmp_path / "till.yaml").write_text(spec, "utf-8")
    lines = [
        f"[2026-01-01 10:{second // 60:02}:{second % 60:02},000] INFO {message} (shop.Till)\n"
        for second, message in enumerate(hit)
    ]
    (tmp_path / "till.log").write_text("".join(lines), "utf-8")
    found = sm.check([tmp_path / "till.log"], specs=[tmp_path / "till.yaml"])
    assert [
        (one.since.ms or 0, one.blame.place.line)
        for one in found.episodes
        if one.since and one.blame
    ] == [
        (1767261603000, 2),
        (1767261605000, 6),
    ]
    (without,) = checked(tmp_path, *hit[3:5]).episodes
    assert without.blame is not None
    assert without.blame.place.line == 1


def test_what_a_line_says_once_is_not_again_and_again(tmp_path: Path) -> None:
    """Once is no repetition; twice is. The row stays for programs, which count for themselves."""
    told = list(to_text(checked(tmp_path, STUCK[0], "till a was hit by me", STUCK[1])))
    assert "Again and again" not in told
    twice = list(
        to_text(
            checked(
                tmp_path,
                STUCK[0],
                "till a was hit by me",
                "till b was hit by me",
                "till a was hit by you",
            )
        )
    )
    assert [
        line.split("  ")[1].strip()
        for line in twice[twice.index("Again and again") + 1 :]
        if "↻" in line
    ] == ["↻ Till a was hit, 2 times"]


def test_a_mark_that_explains_what_is_wrong_now_is_told_there(tmp_path: Path) -> None:
    """It was said once, and is the answer to why: the episode quotes its line."""
    spec = SPEC.replace('title: "{till} is stuck"', 'title: "{till} is stuck", because: was hit')
    (tmp_path / "own.yaml").write_text(spec, "utf-8")
    checked(tmp_path, "till a was hit by me", STUCK[0])
    told = list(to_text(sm.check([tmp_path / "till.log"], specs=[tmp_path / "own.yaml"])))
    assert "Again and again" not in told
    (ill,) = [line for line in told if "✗ a is stuck" in line]
    assert "till.log:1" in "\n".join(told[told.index(ill) :][:3])


@given(lives=st.integers(1, 400))
@settings(max_examples=some_of(10), deadline=None)
def test_findings_are_counted_and_listed_up_to_a_bound(
    tmp_path_factory: pytest.TempPathFactory, lives: int
) -> None:
    """However often a till begins again, each time is counted: a report that grows with the lines of a log is read by nobody."""
    report = checked(tmp_path_factory.mktemp("tills"), *[STUCK[0]] * (lives + 1))
    assert sum(finding.count for finding in report.findings) == lives
    assert len(report.findings) <= 101
    last = report.findings[-1]
    assert lives <= 100 or last.last is None or last.last.line == lives + 1


def test_what_a_report_leaves_out_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tills of which more are wrong than a report lists: the number of what cannot be told stays that of the log."""
    monkeypatch.setattr("statemachines.conform.join.report_assembly.MOST_LISTED", 3)
    names = "abcdefgh"
    twice = [f"till {name} is stuck now (because of dust)" for name in names for _ in range(2)]
    report = checked(tmp_path, *twice)
    assert [finding.count for finding in report.findings] == [1, 1, 6]
    assert report.findings[-1].last is not None
    assert report.findings[-1].last.line == 16
    assert "5 more of this kind" in report.findings[-1].message
    assert any("8 cannot be told" in line for line in to_text(report))
