"""Known findings are left out, new ones are not, wherever they stand.

Covers: statemachines.report.baseline.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

import statemachines as sm
from statemachines.cli.outcomes import exit_codes
from statemachines.model.evidence.incidents import Health
from statemachines.model.evidence.quotes import EpisodeOutcome
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.baseline import (
    BASELINE_FORMAT,
    BaselineError,
    read_baseline,
    report_without_known,
    to_baseline,
)
from statemachines.report.json_format import to_json
from statemachines.report.sections.display_names import report_clock
from statemachines.report.sections.verdict_summary import health_text
from statemachines.report.text.headline import plain_headline
from tests.unit.report.handmade import EMPTY, FULL, finding, order

ORDER = Path(__file__).parents[3] / "examples" / "orders" / "Order.yaml"


def report_of(*findings: Finding) -> Report:
    return evolve(EMPTY, findings=findings, verdict=max(f.verdict for f in findings))


def baseline_of(*entries: dict[str, object]) -> str:
    return json.dumps({"format": BASELINE_FORMAT, "findings": entries})


def test_what_was_written_down_is_known_when_its_line_moves() -> None:
    """A log of the next day has the same finding at another line, at another time, more often."""
    known = read_baseline("".join(to_baseline(report_of(finding(line=57)))))
    later = report_without_known(report_of(finding(line=901, count=4)), known)
    assert (later.left_out, later.unmet) == (4, 0)
    assert later.report.findings == ()
    assert later.report.verdict is Verdict.HOLDS
    assert json.loads("".join(to_json(later.report)))["known"] == 4


@pytest.mark.parametrize(
    "other",
    [
        evolve(finding(), instance=order(8)),
        evolve(finding(), target="CANCELLED"),
        evolve(finding(), kind="impossible"),
        evolve(finding(), machine="shop/Parcel"),
    ],
    ids=["instance", "target", "kind", "machine"],
)
def test_what_differs_in_what_it_is_about_is_new(other: Finding) -> None:
    """A known finding must not hide another one."""
    known = read_baseline("".join(to_baseline(report_of(finding()))))
    found = report_without_known(report_of(finding(), other), known)
    assert found.report.findings == (other,)
    assert found.report.verdict is Verdict.VIOLATED


def test_another_rule_that_the_same_instance_breaks_is_new() -> None:
    """Two rules of one machine differ in nothing but the rule."""
    first, second = (
        evolve(finding("broken rule"), message=f"{rule}: does not hold (x = 1)")
        for rule in ("paid before shipped", "shipped once")
    )
    known = read_baseline("".join(to_baseline(report_of(first))))
    assert report_without_known(report_of(first, second), known).report.findings == (second,)
    of_a_system = evolve(first, rule=("always", "one leader"))
    assert report_without_known(report_of(of_a_system), known).report.findings == (of_a_system,)


def test_a_key_that_an_entry_leaves_out_may_be_anything() -> None:
    """Names of instances that each run makes anew would be new every day."""
    known = read_baseline(baseline_of({"kind": "forbidden", "from": "NEW", "to": "SHIPPED"}))
    kept = evolve(finding(), source="PAID")
    found = report_without_known(
        report_of(finding(), evolve(finding(), instance=order(8)), kept), known
    )
    assert found.report.findings == (kept,)


def test_entries_that_meet_nothing_are_counted() -> None:
    """What was mended should not stay known: it would hide its return."""
    known = read_baseline(baseline_of({"kind": "forbidden"}, {"kind": "gap"}, {"machine": "x"}))
    assert report_without_known(report_of(finding()), known).unmet == 2


@pytest.mark.parametrize(
    ("entry", "said"), [({"line": 7}, "the key `line`"), ({}, "would hide every finding")]
)
def test_an_entry_that_says_nothing_of_findings_is_refused(
    entry: dict[str, object], said: str
) -> None:
    """A misspelt key would match everything."""
    with pytest.raises(BaselineError, match=said):
        read_baseline(baseline_of(entry))


def test_a_known_incident_makes_nobody_ill_and_one_that_is_over_is_not_known() -> None:
    """Another subject, and what has healed and may come again, are told as before."""
    known = read_baseline("".join(to_baseline(FULL)))
    (open_one,) = (incident for incident in FULL.incidents if incident.is_ill)
    found = report_without_known(FULL, known)
    assert FULL.health is Health.ILL
    assert found.report.health is Health.HEALED
    assert found.report.incidents == tuple(i for i in FULL.incidents if i is not open_one)
    assert (found.left_out_incidents, found.report.known) == (1, found.left_out + 1)
    well = evolve(found.report, incidents=(), findings=())
    said = health_text(well, report_clock(well))
    assert said.startswith("nothing is wrong but what the baseline knows")
    assert "nothing new is wrong now (1 known incident goes on)" in plain_headline(found.report)
    assert "(1 known incident goes on)" in said
    other = evolve(FULL, incidents=(evolve(open_one, subject=order(99)),))
    assert report_without_known(other, known).report.health is Health.ILL
    with pytest.raises(BaselineError, match="the keys of incidents are kind, machine, subject"):
        read_baseline(baseline_of()[:-1] + ', "incidents": [{"since": 7}]}')


def test_an_incident_that_came_again_is_one_that_is_known() -> None:
    """As the file has it: once; how often it is told is another number."""
    known = read_baseline("".join(to_baseline(FULL)))
    (lasting,) = (incident for incident in FULL.incidents if incident.is_ill)
    before = evolve(lasting, outcome=EpisodeOutcome.HEALED, until=lasting.since)
    found = report_without_known(evolve(FULL, incidents=(lasting, before)), known)
    assert (found.left_out_incidents, found.left_out_times) == (1, 2)
    assert found.report.known_open == 1


def test_the_exit_code_is_explained_where_the_report_does_not() -> None:
    """An episode of what is known counts; what the first lines say is not said again."""
    left = report_without_known(FULL, read_baseline("".join(to_baseline(FULL)))).report
    assert exit_codes.report_exit_code(left, ["violated", "open-episode"]) == 1
    said = exit_codes.hidden_reason(left, ["violated", "inconclusive", "open-episode"])
    assert said == "exit code 1, as --fail-on asks: 1 episode goes on (`open-episode`)"
    for things in (["violated"], ["violated", "open-episode"]):
        assert exit_codes.hidden_reason(FULL, things) == ""
    assert exit_codes.hidden_reason(left, ["violated"]) == ""


def test_a_program_gives_the_baseline_by_name(tmp_path: Path) -> None:
    """The Python API knows what the command line knows."""
    log, known = tmp_path / "shop.log", tmp_path / "known.json"
    log.write_text("2026-11-21 12:00:00.000 INFO shop.Orders - order 7: NEW -> SHIPPED\n")
    report = sm.check(log, specs=ORDER)
    assert report.verdict is Verdict.VIOLATED
    assert report.known is None
    known.write_text("".join(to_baseline(report)))
    left = sm.check(log, specs=ORDER, baseline=known)
    assert (left.verdict, left.known, left.findings) == (Verdict.HOLDS, 1, ())


def test_a_report_is_no_baseline_and_says_how_to_write_one() -> None:
    """Yesterday's report is what whoever checks daily has at hand."""
    with pytest.raises(BaselineError, match=r"it is a report; .*--format baseline"):
        read_baseline("".join(to_json(report_of(finding()))))
