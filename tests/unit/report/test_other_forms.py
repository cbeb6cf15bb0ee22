"""Forms of a report for build servers, code hosts and spreadsheets: readable by programs that are not ours.

Covers: statemachines.report.csv_format, statemachines.report.formats,
statemachines.report.junit_format, statemachines.report.sarif_format,
statemachines.report.sections.timestamps, statemachines.report.text.headline,
statemachines.report.markdown_format.
"""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import jsonschema
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.evidence.verdicts import Verdict
from statemachines.report import report_rows
from statemachines.report.formats import FORM_WRITERS, report_in_form
from statemachines.report.sarif_format import FINDING_KINDS
from tests.peers import node_modules
from tests.unit.report.handmade import EMPTY, FULL, finding

HOSTILE = st.text(max_size=20)


def text(report: object, form: str) -> str:
    """A report in a form."""
    return "".join(report_in_form(report, form))


def test_junit_has_a_failure_for_what_is_violated() -> None:
    """A build server shows failures and skipped cases, nothing else."""
    doubt = evolve(finding("gap", Verdict.INCONCLUSIVE), instance=(("order", 8),))
    root = ElementTree.fromstring(text(evolve(FULL, findings=(*FULL.findings, doubt)), "junit"))
    (suite,) = root.findall("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    (failure,) = suite.iter("failure")
    assert failure.get("type") == "forbidden"
    assert "shop.log:57" in (failure.text or "")
    assert "gap" in (next(suite.iter("skipped")).get("message") or "")


def test_junit_of_nothing_is_a_skipped_case() -> None:
    """An empty suite would look green."""
    assert "nothing of the catalogue was seen" in text(EMPTY, "junit")


def test_sarif_places_a_finding_in_the_log_and_in_the_spec() -> None:
    """Both lines, so that a code host can show either."""
    (run,) = json.loads(text(FULL, "sarif"))["runs"]
    first = run["results"][0]
    assert first["level"] == "error"
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "forbidden"
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 57
    assert (
        first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "shop/Order.yaml"
    )


def test_csv_has_the_values_of_the_json_report() -> None:
    """One contract, in two forms."""
    told = list(csv.DictReader(io.StringIO(text(FULL, "csv"))))
    for row, step in zip(told, FULL.timeline, strict=True):
        plain = report_rows.step(step)
        assert row["at_ms"] == ("" if plain["at_ms"] is None else str(plain["at_ms"]))
        assert json.loads(row["instance"]) == plain["instance"]
        assert row["how"] == plain["how"]
    found = list(csv.DictReader(io.StringIO(text(FULL, "findings-csv"))))
    assert [row["kind"] for row in found] == ["forbidden", "failed"]


def test_sarif_fits_the_schema_of_its_standard() -> None:
    """Code hosts refuse a file that does not; the schema is not ours to ship, so the test takes it from the package that has it."""
    (schema,) = node_modules("@microsoft/jest-sarif@1.0.0-beta.0").glob(
        "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0*.json"
    )
    validator = jsonschema.validators.validator_for(told := json.loads(schema.read_text("utf-8")))(
        told
    )
    for report in (
        EMPTY,
        FULL,
        evolve(
            FULL,
            findings=tuple(finding(kind, verdict) for kind in FINDING_KINDS for verdict in Verdict),
        ),
    ):
        assert [
            problem.message for problem in validator.iter_errors(json.loads(text(report, "sarif")))
        ] == []


def test_junit_has_what_the_schema_of_build_servers_requires() -> None:
    """Of a suite: its name and three numbers; of a case: its name; nothing else than the elements that they know."""
    doubt = evolve(finding("gap", Verdict.INCONCLUSIVE), instance=(("order", 8),))
    for report in (EMPTY, FULL, evolve(FULL, findings=(*FULL.findings, doubt))):
        root = ElementTree.fromstring(text(report, "junit"))
        assert (root.tag, set(root.attrib) <= {"name", "time", "tests", "failures", "errors"}) == (
            "testsuites",
            True,
        )
        for suite in root:
            assert suite.tag == "testsuite"
            assert {"name", "tests", "failures", "errors"} <= set(suite.attrib)
            assert all(case.tag == "testcase" and case.get("name") is not None for case in suite)
            assert {inside.tag for case in suite for inside in case} <= {"failure", "skipped"}


@pytest.mark.parametrize("kind", FINDING_KINDS)
def test_every_kind_of_finding_has_a_rule(kind: str) -> None:
    """A kind without a rule would be an error at the worst moment."""
    assert kind in text(evolve(EMPTY, findings=(finding(kind),)), "sarif")


@given(HOSTILE, st.sampled_from(list(FORM_WRITERS)))
def test_hostile_logs_make_no_broken_files(hostile: str, form: str) -> None:
    """A log line may hold anything; the file is still of its kind."""
    bad = evolve(
        finding(), text=hostile, message=hostile, process=hostile, instance=(("order", hostile),)
    )
    told = text(evolve(FULL, findings=(bad,)), form)
    told.encode("utf-8")
    if form == "junit":
        ElementTree.fromstring(told)
    elif form in ("json", "sarif", "baseline"):
        json.loads(told)
    else:
        assert len(list(csv.reader(io.StringIO(told, newline="")))) >= 2


def test_markdown_says_what_the_text_report_says_in_its_order() -> None:
    """An issue and a chat get the health, the verdict, and what is wrong now with its line."""
    told = text(FULL, "markdown")
    assert told.startswith("# ILL: order 7 is not paid")
    places = [told.index(part) for part in ("# ILL", "**VIOLATED**", "## Now", "## Forbidden")]
    assert places == sorted(places)


@given(st.text(max_size=40))
def test_no_text_of_a_log_is_markup_in_markdown(said: str) -> None:
    """A log may hold whatever somebody outside wrote into it, a link or an image, too."""
    told = text(
        evolve(FULL, findings=(evolve(finding("gap"), message=f"[{said}](x) <b>"),)), "markdown"
    )
    (row,) = [line for line in told.splitlines() if "](x" in line]
    assert "\\](x) \\<b\\>" in row
