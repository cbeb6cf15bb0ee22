"""Records that are no lines are read like those that are: none is lost, and each has its line.

Covers: statemachines.logs.storage.spread_records, statemachines.logs.storage.record_lines,
statemachines.logs.storage.xml_events.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.logs.layouts.json_layouts import parse_json_line
from statemachines.logs.storage import spread_records
from statemachines.logs.storage.open_logs import is_plain_utf8, open_log
from statemachines.logs.storage.spread_records import put_on_lines, spread_form

MESSAGES = st.lists(st.text(alphabet='a"\\{}[],:\n \té', max_size=12), min_size=1, max_size=6)


def on_lines(text: str, block: int = 1 << 20) -> list[str]:
    """The lines of a file whose records were put on lines, read in blocks of a size."""
    form = spread_form(text.encode())
    assert form is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_records, "_BLOCK_BYTES", block)
        with put_on_lines(io.BytesIO(text.encode()), form) as file:
            file.seek(0)
            return file.read().decode().removesuffix("\n").split("\n")


@given(
    MESSAGES, st.sampled_from([None, 0, 2]), st.sampled_from(["", ",", "list"]), st.integers(1, 9)
)
def test_objects_are_read_however_they_are_spread(
    messages: list[str], indent: int | None, between: str, block: int
) -> None:
    """Over several lines, in a list, several on a line; and cut anywhere while they are read."""
    values = [{"message": message, "n": {"at": n}} for n, message in enumerate(messages)]
    text = (
        json.dumps(values, indent=indent)
        if between == "list"
        else (between + ("" if indent is None else "\n")).join(
            json.dumps(one, indent=indent) for one in values
        )
    )
    lines = on_lines(text, block) if spread_form(text.encode()) else text.split("\n")
    assert [json.loads(line) for line in lines if line.strip()] == values
    if indent is not None:
        begins = [at for at, line in enumerate(text.split("\n")) if '"message"' in line]
        assert [at + 1 for at, line in enumerate(lines) if line.strip()] == begins
        assert len(lines) == text.count("\n") + 1


def test_a_record_that_was_cut_swallows_no_other() -> None:
    """A program was killed while it wrote; what it writes next begins at the margin."""
    lines = on_lines('{\n "a": 1\n}\n{\n "a": 2,\n "b": {\n{\n "a": 3\n}\nplain\n')
    assert [*filter(None, lines)] == ['{"a": 1}', '{"a": 2,"b": {', '{"a": 3}', "plain"]
    assert lines.index("plain") == 9


def test_a_brace_in_a_line_of_text_begins_no_record() -> None:
    """Between objects another program may write; its braces are its own."""
    lines = on_lines('{\n "a": 1\n}\nset {x} to {y\n, {"a":\n2}\n')
    assert lines == ['{"a": 1}', "", "", "set {x} to {y", '{"a":2}', ""]


def test_what_never_ends_is_kept_as_it_stands() -> None:
    """A brace that nothing closes does not take the rest of the file into memory."""
    many = 80_000
    lines = on_lines('{\n "a": 1\n}\n{\n' + ' "key": "value",\n' * many + "the end\n")
    assert (lines[4].strip(), lines[many + 4]) == ('"key": "value",', "the end")
    assert len(lines) == many + 5


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n{"a": 2}\n',
        '{"a": 1,\n',
        "{}\n{\n}\n",
        "[main] {\n",
        "2026-11-21 INFO {\n}\n",
        "<shop>\n",
        "",
        "{" * 5000,
    ],
)
def test_other_files_are_left_as_they_are(text: str) -> None:
    """Lines of JSON above all: they are read from any place, by several processes."""
    assert spread_form(text.encode()) is None
    assert is_plain_utf8(text.encode())


EVENTS = {
    "log4j": '<log4j:event logger="a.B" timestamp="1795334400000" level="INFO" thread="t">\n'
    "<log4j:message><![CDATA[x < y]]></log4j:message>\n<log4j:throwable><![CDATA[E: z]]>"
    "</log4j:throwable>\n</log4j:event>\n",
    "log4j2": '<Events>\n<Event thread="t" level="INFO" loggerName="a.B">\n<Instant epochSecond="1795334400" '
    'nanoOfSecond="0"/>\n<Message>x &lt; y</Message>\n<Thrown name="E" message="z"/></Event></Events>\n',
    "java.util.logging": "<log>\n<record>\n<date>2026-11-22T08:00:00Z</date>\n<millis>1795334400000</millis>\n"
    "<logger>a.B</logger>\n<level>INFO</level>\n<thread>t</thread>\n<message>x &lt; y</message>\n"
    "<exception><message>E: z</message></exception>\n</record>\n</log>\n",
}


@pytest.mark.parametrize("kind", EVENTS)
def test_events_in_xml_are_read(kind: str) -> None:
    """They become lines of JSON, with all that a line tells."""
    found = [json.loads(line) for line in on_lines(EVENTS[kind]) if line.startswith("{")]
    moment = found[0].pop("instant", None) or found[0].pop("timestamp")
    assert moment in (1795334400000, {"epochSecond": 1795334400, "nanoOfSecond": 0})
    told = {
        "message": "x < y",
        "level": "INFO",
        "logger": "a.B",
        "thread": "t",
        "stack_trace": "E: z",
    }
    assert found == [told]


def test_what_is_no_xml_is_kept() -> None:
    """Of an event that cannot be read its text is left, for people."""
    lines = on_lines("<Event>\n<Message>a & b</Message>\n</Event>\n<Event level='INFO'>\n")
    assert lines == ["<Event><Message>a & b</Message></Event>", "", "", "<Event level='INFO'>"]


DOOR = """\
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}]
log: {instance: [id], lines: [{text: "door {id} went {from} to {to}", says: step}]}
"""


STEPS = [{"message": "door 1 went SHUT to OPEN"}, {"message": "door 1 went OPEN to SHUT"}]
DOOR_LOGS = {
    "objects": ("\n".join(json.dumps(one, indent=1) for one in STEPS), 4),
    "a list": (json.dumps(STEPS), 2),
    "events": (
        "<a>\n"
        + "\n".join(f"<Event>\n<Message>{one['message']}</Message>\n</Event>" for one in STEPS),
        5,
    ),
}
"""Logs in which the second line is forbidden, and where it stands."""


@pytest.mark.parametrize("kind", DOOR_LOGS)
def test_the_rest_of_a_check_knows_nothing_of_it(kind: str, tmp_path: Path) -> None:
    """A finding has the line at which its record begins, and the report says how the file was read."""
    text, line = DOOR_LOGS[kind]
    (tmp_path / "Door.yaml").write_text(DOOR)
    (tmp_path / "a.log").write_text(text)
    report = sm.check(tmp_path / "a.log", specs=[tmp_path / "Door.yaml"])
    found = report.findings[0]
    assert (found.kind, found.place.line if found.place else None) == ("forbidden", line)
    with open_log(tmp_path / "a.log") as log:
        assert "records in" in log.problems[0]


def test_no_second_object_of_a_line_gets_lost() -> None:
    """Of a line with two records the first was read, and nobody heard of the other."""
    assert parse_json_line('{"message": "a"}{"message": "b"}') is None
    assert parse_json_line('{"message": "a"},') == {"message": "a"}
    assert parse_json_line('{"message": "a", "level": "INFO", "b": "cut he') is not None
