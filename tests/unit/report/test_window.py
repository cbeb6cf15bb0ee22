"""`--since` and `--until` cut what is told, not what is judged.

Covers: statemachines.report.sections.past_states, statemachines.report.sections.time_window,
statemachines.semantics.evaluation.partial_evaluation.
"""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Instant
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.markdown_format import to_markdown
from statemachines.report.sections.time_window import (
    MomentError,
    TimeWindow,
    parse_moment,
    report_within,
)
from statemachines.report.text.document import to_text
from tests.doors import START, line
from tests.unit.report.handmade import EMPTY, FULL, NOON, at, finding

END = at(3600)
_LOGS = Path(__file__).parent.parent.parent.parent / "examples" / "logs"
DEAD = sm.check(_LOGS / "dead_brokers")
END_OF_DEAD = max(source.last.ms or 0 for source in DEAD.sources if source.last)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-11-21T12:00", NOON),
        ("2026-11-21T13:00:00+01:00", NOON),
        ("2026-11-21 12:00:00.250", NOON + 250),
        ("12:30", NOON + 1_800_000),
        ("12:30:10.5", NOON + 1_810_500),
        ("30m", NOON + 1_800_000),
        ("1.5h", NOON - 1_800_000),
        ("2026-11-21", NOON - 12 * 3_600_000),
    ],
)
def test_a_moment_may_be_written_in_the_ways_people_write_it(text: str, ms: int) -> None:
    """A date, a time of the last day, or how long before the end."""
    assert parse_moment(text, END) == ms


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("yesterday", END),
        ("2h", None),
        ("12:30", Instant(None)),
        ("", END),
        ("25:00", END),
        ("12:60", END),
        ("12:30:61", END),
    ],
)
def test_what_is_no_moment_is_refused_with_what_would_be(text: str, end: Instant | None) -> None:
    """A typo must not silently report everything."""
    with pytest.raises(MomentError, match=r"write 2026-11-21T15:30|tells no time"):
        parse_moment(text, end)


def test_findings_steps_and_episodes_outside_are_left_out() -> None:
    """The person asked about the last minutes."""
    cut = report_within(FULL, TimeWindow(NOON + 59_000, None))
    assert [row.kind for row in cut.findings] == ["failed"]
    assert [row.how for row in cut.timeline] == ["hidden"]
    assert [row.subject for row in cut.episodes] == [FULL.episodes[0].subject]
    assert cut.verdict is Verdict.HOLDS
    assert cut.now == FULL.now


@pytest.mark.parametrize(
    ("window", "named"),
    [
        (TimeWindow(NOON + 86_400_000, None), "reported from 2026-11-22 12:00:00 on, of"),
        (TimeWindow(None, NOON - 86_400_000), "reported until 2026-11-20 12:00:00, of"),
    ],
)
def test_a_window_outside_the_log_decides_nothing(window: TimeWindow, named: str) -> None:
    """It must not read as if all were well, and the day is said that is not the log's."""
    cut = report_within(FULL, window)
    assert (cut.findings, cut.verdict) == ((), Verdict.INCONCLUSIVE)
    assert named in "\n".join(to_text(cut))


def test_incidents_outside_are_left_out_and_the_window_is_named() -> None:
    """What was over before is not told as if it were of the last minutes, in any form."""
    cut = report_within(FULL, TimeWindow(NOON + 59_000, None))
    assert [one.title for one in cut.incidents] == ["order 7 is not paid"]
    told = list(to_text(cut))
    assert told[2].startswith("  reported from 12:00:59 on, of 2026-11-21 12:00:00 to 12:01:00 ")
    assert "order 8" not in "\n".join(told)
    assert "order 8 is not paid" not in "".join(to_markdown(cut))
    assert "reported from 12:00:59 on" in "".join(to_markdown(cut))
    assert cut.made_with["window"] == {"since": "2026-11-21T12:00:59.000", "until": None}


def test_an_incident_that_ended_later_goes_on_at_the_end_of_the_window() -> None:
    """It is told as its episode is: open, and in its normal time where it was no trouble yet."""
    cut = report_within(FULL, TimeWindow(None, NOON + 9_000))
    assert [one.number for one in cut.incidents] == [1, 2]
    assert all(one.is_ill and one.until is None for one in cut.incidents)
    normal = tuple(evolve(one, normal_ms=10_000) for one in FULL.incidents)
    young = report_within(evolve(FULL, incidents=normal), TimeWindow(None, NOON + 9_000))
    assert [one.is_ill for one in young.incidents] == [False, False]
    assert "Now (12:00:09, the end of what is reported)" in list(to_text(cut))


@given(since=st.integers(0, 40), until=st.integers(0, 40))
def test_no_incident_and_no_effect_outside_a_window_is_told(since: int, until: int) -> None:
    """A law, whatever the window: what is told overlaps it, and nothing ends after it."""
    window = TimeWindow(END_OF_DEAD - since * 1000, END_OF_DEAD - until * 1000)
    if since < until:
        return
    for incident in report_within(DEAD, window).incidents:
        for row in (incident, *incident.effects):
            assert row.since is None or (row.since.ms or 0) <= END_OF_DEAD - until * 1000
            assert row.until is None or (row.until.ms or 0) <= END_OF_DEAD - until * 1000
        assert incident.until is None or (incident.until.ms or 0) >= END_OF_DEAD - since * 1000


def test_a_report_with_nothing_cut_keeps_its_verdict() -> None:
    """Inconclusive for want of anything seen stays so."""
    nothing = evolve(EMPTY, verdict=Verdict.INCONCLUSIVE)
    assert report_within(nothing, TimeWindow(0, None)).verdict is Verdict.INCONCLUSIVE
    early = evolve(EMPTY, verdict=Verdict.VIOLATED, findings=(finding(line=10),))
    assert report_within(early, TimeWindow(None, NOON + 10_000)).verdict is Verdict.VIOLATED


def test_the_states_are_those_of_the_windows_end() -> None:
    """Who asks how it was at three does not want to know how it is now: states, open episodes and the clock go back."""
    whole, end = DEAD, END_OF_DEAD
    cut = report_within(whole, TimeWindow(None, end - 17_000))
    states = {
        " ".join(str(value) for _, value in now.subject): now.state
        for now in cut.now
        if now.machine == "kafka/PartitionStateMachine"
    }
    assert (states["solo 0"], states["orders 2"]) == (("OfflinePartition",), ("OnlinePartition",))
    assert {(episode.title, episode.open) for episode in cut.episodes} == {
        ("solo-0 has no leader", True),
        ("broker 2 is down", True),
    }
    assert max(source.last.ms or 0 for source in cut.sources if source.last) == end - 17_000
    again = report_within(whole, TimeWindow(None, end))
    told = [
        (now.machine, now.subject, now.state)
        for now in whole.now
        if now.machine == "kafka/PartitionStateMachine"
    ]
    assert {(now.machine, now.subject, now.state) for now in again.now} >= set(told)


SLOW = r"""
notation: 1
machine: Kiln
states:
  COLD: {initial: true}
  HOT:
transitions:
  - {from: COLD, to: HOT}
  - {from: HOT, to: COLD}
log:
  instance: [kiln]
  patterns: {kiln: '\w+'}
  lines:
    - {text: "Kiln {kiln} goes from {from} to {to}", says: step, logger: house.Kiln, level: INFO}
  episodes:
    too_hot: {while: "state == 'HOT'", longer than: 30 s, title: "{kiln} is hot for too long"}
"""


@pytest.mark.parametrize("ends", [False, True], ids=["goes on", "is over later"])
@pytest.mark.parametrize(("until", "is_ill"), [(20, False), (29, False), (31, True)])
def test_what_was_not_too_long_by_then_was_no_trouble(
    tmp_path: Path, until: int, is_ill: bool, ends: bool
) -> None:
    """At the end of the window nobody would have been woken."""
    (tmp_path / "Kiln.yaml").write_text(SLOW, "utf-8")
    moves = [(0, "COLD to HOT", "a"), (60, "HOT to COLD", "a" if ends else "b")]
    (tmp_path / "kiln.log").write_text(
        "".join(
            f"{line(f'Kiln {kiln} goes from {move}', seconds, logger='house.Kiln')}\n"
            for seconds, move, kiln in moves
        ),
        "utf-8",
    )
    whole = sm.check(tmp_path / "kiln.log", specs=[tmp_path / "Kiln.yaml"], engine="local")
    begins = int(START.replace(tzinfo=UTC).timestamp() * 1000)
    cut = report_within(whole, TimeWindow(None, begins + until * 1000))
    assert (cut.health.name == "ILL", bool(cut.episodes)) == (is_ill, is_ill)
