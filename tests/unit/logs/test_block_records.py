"""Records whose fields stand on a line each are read as those that stand on one.

Covers: statemachines.logs.storage.spread_records.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.logs.storage.open_logs import is_plain_utf8
from statemachines.logs.storage.spread_records import block_form, put_on_lines, spread_form

DOOR = """\
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}]
log: {instance: [id], lines: [{text: "door {id} went {from} to {to}", says: step}]}
"""
SECOND_MS = 1795275979000
"""2026-11-21T15:46:19Z."""


def _fields(number: int, step: str) -> dict[str, str]:
    return {
        "time": f"2026-11-21T15:46:{19 + number}Z",
        "level": "INFO",
        "logger": "shop.Door",
        "message": f"door 7 went {step}",
    }


def _block(number: int, step: str) -> str:
    return "\n".join(f"{key}: {value}" for key, value in _fields(number, step).items()) + "\n"


def _item(number: int, step: str) -> str:
    return yaml.safe_dump([_fields(number, step)])


def _document(number: int, step: str) -> str:
    return "---\n" + yaml.safe_dump(_fields(number, step), default_style='"')


def _literal(number: int, step: str) -> str:
    return (
        f"- time: 2026-11-21T15:46:{19 + number}Z\n  message: |\n    door 7 went {step}\n    x: 1\n"
    )


def _paragraph(number: int, step: str) -> str:
    return _block(number, step) + "\n"


def _journal(number: int, step: str) -> str:
    moment = f"{SECOND_MS + 1000 * number}000"
    return (
        f"__CURSOR=s=1\n__REALTIME_TIMESTAMP={moment}\n_HOSTNAME=h1\nMESSAGE=door 7 went {step}\n\n"
    )


def _header_above(number: int, step: str) -> str:
    return f"2026-11-21T15:46:{19 + number}Z INFO [main] shop.Door\n  door 7 went {step}\n"


def _pairs(number: int, step: str) -> str:
    return f"timestamp='2026-11-21T15:46:{19 + number}Z' level='info' event='door 7 went {step}'\n"


WRITERS = [_item, _document, _literal, _paragraph, _journal, _header_above, _pairs]


@pytest.mark.parametrize("write", WRITERS)
def test_a_record_of_several_lines_is_judged_with_its_time(write: object, tmp_path: Path) -> None:
    """They were INCONCLUSIVE without a word on why; a finding names the line of the record."""
    assert callable(write)
    first, second = write(0, "SHUT to OPEN"), write(1, "OPEN to SHUT")
    (tmp_path / "Door.yaml").write_text(DOOR)
    (tmp_path / "a.log").write_text(first + second)
    report = sm.check(tmp_path / "a.log", specs=tmp_path / "Door.yaml")
    assert [finding.kind for finding in report.findings] == ["forbidden"]
    assert [step.at.ms for step in report.timeline or () if step.at] == [
        SECOND_MS,
        SECOND_MS + 1000,
    ]
    place = report.findings[0].place
    line = first.count("\n") + (2 if write is _header_above else 1)
    assert place is not None
    assert place.line == line


TEXTS = st.lists(
    st.text(alphabet=st.sampled_from("a\"'\\{}[],:# -\u00e9&*|>"), max_size=12),
    min_size=1,
    max_size=5,
)


@given(TEXTS)
def test_blocks_are_read_whatever_they_say(texts: list[str]) -> None:
    """As YAML's own reader reads them all at once; what it refuses to be sure of stays as it is."""
    told = ["open", *(f"x{text}" for text in texts)]
    values = [{"n": str(number), "message": text} for number, text in enumerate(told)]
    source = yaml.safe_dump(values, allow_unicode=True, width=1000)
    form = spread_form(source.encode())
    assert form == "YAML"
    with put_on_lines(io.BytesIO(source.encode()), form) as file:
        file.seek(0)
        lines = file.read().decode().removesuffix("\n").split("\n")
    read = [json.loads(line) for line in lines if line.startswith("{")]
    assert all(value in values for value in read)
    assert len(read) + sum(line.startswith("-") for line in lines) == len(values)
    assert [value for value in values if not set("&*") & set(value["message"])] == [
        value for value in read if not set("&*") & set(value["message"])
    ]


@pytest.mark.parametrize(
    "text",
    [
        "note: a file of the shop\n12:00:00 INFO open\n",
        "INFO: open\nWARN: late\n",
        "- one\n- two\n",
        "states: {A: {initial: true}}\n",
        "a: &x [1, 2]\nmessage: *x\n",
    ],
)
def test_other_files_are_left_as_they_are(text: str) -> None:
    """A line that begins with a word and a colon is no block."""
    assert block_form(text.encode()) is None
    assert is_plain_utf8(text.encode())


def test_a_small_text_that_means_a_large_one_is_not_read() -> None:
    """Each alias doubles what is written; such a block stays as it is."""
    doubled = "".join(f"  a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    source = f"- time: x\n  message: open\n- a0: &a0 [x]\n{doubled}  message: open\n".encode()
    with put_on_lines(io.BytesIO(source), "YAML") as file:
        file.seek(0)
        text = file.read()
    assert len(text) <= len(source) + 100
