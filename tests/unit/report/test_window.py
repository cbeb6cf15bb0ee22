"""`--since` and `--until` cut what is told, not what is judged.

Covers: statemachines.report.sections.past_states, statemachines.report.sections.time_window,
statemachines.semantics.evaluation.partial_evaluation.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

import statemachines as sm
from statemachines.model.evidence.reports import Instant
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.time_window import (
    MomentError,
    TimeWindow,
    parse_moment,
    report_within,
)
from tests.unit.report.handmade import EMPTY, FULL, NOON, at, finding

END = at(3600)


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
    ("text", "end"), [("yesterday", END), ("2h", None), ("12:30", Instant(None)), ("", END)]
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


def test_a_report_with_nothing_cut_keeps_its_verdict() -> None:
    """Inconclusive for want of anything seen stays so."""
    nothing = evolve(EMPTY, verdict=Verdict.INCONCLUSIVE)
    assert report_within(nothing, TimeWindow(0, None)).verdict is Verdict.INCONCLUSIVE
    early = evolve(EMPTY, verdict=Verdict.VIOLATED, findings=(finding(line=10),))
    assert report_within(early, TimeWindow(None, NOON + 10_000)).verdict is Verdict.VIOLATED


def test_the_states_are_those_of_the_windows_end() -> None:
    """Who asks how it was at three does not want to know how it is now: states, open episodes and the clock go back."""
    logs = Path(__file__).parent.parent.parent.parent / "examples" / "logs" / "dead_brokers"
    whole = sm.check(logs)
    end = max(source.last.ms or 0 for source in whole.sources if source.last)
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
