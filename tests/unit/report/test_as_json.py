"""The JSON report is a contract: keys, order, formats, bytes.

Covers: statemachines.model.evidence.moments, statemachines.model.evidence.reports,
statemachines.report.json_format, statemachines.report.report_rows, statemachines.report.schema,
statemachines.report.sections.related_states.
"""

from __future__ import annotations

import itertools
import json

import jsonschema
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.evidence.reports import Instant, Place, Quote, Report, TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report import json_format, report_rows
from statemachines.report.json_format import to_json
from statemachines.report.schema import report_schema
from statemachines.report.sections.timestamps import date, rfc3339, time_of_day
from tests.unit.report.handmade import EMPTY, FULL

UNREAD = Quote(Place("shop.log", 9), "order 7 did something new")
CONTRACT = {
    "": "format verdict checked sources releases machines now episodes findings timeline unjudged made_with",
    "checked": "files lines records observations instances steps unread_lines hidden_steps missing_steps unjudged",
    "sources": "file layout level zone process lines unread_lines first last problems",
    "releases": "process releases how",
    "machines": "machine instances steps verdict never_seen",
    "now": "machine subject state since since_ms final file line",
    "episodes": "kind subject since since_ms until until_ms blame",
    "findings": "kind verdict machine instance process at at_ms file line text from to outcome legal missing was legal_in spec count "
    "message",
    "timeline": "machine instance process life at at_ms from to how file line",
    "unjudged": "why count file line text",
}


def read(report: Report) -> dict[str, object]:
    """The report as somebody else's program reads it."""
    return json.loads("".join(to_json(report)))


@pytest.mark.parametrize("section", CONTRACT)
def test_the_keys_stand_in_the_order_of_the_contract(section: str) -> None:
    """Programs of others read these keys; more may follow, none may move."""
    told = read(FULL)
    value = told if section == "" else told[section]
    for row in value if isinstance(value, list) else [value]:
        assert [name for name in row if name in CONTRACT[section].split()] == CONTRACT[
            section
        ].split()


@pytest.mark.parametrize(
    "report",
    [EMPTY, FULL, evolve(FULL, errors=("no.log: not found",), interrupted=True, unread=(UNREAD,))],
)
def test_a_report_fits_the_shipped_schema_and_is_what_json_dumps_writes(report: Report) -> None:
    """The writer is our own for the sake of streams; nobody may notice."""
    text = "".join(to_json(report))
    told = json.loads(text)
    jsonschema.Draft202012Validator(report_schema()).validate(told)
    assert text == json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def test_the_schema_refuses_a_row_that_is_not_of_the_contract() -> None:
    """A schema that accepts everything would hold nothing."""
    told = read(FULL)
    told["timeline"][0]["how"] = "guessed"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(report_schema()).validate(told)


def test_what_is_no_character_is_written_as_ufffd() -> None:
    """A file's name may hold any byte; the report is UTF-8 all the same."""
    told = "".join(to_json(FULL)).encode("utf-8").decode("utf-8")
    assert "bytes�.log" in told


def test_the_timeline_is_a_stream() -> None:
    """A log with millions of steps must not be held in memory to be printed."""
    step = FULL.timeline[0]
    endless = evolve(FULL, timeline=itertools.repeat(step))
    head = "".join(itertools.islice(to_json(endless), 500))
    assert head.count('"how": "told"') > 300


def test_no_timeline_leaves_an_empty_list() -> None:
    """The key stays, so that nobody's program breaks."""
    assert json.loads("".join(to_json(FULL, timeline=False)))["timeline"] == []


KEYS = st.lists(
    st.tuples(st.text(max_size=5), st.text(max_size=5) | st.integers()),
    max_size=2,
    unique_by=lambda pair: pair[0],
).map(tuple)
INSTANTS = st.none() | st.builds(
    Instant, st.none() | st.integers(-(10**12), 10**14), st.sampled_from(["Z", "unknown", "none"])
)
PLACES = st.none() | st.builds(Place, st.text(max_size=5), st.integers(1))
TEXTS = st.none() | st.text(max_size=5)
STEPS = st.builds(
    TimelineStep,
    st.text(max_size=5),
    KEYS,
    st.text(max_size=5),
    st.integers(1),
    INSTANTS,
    TEXTS,
    TEXTS,
    st.just("told"),
    PLACES,
)


@given(st.lists(STEPS, max_size=4))
def test_the_fast_writer_of_steps_agrees_with_the_plain_one(steps: list[TimelineStep]) -> None:
    """What exists twice is compared: a row formatted by hand against the row as plain data."""
    told = json.loads("".join(to_json(evolve(EMPTY, verdict=Verdict.HOLDS, timeline=tuple(steps)))))
    plain = json.dumps([report_rows.step(step) for step in steps], ensure_ascii=False)
    assert told["timeline"] == json.loads(plain)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(Verdict),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(value=VALUES, margin=st.sampled_from(["", "  ", "    "]))
def test_values_are_written_as_the_library_writes_them(value: object, margin: str) -> None:
    """Which takes several times as long where it indents."""
    whole = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + margin)
    assert json_format._json_text(value, margin) == whole


@given(ms=st.integers(-(10**15), 10**15), zone=st.sampled_from(["Z", "unknown", "none"]))
def test_a_moment_is_its_day_and_its_time(ms: int, zone: str) -> None:
    """The second is remembered, for the next row is mostly of the same one."""
    instant = Instant(ms, zone)
    text, ending = time_of_day(instant), "Z" if zone == "Z" else ""
    whole = text if zone == "none" else f"{date(instant)}T{text}{ending}"
    assert rfc3339(instant) == rfc3339(instant) == whole
