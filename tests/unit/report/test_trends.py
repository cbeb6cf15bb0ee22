"""Saved reports side by side: the numbers are those of the reports, in the order of time.

Covers: statemachines.report.making_differences.
"""

from __future__ import annotations

import json

import pytest
from attrs import evolve

from statemachines.model.evidence.quotes import EpisodeOutcome
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import to_json
from statemachines.report.saved_reports import NotAReport
from statemachines.report.trends import (
    read_trend,
    trend_csv,
    trend_json,
    trend_lines,
)
from tests.unit.report.handmade import EMPTY, FULL, at


def text_of(report: Report) -> str:
    return "".join(to_json(report))


def later(report: Report, seconds: float) -> Report:
    """The same report of logs that end later."""
    source = evolve(report.sources[0], last=at(seconds))
    return evolve(report, sources=(source, *report.sources[1:]))


def test_a_row_has_the_numbers_of_its_report() -> None:
    """Two episodes in two days are one a day; eight of nine lines were judged."""
    (row,) = read_trend([("a.json", text_of(later(FULL, 2 * 86_400)))])
    assert (row.verdict, row.violated, row.inconclusive) == ("VIOLATED", 1, 0)
    assert row.judged_percent == 88.9
    assert (row.episodes, row.open, row.episodes_a_day) == (2, 1, 1.0)


def test_a_minute_of_log_says_nothing_of_a_day() -> None:
    """Two episodes in a minute are not 2,880 a day."""
    (row,) = read_trend([("a.json", text_of(FULL))])
    assert row.episodes_a_day is None


def test_rows_stand_in_the_order_of_their_logs() -> None:
    """A shell sorts monday after friday."""
    reports = [("b", text_of(later(FULL, 99))), ("a", text_of(later(FULL, 98)))]
    assert [row.report for row in read_trend([*reports, ("empty", text_of(EMPTY))])] == [
        "empty",
        "a",
        "b",
    ]


def test_people_read_what_the_last_report_changed() -> None:
    """The table alone leaves the subtraction to the reader."""
    well = evolve(FULL, verdict=Verdict.HOLDS, findings=(), episodes=(), incidents=())
    rows = read_trend([("a", text_of(well)), ("b", text_of(later(FULL, 99)))])
    lines = list(trend_lines(rows))
    assert lines[-1] == (
        "Since a: WELL -> ILL, HOLDS -> VIOLATED, judged +0.0 points, findings +1, open episodes +1"
    )
    assert len({line.index("VIOLATED") for line in lines[2:3]}) == 1


def test_programs_read_the_same_rows() -> None:
    """Three forms of one table."""
    rows = read_trend([("a", text_of(FULL))])
    (told,) = json.loads("".join(trend_json(rows)))["reports"]
    head, values = "".join(trend_csv(rows)).splitlines()
    assert head.split(",") == list(told)
    assert values.split(",")[:4] == ["a", told["ends"], told["verdict"], "ill"]


def test_what_ended_without_having_recovered_is_over_and_not_healed() -> None:
    """In the report as data, and in the row; `health` has the values that it had."""
    ended = tuple(
        evolve(incident, outcome=EpisodeOutcome.ENDED, until=incident.since)
        for incident in FULL.incidents
        if incident.is_ill
    )
    for incidents, word, health in (
        (ended, "over", "healed"),
        (FULL.incidents, "ill", "ill"),
        ((), "well", "well"),
    ):
        text = text_of(evolve(FULL, incidents=incidents))
        assert (json.loads(text)["health_word"], json.loads(text)["health"]) == (word, health)
        (row,) = read_trend([("a", text)])
        assert (row.health_word, row.health) == (word, health)
        assert word.upper() in list(trend_lines([row]))[1]


def test_a_report_of_before_has_its_health_only() -> None:
    """Those that were saved stay readable."""
    data = json.loads(text_of(FULL))
    del data["health_word"]
    assert " ILL " in list(trend_lines(read_trend([("a", json.dumps(data))])))[1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "statemachines.baseline/1"}'])
def test_what_is_no_report_is_told(text: str) -> None:
    """A table with a hole would be read as one without."""
    with pytest.raises(NotAReport, match=r"a\.json: "):
        read_trend([("a.json", text)])


def test_reports_that_were_made_differently_are_told_apart() -> None:
    """A finding more may come of another spec, and not of the logs."""
    specs = dict.fromkeys("ABCDE", "1")
    made = [
        {"version": "0.1.0", "options": {}, "specs": specs},
        {"version": "0.1.0", "options": {}, "specs": specs},
        {"version": "0.2.0", "options": {"zone": "UTC"}, "specs": {**specs, "A": "2", "F": "1"}},
        {"version": "0.2.0", "options": {"zone": "UTC"}, "specs": {"A": "2"}},
    ]
    reports = [
        (f"{day}.json", text_of(evolve(later(FULL, 99 + day), made_with=made_with)))
        for day, made_with in enumerate(made)
    ]
    rows = read_trend(reversed(reports))
    assert [row.made_differently for row in rows] == [
        None,
        None,
        "version 0.1.0 -> 0.2.0, zone not given -> UTC, other spec A, with spec F",
        "without 5 specs B, C, D and 2 more",
    ]
    told = [row["made_differently"] for row in json.loads("".join(trend_json(rows)))["reports"]]
    assert told == [row.made_differently for row in rows]
    assert rows[2].made_differently is not None
    assert f'"{rows[2].made_differently}"' in "".join(trend_csv(rows))
    said = [text for text in trend_lines(rows) if text.startswith("Made differently")]
    assert said == [
        f"Made differently from {row.report} on: {row.made_differently}" for row in rows[2:]
    ]


def test_of_reports_that_do_not_say_it_nothing_is_said() -> None:
    """Those of before, and those of one making."""
    data = json.loads(text_of(FULL))
    del data["made_with"]
    rows = read_trend([("a", json.dumps(data)), ("b", text_of(later(FULL, 99)))])
    assert [row.made_differently for row in rows] == [None, None]
    assert not any("Made differently" in text for text in trend_lines(rows))
