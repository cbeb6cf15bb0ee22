"""Every layout reads its samples, and no more specific one steals them.

Covers: statemachines.logs.layouts.conversion_parts, statemachines.logs.layouts.conversion_regexes,
statemachines.logs.layouts.json_layouts, statemachines.logs.layouts.layout_files,
statemachines.logs.layouts.text_layouts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.checking import select_layouts
from statemachines.logs import (
    LayoutError,
    Layouts,
    Timestamp,
    default_layouts,
    load_layout_file,
)
from statemachines.logs.layouts.conversion_parts import PatternError
from statemachines.logs.layouts.conversion_patterns import compile_pattern
from statemachines.logs.layouts.json_layouts import JsonLayout
from statemachines.logs.layouts.layout_files import read_sample
from statemachines.logs.layouts.text_layouts import TextLayout

from .samples import moment

ALL: list[TextLayout | JsonLayout] = [
    *default_layouts().text_layouts,
    *default_layouts().json_layouts,
]
SAMPLES = [(layout, sample) for layout in ALL for sample in layout.samples]


LINES = sorted(
    {sample["text"] for _, sample in SAMPLES} | {"\tat a.B.c(B.java:1)", " " * 30, "a: b"}
)
DAMAGE = ("??:??:??", "null", "N/A", "2026-13-45 99:99:99", "[America/Argentina/Buenos_Aires]")


@given(st.sampled_from(LINES), st.sampled_from(DAMAGE), st.integers(0, 30), st.integers(0, 30))
def test_an_outline_refuses_nothing_that_the_whole_expression_reads(
    line: str, damage: str, at: int, length: int
) -> None:
    """Whole expressions are compiled for the lines that pass a small one; none may be lost there."""
    for text in (line, line[:at] + damage + line[at + length :]):
        for layout in default_layouts().text_layouts:
            pattern = layout.pattern
            assert bool(pattern.match_head(text)) == bool(pattern.head.match(text)), layout.name
            whole = pattern.untimed and pattern.untimed.match(text)
            assert bool(pattern.match_untimed(text)) == bool(whole), layout.name


@pytest.mark.parametrize(
    ("layout", "sample"), SAMPLES, ids=[sample["text"][:70] for _, sample in SAMPLES]
)
def test_a_sample_is_read_by_its_own_layout(
    layout: TextLayout | JsonLayout, sample: dict[str, Any]
) -> None:
    """The order is data: a more specific layout that also reads the sample would be named here."""
    reading = read_sample(default_layouts(), sample)
    assert reading is not None
    assert reading.layout == layout.name
    assert reading.message == sample["message"]
    assert (reading.level, reading.logger, reading.thread) == (
        sample.get("level"),
        sample.get("logger"),
        sample.get("thread"),
    )
    assert reading.timestamp == moment(sample.get("at"))
    assert list(reading.message_rest) == sample.get("rest", [])


def test_every_layout_has_a_sample() -> None:
    """A layout without sample is one that nobody has seen."""
    assert [layout.name for layout in ALL if not layout.samples] == []


@pytest.mark.parametrize("index", range(len(ALL)))
def test_no_layout_is_dead(index: int) -> None:
    """Without it some sample would be read otherwise, so each earns its place in the order."""
    layout = ALL[index]
    others = Layouts(
        tuple(other for other in default_layouts().text_layouts if other is not layout),
        tuple(other for other in default_layouts().json_layouts if other is not layout),
    )
    assert any(
        read_sample(others, sample) != read_sample(default_layouts(), sample)
        for sample in layout.samples
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\tat org.example.Orders.open(Orders.java:12)",
        "Caused by: java.lang.IllegalStateException: no",
        "\tsasl.mechanism = GSSAPI",
        "}",
        "{",
        "{}",
        "org.example.LostException: order 12",
        "        at x.Y",
        "1234567890 is a number",
    ],
)
def test_a_continuation_line_begins_no_record(text: str) -> None:
    """What follows a record is recognised by what it is not."""
    assert default_layouts().read(text) is None


def test_a_users_layout_is_the_programs_own_pattern(tmp_path: Path) -> None:
    """Nobody should have to write a regular expression."""
    file = tmp_path / "mine.yaml"
    file.write_text(
        'layouts:\n- {name: mine, pattern: "%p;%d;%t;%m%n"}\n- {name: other, json: {message: m, time: t}, when: [m]}\n'
    )
    layouts = load_layout_file(file)
    reading = layouts.read("WARN;2026-11-21 15:43:22,134;main;late; again")
    assert reading is not None
    assert (reading.layout, reading.level, reading.thread, reading.message) == (
        "mine",
        "WARN",
        "main",
        "late; again",
    )
    told = layouts.read('{"m": "hello", "t": 1795275802134}')
    assert told is not None
    assert told.timestamp == Timestamp(1795275802134, zoned=True)


def test_layouts_are_chosen_by_name_and_by_file(tmp_path: Path) -> None:
    """The command line's `--layout`."""
    file = tmp_path / "mine.yaml"
    file.write_text('layouts:\n- {name: mine, pattern: "%m%n"}\n')
    layouts = select_layouts(["kafka-log4j", str(file)])
    assert {layout.name for layout in layouts.text_layouts} == {"kafka-log4j", "mine"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("layouts: {}", "a list 'layouts'"),
        ("[", "expected"),
        ("layouts:\n- {pattern: '%m'}", "'name'"),
        ("layouts:\n- {name: a}", "neither 'pattern' nor 'json'"),
        ("layouts:\n- {name: a, pattern: '%d %q %m'}", "unknown conversion '%q %m'"),
        ("layouts:\n- {name: a, pattern: '%d %p'}", "no message"),
        ("layouts:\n- {name: a, pattern: '%d ${LEVEL} %m'}", "variable"),
        (
            "layouts:\n- {name: a, pattern: '%p %m', samples: [{text: 'no level'}]}",
            "does not read its sample 'no level'",
        ),
        (
            "layouts:\n- {name: a, pattern: '%p %m', samples: [{text: INFO x, message: y}]}",
            "reads the message 'x', not 'y'",
        ),
        (
            "layouts:\n- {name: a, pattern: '%d %m', samples: [{text: '12:00:00 x', at: '12:00:01'}]}",
            "another time",
        ),
        ("layouts:\n- {name: a, pattern: '%d %m', samples: [12]}", "has a 'text'"),
    ],
)
def test_a_broken_layout_file_is_refused_with_its_reason(
    text: str, says: str, tmp_path: Path
) -> None:
    """A message names the file, the layout and what is wrong."""
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(LayoutError, match=r"mine\.yaml") as raised:
        load_layout_file(file)
    assert says in str(raised.value)


def test_unknown_names_and_missing_files_are_told() -> None:
    """With what there is."""
    with pytest.raises(LayoutError, match="did you mean `kafka-log4j`"):
        select_layouts(["kafka"])
    with pytest.raises(LayoutError, match="no-such"):
        select_layouts(["no-such.yaml"])


@pytest.mark.parametrize(
    ("pattern", "text", "thread"),
    [
        (
            r"%highlight(%-5level) %clr(%d{HH:mm:ss}){faint} \(%t\) %m%n",
            "INFO  15:43:22 (main) open",
            "main",
        ),
        ("%d{ISO8601} (%t) %p %m", "2026-11-21 15:43:22,134 (a b) INFO open", "a b"),
        ("%replace(%d %p){'a','b'} %t: %m", "2026-11-21 15:43:22,134 INFO main: open", "main"),
    ],
)
def test_groups_colours_and_parentheses_of_patterns_are_understood(
    pattern: str, text: str, thread: str
) -> None:
    """logback groups with parentheses, log4j writes them."""
    reader = compile_pattern(pattern)
    layouts = Layouts((TextLayout("x", reader),))
    reading = layouts.read(text)
    assert reading is not None
    assert (reading.message, reading.thread) == ("open", thread)


FIELDS = {
    "%d{ISO8601}": "2026-11-21 15:43:22,134",
    "%d{HH:mm:ss.SSS}": "15:43:22.134",
    "[%t]": "[orders-StreamThread-1]",
    "[%15.15t]": "[           main]",
    "(%thread)": "(a b | c)",
    "%-5p": "WARN ",
    "%5level": " WARN",
    "[%p]": "[WARN]",
    "%c": "o.a.k.s.StreamThread",
    "%-40.40logger{39}": "o.a.k.s.StreamThread                    ",
    "%L": "212",
    "%X{user}": "",
}


@given(
    st.lists(st.sampled_from(sorted(FIELDS)), max_size=6),
    st.sampled_from([" ", " - ", "|", ": "]),
    st.sampled_from(["open", "a - b: c|d [e] (f)"]),
)
def test_a_line_is_read_back_by_the_pattern_that_wrote_it(
    fields: list[str], between: str, message: str
) -> None:
    """A law of conversion patterns, whatever their order, and with conversions that come twice."""
    pattern = between.join([*fields, "%m%n"])
    reader = compile_pattern(pattern)
    reading = Layouts((TextLayout("x", reader),)).read(
        between.join([*(FIELDS[field] for field in fields), message])
    )
    assert reading is not None
    assert reading.message.endswith(message)
    assert reading.level == (
        "WARN" if any("p" in field or "level" in field for field in fields) else None
    )


def test_a_pattern_error_is_a_value_error() -> None:
    """So that one `except` suffices."""
    with pytest.raises(PatternError):
        compile_pattern("%")


STEP = "door 7 went SHUT to OPEN"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (f"time:2026-11-21T08:00:00Z\tlogger:a.B\tmessage:{STEP}", "ltsv"),
        (f"CEF:0|a|b|1|7|{STEP}|3|rt=1795248000000 cat=a.B", "cef"),
        (
            f"Nov 21 08:00:00 host CEF:0|a\\|a|b|1|7|Step|3|cat=a.B msg={STEP} rt=1795248000000",
            "cef",
        ),
    ],
)
def test_pairs_in_columns_are_read(text: str, layout: str) -> None:
    """Tools that gather logs write them so; a severity of CEF (0 to 10) is no level."""
    reading = default_layouts().read(text)
    assert reading is not None
    assert (reading.layout, reading.message, reading.logger) == (layout, STEP, "a.B")
    assert reading.timestamp is not None
    assert (reading.timestamp.at_ms, reading.level) == (1795248000000, None)


@pytest.mark.parametrize("text", ["a:1\tb:2", "message:a\tb", "x CEF:0|a|b", "CEF:0|a|b|1|7|d"])
def test_other_columns_are_left_to_other_layouts(text: str) -> None:
    """A line that is nearly of such a form is a message."""
    reading = default_layouts().read(text)
    assert reading is None or reading.layout not in ("ltsv", "cef")


@pytest.mark.parametrize(
    "header",
    [
        "2026-11-21 15:43:22,134 [main] INFO shop.Orders -",
        "[2026-11-21 15:43:22,134] INFO shop.Orders:",
        "2026-11-21 15:43:22.134  INFO 4711 --- [main] shop.Orders : ",
    ],
)
@pytest.mark.parametrize("indent", ["", "    "])
def test_a_header_without_a_message_has_it_on_the_line_below(header: str, indent: str) -> None:
    """Whatever its layout: time, level and logger are those of the record, and a stack trace is none."""
    layouts = default_layouts()
    reading = layouts.read_below(f"{indent}order 1 opened", lambda: header)
    assert reading is not None
    assert (reading.message.strip(), reading.level, reading.logger) == (
        "order 1 opened",
        "INFO",
        "shop.Orders",
    )
    assert layouts.read_below("\tat a.b.C(D.java:1)", lambda: header) is None
    assert layouts.read_below("order 1 opened", lambda: f"{header} here") is None


def test_a_row_of_log4j2s_csv_is_read() -> None:
    """`CsvLogEventLayout` writes no names of columns; a message with a comma stands in quotes."""
    row = '17,1795275802134,WARN,1,main,5,"order 1, late",a.Wrapper,shop.Orders,,,,{},[]'
    reading = default_layouts().read(row)
    assert reading is not None
    assert (reading.level, reading.logger, reading.thread) == ("WARN", "shop.Orders", "main")
    assert reading.message == "order 1, late"
    assert default_layouts().read('17,1795275802134,WARN,1,main,5,"order 1') is None
