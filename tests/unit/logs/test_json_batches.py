"""The records of exports and collectors, many in one JSON object, are read one by one.

Covers: statemachines.logs.storage.json_batches, statemachines.logs.storage.batch_forms.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.logs.storage import json_batches
from statemachines.logs.storage.batch_forms import batch_form
from statemachines.logs.storage.open_logs import is_plain_utf8
from statemachines.logs.storage.spread_records import put_on_lines, spread_form

Value = dict[str, Any]
MOMENT = 1795275979567
"""In milliseconds; records are a second apart."""
TEXTS = st.lists(st.text(alphabet='a"\\{}[],:\n \té', max_size=12), min_size=1, max_size=5)


def _time(number: int) -> str:
    return f"2026-11-21T15:46:{19 + number}.567Z"


def _line(number: int, text: str) -> str:
    return f"[2026-11-21 15:46:{19 + number},567] INFO {text} (shop.Door)"


def _otlp(texts: list[str]) -> Any:
    records = [
        {"timeUnixNano": f"{MOMENT + 1000 * n}000000", "body": {"stringValue": text}}
        for n, text in enumerate(texts)
    ]
    pairs = [{"key": "service.name", "value": {"stringValue": "shop"}}]
    scopes = [{"scope": {"name": "shop.Door"}, "logRecords": [one]} for one in records]
    return {"resourceLogs": [{"resource": {"attributes": pairs}, "scopeLogs": scopes}]}


def _search(texts: list[str]) -> Any:
    hits = [
        {"_id": str(n), "_source": {"@timestamp": _time(n), "message": text}}
        for n, text in enumerate(texts)
    ]
    return {"took": 3, "_shards": {"failures": []}, "hits": {"total": {"value": 9}, "hits": hits}}


def _stream(texts: list[str]) -> Any:
    values = [[f"{MOMENT + 1000 * n}000000", _line(n, text)] for n, text in enumerate(texts)]
    return {"status": "success", "data": {"result": [{"stream": {"pod": "a"}, "values": values}]}}


def _events(texts: list[str]) -> Any:
    return {
        "logStream": "shop/1",
        "logEvents": [
            {"id": "1", "timestamp": MOMENT + 1000 * n, "message": _line(n, text)}
            for n, text in enumerate(texts)
        ],
        "nextToken": "x",
    }


def _rows(texts: list[str]) -> Any:
    rows = [[_time(n), "INFO", "shop.Door", text] for n, text in enumerate(texts)]
    return {"tables": [{"name": "a", "columns": [{"type": "string"}], "rows": rows}]}


def _listed(texts: list[str]) -> Any:
    records = [{"timestamp": _time(n), "message": text} for n, text in enumerate(texts)]
    return [{"common": {"attributes": {"logger": "shop.Door"}}, "logs": records}]


BATCHES: dict[str, Callable[[list[str]], Any]] = {
    "a collector's": _otlp,
    "of a search": _search,
    "of streams": _stream,
    "of events": _events,
    "rows": _rows,
    "a list": _listed,
}
DOOR = """\
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}]
log: {instance: [id], lines: [{text: "door {id} went {from} to {to}", says: step}]}
"""


def _on_lines(text: str, block: int = 1 << 20) -> list[str]:
    """The lines of a file of batches, read in blocks of a size."""
    form = spread_form(text.encode())
    assert form is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_batches, "_BLOCK_BYTES", block)
        with put_on_lines(io.BytesIO(text.encode()), form) as file:
            file.seek(0)
            return file.read().decode().removesuffix("\n").split("\n")


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("kind", BATCHES)
def test_a_batch_is_judged_as_its_records_are(
    kind: str, indent: int | None, tmp_path: Path
) -> None:
    """Each record has its time; before, nothing was read, and only an empty report said so."""
    texts = [f"door 7 went {step}" for step in ("SHUT to OPEN", "OPEN to SHUT")]
    (tmp_path / "Door.yaml").write_text(DOOR)
    (tmp_path / "a.log").write_text(json.dumps(BATCHES[kind](texts), indent=indent))
    report = sm.check(tmp_path / "a.log", specs=[tmp_path / "Door.yaml"])
    assert [finding.kind for finding in report.findings] == ["forbidden"]
    moments = [step.at.ms for step in report.timeline or () if step.at]
    assert moments == [MOMENT, MOMENT + 1000]


@given(TEXTS, st.sampled_from(sorted(BATCHES)), st.sampled_from([None, 0, 2]), st.integers(1, 60))
def test_no_record_of_a_batch_is_lost(
    texts: list[str], kind: str, indent: int | None, block: int
) -> None:
    """Whatever they say, however they are spread, wherever the file is cut while it is read; each
    stands on the line on which it began, if no other one began there.
    """
    told = [f"text {number} {text}" for number, text in enumerate(texts)]
    source = json.dumps(BATCHES[kind](told), indent=indent, ensure_ascii=False)
    lines = _on_lines(source, block)
    assert sum(any(f"text {n} " in line for n in range(len(told))) for line in lines) == len(told)
    records = [(at, line) for at, line in enumerate(lines) if "text " in line]
    assert all(f"text {n} " in line for n, (_, line) in enumerate(records))
    if indent is not None:
        before = source.split("\n")
        assert len(lines) == len(before)
        assert all(before[at].strip() in ("{", "[") for at, _ in records)


def test_what_a_batch_says_around_its_records_is_kept() -> None:
    """The logger of a scope, and the process that wrote: two services are in one file."""
    (line,) = _on_lines(json.dumps(_otlp(["open"])))
    whole = json.loads(line)
    assert whole["of_process"] == "shop"
    record = json.loads(whole["record"])
    assert (record["scope"]["name"], record["body"]["stringValue"]) == ("shop.Door", "open")


def test_a_scope_says_nothing_of_the_next_one() -> None:
    """A scope without a name comes after one with a name."""
    batch = _otlp(["a", "b"])
    del batch["resourceLogs"][0]["scopeLogs"][1]["scope"]
    _, second = (json.loads(json.loads(line)["record"]) for line in _on_lines(json.dumps(batch)))
    assert "scope" not in second


def test_a_batch_that_was_cut_takes_no_other_with_it() -> None:
    """A collector was killed while it wrote; the lines after that are read, and text is kept."""
    whole = json.dumps(_otlp(["one two"]))
    lines = _on_lines(f"{whole}\n{whole[:-9]}\nplain text {{\n{whole}\n")
    assert ["one two" in line for line in lines] == [True, True, False, True]
    assert lines[2] == "plain text {"


@pytest.mark.parametrize("cut", [30, 150, 330])
def test_a_batch_of_several_lines_that_was_cut_hides_no_other(cut: int) -> None:
    """Cut before a record, in one, and behind it; the next batch begins at the margin."""
    whole = json.dumps(_otlp(["one two"]), indent=2)
    lines = _on_lines(f"{whole}\n{whole[:cut]}\n{whole}\n")
    began = whole[: whole.index("timeUnixNano")].count("\n") - 1
    assert "one two" in lines[began]
    assert "one two" in lines[whole.count("\n") + 1 + whole[:cut].count("\n") + 1 + began]


@pytest.mark.parametrize(
    "text",
    [
        '{"message": "open", "tags": [{"text": "a b"}]}\n',
        '{"a": 1, "b": [1, 2, 3]}\n',
        '{"a": [[1, 2], [3, 4]]}\n',
        '{"a": {"b": {"message": "open"}}}\n',
    ],
)
def test_an_object_that_is_a_record_is_no_batch(text: str) -> None:
    """Lines of JSON are read from any place of a file, by several processes."""
    assert batch_form(text) is None
    assert is_plain_utf8(text.encode())


@given(st.sampled_from(sorted(BATCHES)), st.integers(0, 400), st.text('{}[]",:\\\n x', max_size=9))
def test_a_damaged_batch_is_read_as_far_as_it_goes(kind: str, at: int, put: str) -> None:
    """No bytes make reading fail."""
    source = json.dumps(BATCHES[kind](["a b", "c d"]))
    damaged = source[:at] + put + source[at + 3 :]
    if spread_form(damaged.encode()):
        assert len(_on_lines(damaged)) >= damaged.rstrip("\n").count("\n")
