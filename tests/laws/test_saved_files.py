"""Law: a saved file that was edited, cut or written by another program is read, or named with what
is wrong in it: reports, and baselines.

Covers: statemachines.report.saved_reports, statemachines.model.opened_files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.cli import main
from statemachines.report.baseline import (
    BaselineError,
    read_baseline,
    report_without_known,
    to_baseline,
)
from statemachines.report.json_format import to_json
from statemachines.report.saved_reports import NotAReport
from statemachines.report.trends import read_trend, trend_csv, trend_json, trend_lines
from tests.effort import some_of
from tests.unit.report.handmade import FULL

REPORT = json.loads("".join(to_json(FULL)))
BASELINE = json.loads("".join(to_baseline(FULL)))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document, but its whole."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def spoilt(document: Any, path: tuple[Any, ...], value: Any, *, gone: bool) -> str:
    """The document with another value at a place, or with none."""
    document = json.loads(json.dumps(document))
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if gone:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(document)


@settings(max_examples=some_of(400), deadline=None)
@given(st.sampled_from([*places(REPORT)]), VALUES, st.booleans())
def test_a_report_that_was_edited_is_compared_or_refused(
    path: tuple[Any, ...], value: Any, gone: bool
) -> None:
    """It ended with a traceback, and the exit code of what cannot be told."""
    text = spoilt(REPORT, path, value, gone=gone)
    try:
        rows = read_trend([("a.json", json.dumps(REPORT)), ("b.json", text)])
    except NotAReport:
        return
    assert all(list(write(rows)) for write in (trend_lines, trend_json, trend_csv))


@settings(max_examples=some_of(300), deadline=None)
@given(st.sampled_from([*places(BASELINE)]), VALUES, st.booleans())
def test_a_baseline_that_was_edited_is_read_or_refused(
    path: tuple[Any, ...], value: Any, gone: bool
) -> None:
    """A value of another kind matches nothing, and was taken for what is mended."""
    try:
        known = read_baseline(spoilt(BASELINE, path, value, gone=gone))
    except BaselineError:
        return
    assert report_without_known(FULL, known).unmet <= len(known)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"instance": "order=7"}, '`instance` of an entry is an object, such as {"order": "7"}'),
        ({"instance": {"order": ["7"]}}, "`instance` of an entry is an object"),
        ({"kind": 7}, "`kind` of an entry is a text, and it is `7`"),
        (["kind", "gap"], "`findings` is a list of objects"),
    ],
)
def test_an_entry_that_could_match_nothing_is_refused(entry: object, message: str) -> None:
    """It would stand there as one that can be removed."""
    with pytest.raises(BaselineError) as problem:
        read_baseline(json.dumps({**BASELINE, "findings": [entry]}))
    assert str(problem.value).startswith(message)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "statemachines.report/2", "this version reads `statemachines.report/1`"),
        ("format", "statemachines.trend/1", "`statemachines.report/1` is expected"),
        ("checked", {"observations": "9", "unread_lines": 0}, "`checked.observations` is not as"),
        ("episodes", None, "`episodes` is not as"),
        ("verdict", "FINE", "`verdict` is not as"),
    ],
)
def test_what_is_wrong_with_a_report_is_named(key: str, value: object, message: str) -> None:
    """Of a report of a version to come nothing may be guessed."""
    with pytest.raises(NotAReport, match=message):
        read_trend([("a.json", json.dumps({**REPORT, key: value}))])


def test_saved_files_with_a_byte_order_mark_are_read_and_other_encodings_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other shells write a mark, or UTF-16, where `>` writes a report; the message named no file."""
    monkeypatch.chdir(tmp_path)
    text = json.dumps(REPORT)
    Path("marked.json").write_text(text, "utf-8-sig")
    Path("wide.json").write_text(text, "utf-16")
    assert main(["report", "marked.json"]) == 0
    capsys.readouterr()
    for command in (
        ["report"],
        ["check", "marked.json", "--baseline"],
        ["explore", "X", "--replay"],
    ):
        assert main([*command, "wide.json"]) == 2
        assert capsys.readouterr().err == "statemachines: wide.json: it is no text in UTF-8\n"
