"""`within`: what is late breaks a rule, at its line; what cannot be told accuses nobody.

Covers: statemachines.conform.join.deadlines, statemachines.notation.log_passes.episode_pass,
statemachines.notation.passes.spec_builder.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from tests.effort import some_of

DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {within: LIMIT}, GONE: {final: true}}
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}, {from: SHUT, to: GONE}]
log:
  instance: [door]
  shared: SHARED
  remembers: [allowed]
  patterns: {allowed: '\\d+'}
  logger: D
  level: INFO
  lines:
    - {text: "the door {door} went from {from} to {to}", says: step}
    - {text: "the door {door} may be open for {allowed} ms", says: note}
    - {text: "asked the door {door} to go to {to}", says: asked, within: 10 s}
    - {text: "the door {door} will not go to {to}", says: failed}
"""
OPENS, SHUTS = "the door 7 went from SHUT to OPEN", "the door 7 went from OPEN to SHUT"
ASKED, FAILS = "asked the door 7 to go to OPEN", "the door 7 will not go to OPEN"
Lines = list[tuple[int, str]]


def checked(
    folder: Path, lines: Lines, *, limit: str = "30 s", shared: bool = False, spec: str = DOOR
) -> Report:
    """Judge lines at so many milliseconds."""
    text = spec.replace("LIMIT", limit).replace("SHARED", str(shared).lower())
    (folder / "Door.yaml").write_text(text, "utf-8")
    written = [
        f"[2026-01-01 10:{ms // 60_000:02}:{ms // 1000 % 60:02},{ms % 1000:03}] INFO {text} (D)\n"
        for ms, text in lines
    ]
    (folder / "door.log").write_text("".join(written), "utf-8")
    return sm.check([folder / "door.log"], specs=[folder / "Door.yaml"], engine="local")


def late(report: Report) -> list[Finding]:
    """What was late, or may have been."""
    return [one for one in report.findings if one.kind == "broken rule"]


def counts(report: Report, rule: str) -> tuple[int, int, int]:
    """How often a deadline was decided, undecided, broken."""
    (row,) = [one for one in report.rules if one.claim == "within" and one.rule == rule]
    return row.judged, row.undecided, row.broken


def test_a_state_that_is_left_late_is_found_at_the_line_that_left_it(tmp_path: Path) -> None:
    """Thirty seconds are allowed, and no millisecond more."""
    report = checked(tmp_path, [(0, OPENS), (30_001, SHUTS)])
    (found,) = late(report)
    assert found.place is not None
    assert (found.verdict, found.place.line) == (Verdict.VIOLATED, 2)
    assert found.message == "OPEN too long: late by 1 ms, 30 s allowed"
    assert report.verdict is Verdict.VIOLATED
    assert counts(report, "OPEN too long") == (1, 0, 1)


def test_a_state_that_is_left_in_time_is_well(tmp_path: Path) -> None:
    """It is no incident either."""
    report = checked(tmp_path, [(0, OPENS), (30_000, SHUTS)])
    assert report.verdict is Verdict.HOLDS
    assert not report.incidents
    assert counts(report, "OPEN too long") == (1, 0, 0)


def test_what_goes_on_is_late_once_the_log_goes_on_for_longer(tmp_path: Path) -> None:
    """Until then it is undecided; later it is wrong now, and a rule was broken."""
    young = checked(tmp_path, [(0, OPENS), (29_000, "it rains")])
    assert young.verdict is Verdict.HOLDS
    assert counts(young, "OPEN too long") == (0, 1, 0)
    (why,) = [row.why for row in young.rules if row.rule == "OPEN too long"]
    assert why == "its time is not over yet at the end of the log"
    report = checked(tmp_path, [(0, OPENS), (31_000, "it rains")])
    (found,) = late(report)
    assert found.place is not None
    assert found.place.line == 1
    assert "late by 1 s at the end of the log, 30 s allowed" in found.message
    assert [(one.title, one.is_ill) for one in report.incidents] == [
        ("Door 7 is in OPEN too long", True)
    ]


def test_the_clocks_of_several_processes_may_be_apart(tmp_path: Path) -> None:
    """What lies within the tolerance, a second as shipped, is neither kept nor broken."""
    near = checked(tmp_path, [(0, OPENS), (30_900, SHUTS)], shared=True)
    assert near.verdict is Verdict.HOLDS
    assert counts(near, "OPEN too long") == (0, 1, 0)
    assert late(checked(tmp_path, [(0, OPENS), (31_001, SHUTS)], shared=True))


def test_the_limit_that_a_line_tells_counts(tmp_path: Path) -> None:
    """And the spec's own where none does."""
    limit = "{told: allowed, and: 5 s, otherwise: 1 min}"
    told = (0, "the door 7 may be open for 20000 ms")
    short = checked(tmp_path, [told, (10, OPENS), (26_000, SHUTS)], limit=limit)
    assert [one.message for one in late(short)] == ["OPEN too long: late by 990 ms, 25 s allowed"]
    assert not late(checked(tmp_path, [(10, OPENS), (26_000, SHUTS)], limit=limit))


def test_a_request_that_is_answered_late_is_found_at_the_answer(tmp_path: Path) -> None:
    """The answer is the state that was asked for, or a line that refuses."""
    report = checked(tmp_path, [(0, ASKED), (10_001, OPENS), (10_100, SHUTS), (11_000, FAILS)])
    (found,) = late(report)
    assert found.place is not None
    assert (found.place.line, found.message) == (2, "unanswered: late by 1 ms, 10 s allowed")
    refused = checked(tmp_path, [(0, ASKED), (9_000, FAILS), (60_000, "it rains")])
    assert not late(refused)
    assert counts(refused, "unanswered") == (1, 0, 0)


def test_a_request_that_nobody_answers_is_late_and_open(tmp_path: Path) -> None:
    """Asking again does not begin its time anew."""
    report = checked(tmp_path, [(0, ASKED), (9_000, ASKED), (12_000, "it rains")])
    (found,) = late(report)
    assert found.place is not None
    assert found.place.line == 1
    assert [one.title for one in report.incidents] == ["Door 7 has not done what it was asked to"]


def test_a_request_for_what_is_so_already_is_none(tmp_path: Path) -> None:
    """Nothing has to happen."""
    lines = [(0, OPENS), (1_000, ASKED), (20_000, "it rains")]
    assert not late(checked(tmp_path, lines))


def test_a_request_that_was_done_unseen_accuses_nobody(tmp_path: Path) -> None:
    """A later line shows that it was done, and none tells when."""
    report = checked(tmp_path, [(0, ASKED), (60_000, SHUTS)])
    assert not late(report)
    assert counts(report, "unanswered") == (0, 1, 0)
    assert not report.incidents


def test_steps_that_no_line_tells_may_have_been_between(tmp_path: Path) -> None:
    """Where a state may be left and entered again unseen, late is not sure."""
    silent = "{from: SHUT, to: OPEN, silent: true}, {from: OPEN, to: SHUT, silent: true}"
    spec = DOOR.replace("{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}", silent)
    (found,) = late(checked(tmp_path, [(0, OPENS), (40_000, SHUTS)], spec=spec))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "may have been between" in found.message


def test_what_ended_with_its_process_is_judged_by_the_time_of_its_end(tmp_path: Path) -> None:
    """An episode with `within` breaks its rule, and is reported as ever."""
    spec = DOOR.replace("{within: LIMIT}", "") + (
        "  episodes:\n    ajar: {while: state == 'OPEN', within: 30 s, title: '{door} is ajar'}\n"
    )
    report = checked(tmp_path, [(0, OPENS), (40_000, SHUTS), (41_000, OPENS)], spec=spec)
    assert [one.message for one in late(report)] == ["ajar: late by 10 s, 30 s allowed"]
    assert len(report.episodes) == 2


@settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    spans=st.lists(
        st.tuples(st.integers(0, 20_000), st.integers(1, 60_000)), min_size=1, max_size=8
    )
)
def test_each_planted_delay_is_found_at_its_line_and_nothing_else(
    tmp_path: Path, spans: list[tuple[int, int]]
) -> None:
    """A law over random logs: how long requests and states take, in any order."""
    lines, now, expected = list[tuple[int, str]](), 0, list[tuple[int, str]]()
    for waits, lasts in spans:
        lines += [(now, ASKED), (now + waits, OPENS), (now + waits + lasts, SHUTS)]
        expected += [(len(lines) - 1, "unanswered")] if waits > 10_000 else []
        expected += [(len(lines), "OPEN too long")] if lasts > 30_000 else []
        now += waits + lasts + 10
    report = checked(tmp_path, lines)
    found = [(one.place.line, one.message.partition(":")[0]) for one in late(report) if one.place]
    assert sorted(found) == sorted(expected)
    decided = counts(report, "unanswered")[0] + counts(report, "OPEN too long")[0]
    assert decided == 2 * len(spans)


@settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    spans=st.lists(
        st.tuples(st.integers(0, 9_000), st.integers(1, 29_000)), min_size=2, max_size=5
    ),
    data=st.data(),
)
def test_lines_that_are_lost_make_nothing_late(
    tmp_path: Path, spans: list[tuple[int, int]], data: st.DataObject
) -> None:
    """A law: a log in which all is in time, of which lines are missing; it may have been over before.

    A step and the one after it are not missing together: that they were taken, nothing shows.
    """
    lines, now = list[tuple[int, str]](), 0
    for waits, lasts in spans:
        lines += [(now, ASKED), (now + waits, OPENS), (now + waits + lasts, SHUTS)]
        now += waits + lasts + 30_000
    steps = [place for place, (_, text) in enumerate(lines) if text != ASKED]
    drawn = data.draw(st.sets(st.integers(0, len(steps) - 2), max_size=6))
    lost = {steps[place] for place in drawn if place - 1 not in drawn}
    report = checked(tmp_path, [one for place, one in enumerate(lines) if place not in lost])
    assert [one for one in late(report) if one.verdict is Verdict.VIOLATED] == []


HOUSE = """
notation: 1
family: house
releases: ["1.0"]
log:
  logger: H
  level: INFO
  lines:
    - {text: "the house is lit", says: process begins, samples: ["the house is lit"]}
    - {text: "the house is dark", says: process ends, samples: ["the house is dark"]}
"""
LIT, DARK, OTHER = "the house is lit", "the house is dark", "the door 8 went from SHUT to OPEN"


@pytest.mark.parametrize(
    ("lines", "verdicts"),
    [
        ([(0, OPENS), (90_000, LIT), (91_000, OTHER)], [Verdict.INCONCLUSIVE]),
        ([(0, OPENS), (90_000, LIT), (91_000, OPENS)], [Verdict.INCONCLUSIVE]),
        ([(0, OPENS), (10_000, DARK), (90_000, LIT), (91_000, OTHER)], []),
        ([(0, OPENS), (10_000, DARK), (90_000, LIT), (91_000, OPENS)], []),
        ([(0, OPENS), (60_000, "it rains")], [Verdict.VIOLATED]),
    ],
)
def test_what_ended_with_its_process_may_have_been_in_time(
    tmp_path: Path, lines: Lines, verdicts: list[Verdict]
) -> None:
    """A program that was killed or shut down leaves nothing open for as long as it was not running."""
    (tmp_path / "house.yaml").write_text(HOUSE, "utf-8")
    spec = DOOR.replace("machine: Door", "machine: Door\nfamily: house")
    assert [one.verdict for one in late(checked(tmp_path, lines, spec=spec))] == verdicts


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("LIMIT", "soon"), "a duration, such as `30 s`"),
        (("LIMIT", "{told: alowed, otherwise: 1 s}"), "no number that the instance remembers"),
        (("says: failed", "says: failed, within: 1 s"), "asks for something"),
    ],
)
def test_what_is_no_deadline_is_refused(
    tmp_path: Path, wrong: tuple[str, str], message: str
) -> None:
    """With what would be right."""
    with pytest.raises(sm.SpecError, match=message):
        checked(tmp_path, [], spec=DOOR.replace(*wrong))


def test_an_episode_of_several_has_no_deadline(tmp_path: Path) -> None:
    """What they have in common was ended by none of them."""
    episode = "    dark: {while: state == 'SHUT', of: [door], within: 1 s, title: 'dark'}\n"
    with pytest.raises(sm.SpecError, match="has no deadline"):
        checked(tmp_path, [], spec=f"{DOOR}  episodes:\n{episode}")


def test_a_deadline_that_was_never_looked_at_says_so(tmp_path: Path) -> None:
    """A report without it has looked."""
    report = checked(tmp_path, [(0, "the door 7 went from SHUT to GONE")])
    rows = [one for one in report.rules if one.claim == "within"]
    assert [(one.verdict, bool(one.why)) for one in rows] == [(None, True)] * 2
