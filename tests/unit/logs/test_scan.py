"""Records of a piece: what begins one, what belongs to it, and that no cut changes anything.

Covers: statemachines.logs.fields.log_times, statemachines.logs.records.physical_lines,
statemachines.logs.records.wordless_records,
statemachines.logs.records.record_scan, statemachines.logs.search.buffers.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs import Midnights, Scanner, scan
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.records.physical_lines import PhysicalLines
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.records import Record

HIT = Scanner([b"turned"])


def records(text: str, literal: bytes = b"turned") -> list[Record]:
    """All records of a text."""
    data = text.encode()
    return list(scan(data, 0, len(data), Scanner([literal])))


def test_a_record_is_what_its_first_line_says_and_the_lines_after_it() -> None:
    """Line, place, text, message, stack trace; the logger stands behind the message's last line."""
    text = (
        "[2026-11-21 15:46:19,566] INFO nothing (a.B)\n"
        "[2026-11-21 15:46:20,000] WARN door 1 turned \n\tlocked = no (a.Door)\n"
        "a.LockedException: no\n\tat a.Door.open(Door.java:1)\n[2026-11-21 15:46:21,000] INFO x (a.B)\n"
    )
    (record,) = records(text)
    assert record == Record(
        line=2,
        offset=45,
        text="[2026-11-21 15:46:20,000] WARN door 1 turned ",
        message="door 1 turned",
        layout="kafka-log4j",
        following_lines=("\tlocked = no", "a.LockedException: no", "\tat a.Door.open(Door.java:1)"),
        at_ms=1795275980000,
        level="WARN",
        logger="a.Door",
    )


def test_a_text_that_no_layout_reads_alone_is_read_below_its_header_wherever_else_it_stands() -> (
    None
):
    """What was found out of a text is remembered, and must not hide what the line above it says."""
    header, second = "2026-11-21 15:46:20.000 INFO org.example.Door\n", "door 1 turned\n"
    found = records(second + second + header + second)
    assert [(one.line, one.logger) for one in found] == [
        (1, None), (2, None), (4, "org.example.Door")
    ]  # fmt: skip


@pytest.mark.parametrize("time", ["2026-11-21 15:46:20,000", "2026-13-41 25:00:00.000", "12:00:00"])
@pytest.mark.parametrize(
    "frame", ["{} INFO x", "[{}] x", "[{}]\t[x", "{} +0100 y: {{", "\t{} x", "at {}"]
)
def test_what_surely_begins_a_record_is_read_as_one(time: str, frame: str) -> None:
    """It is told from the time alone, so that the line after most records need not be read."""
    data = frame.format(time).encode()
    lines = PhysicalLines(data, default_layouts())
    surely, read = lines.surely_begins_record(0), lines.line_at(0).parsed
    assert read is not None or not surely
    assert surely or frame != "[{}] x" or time != "2026-11-21 15:46:20,000"


def test_a_hit_in_a_continuation_line_is_no_record() -> None:
    """Text below a record that quotes a line is not that line; only what an exception says may be read, by a wording for it."""
    before = "[2026-11-21 15:46:20,000] ERROR lost (a.Door)\n"
    (thrown,) = records(
        before + "a.DoorException: door 1 turned\n\tat a.Door.turned(Door.java:1)\n"
    )
    assert (thrown.is_trailing_exception, thrown.line, thrown.message, thrown.at_ms) == (
        True,
        2,
        "a.DoorException: door 1 turned",
        1795275980000,
    )
    assert (thrown.logger, thrown.level, thrown.following_lines) == (None, None, ())
    assert (
        records(before.replace("lost", "door 1 turned") + "a.DoorException: door 1 turned\n")[1:]
        == []
    )
    assert records(before + "was: door 1 turned\n") == []
    assert records(before + "x\n" * 199 + "door 1 turned\n") == []


def test_a_record_whose_time_is_left_blank_is_a_record() -> None:
    """Columns for a terminal leave a time out that is that of the line above; the line was lost."""
    text = "[15:46:19] INFO     door 1 turned    door.py:8\n           INFO     door 2 turned    door.py:8\n"
    assert [record.line for record in records(text)] == [1, 2]


def test_a_line_that_no_layout_reads_is_a_record_where_nothing_before_it_is_one() -> None:
    """A log of bare messages; looking back ends after 200 lines or 64 KiB."""
    assert [record.layout for record in records("door 1 turned\ndoor 2 turned\n")] == [
        "plain",
        "plain",
    ]
    before = "[2026-11-21 15:46:20,000] ERROR lost (a.Door)\n"
    assert [record.line for record in records(before + "x\n" * 200 + "door 1 turned\n")] == [202]
    assert [record.line for record in records(before + "x" * 70_000 + "\ndoor 1 turned\n")] == [3]


@pytest.mark.parametrize("blank", ["\t", "  ", "Caused by: ", "at ", "... "])
def test_an_indented_line_never_begins_a_record(blank: str) -> None:
    """However long the stack trace is."""
    assert records(f"{blank}door 1 turned\n") == []


MERGED = """\
a_1  | [2026-11-21 15:46:19,000] WARN door turned
b_1  | [2026-11-21 15:46:19,001] INFO other (x.Y)
a_1  | \tlocked = no (a.Door)
b_1  | \tat x.Y.z(Y.java:1)
a_1  | a.E: no
b_1  | door turned
a_1  | [2026-11-21 15:46:20,000] INFO end (a.Door)
"""


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a_1  | ", "b_1  | "),
        ("[pod/a-0/app] ", "[pod/b-0/app] "),
        ("a-7d9f6c5b8d-x4k2p app ", "b-7d9f6c5b8d-x4k2p app "),
        ("x-a-1  | 2026-11-21T15:46:19.567220943Z ", "x-b-1  | 2026-11-21T15:46:19.567220943Z "),
    ],
)
def test_in_a_merged_file_only_lines_with_the_same_prefix_belong_together(a: str, b: str) -> None:
    """Two programs write into one file, line by line."""
    (record,) = records(MERGED.replace("a_1  | ", a).replace("b_1  | ", b))
    assert record.process is not None
    assert record.process.startswith(("a", "x-a"))
    assert record.following_lines == ("\tlocked = no", "a.E: no")
    assert record.logger == "a.Door"


def test_a_message_of_several_lines_in_journald_is_indented_without_prefix() -> None:
    """As `journalctl` shows it."""
    (record,) = records(
        "Nov 21 15:46:19 h1 app[1]: door turned\n                           locked\nNov 21 15:46:20 h1 app[1]: INFO a.B - x\n"
    )
    assert (record.process, record.following_lines) == (
        "h1/app",
        ("                           locked",),
    )


def test_lines_that_a_container_tool_cut_are_put_together() -> None:
    """The CRI cuts at 16 KiB; a part is no record, whatever it says."""
    at = "2026-11-21T15:46:19.567220943Z stdout"
    other = "2026-11-21T15:46:19.567220943Z stderr F door turned"
    text = (
        f"{at} P [2026-11-21 15:46:19,500] INFO door \n{other}\n{at} P tur\n{at} F ned (a.Door)\n{at} F \tat x\n"
        f"{at} F [2026-11-21 15:46:20,000] INFO turned (a.B)\n"
    )
    told = records(text, b"door")
    assert [(record.message, record.following_lines) for record in told] == [
        ("door turned", ("\tat x",)),
        ("door turned", ()),
    ]
    assert (told[0].at_ms, told[0].zoned) == (1795275979500, True)
    messages = ["door turned", "door turned", "turned"]
    assert [record.message for record in records(text)] == messages


NO = "\x00"
CUT_WORDS = (
    ("{at} P [2026-11-21 15:46:19,500] INFO door tu\n", "{at} F rned (a.Door)\n"),
    ("{at} P door tu\n", "{at} P rn\n", "{at} F ed\n"),
)


@pytest.mark.parametrize("parts", CUT_WORDS)
def test_a_word_is_found_that_a_container_tool_cut(parts: tuple[str, ...]) -> None:
    """No part holds it, and the line would be missing in silence; another stream's lines lie between."""
    at, other = (
        "2026-11-21T15:46:19.567220943Z stdout",
        "2026-11-21T15:46:19.567220943Z stderr F x\n",
    )
    text = other.join(part.format(at=at) for part in parts)
    assert [(one.line, one.message) for one in records(text)] == [(1, "door turned")]
    assert records(text, b"shut") == []


@pytest.mark.parametrize("missing", range(1, 7))
def test_a_word_is_found_that_docker_cut(missing: int) -> None:
    """Docker cuts at 16 KiB, and marks a part by the line feed that it lacks; shorter lines without one are whole."""
    message = "x" * (16_384 - missing) + "turned"
    first, second = message[:16_384], message[16_384:]
    rest = '","stream":"stdout","time":"2026-11-21T15:46:19.567220943Z"}\n'
    (record,) = records(f'{{"log":"{first}{rest}{{"log":"{second}\\n{rest}')
    assert record.message == message
    assert records(f'{{"log":"door tu{rest}{{"log":"rned\\n{rest}') == []


def test_behind_a_hole_a_record_begins() -> None:
    """A machine that crashed leaves zeros at the end of its log, in the middle of a line: what comes after them is a
    line of its own, and what stands before them is whole. That something is lost is said.
    """
    line = "[2026-11-21 15:46:20,000] WARN door turned (a.Door)"
    broken = line.replace("tu", f"t{NO * 99}u")
    for text, messages in (
        (f"{line[:20]}{NO * 99}{line}\n", ["door turned"]),
        (f"{line}{NO * 99}\n{line}\n", ["door turned"] * 2),
        (f"{broken}\n{line}\n", [f"door t{NO * 99}urned", "door turned"]),
    ):
        part = scan(text.encode(), 0, len(text), Scanner([b"urned"]))
        assert [record.message for record in part] == messages
        assert any("zero bytes" in problem for problem in part.problems)


def test_a_new_page_is_no_part_of_a_line() -> None:
    """A form feed stands before records where a log is printed page by page."""
    line = "[2026-11-21 15:46:20,000] WARN door turned (a.Door)\n"
    assert [record.line for record in records(f"{line}\f{line}\f{line}")] == [1, 2, 3]


def test_a_json_record_holds_its_stack_trace() -> None:
    """And a line longer than what is looked at is still read as far as it goes."""
    begin = (
        '{"@timestamp":"2026-11-21T15:46:19.5Z","@version":"1","level":"INFO","message":"a turned'
    )
    (record,) = records(begin + '\\nb","stack_trace":"a.E: x\\n\\tat y\\n"}\n')
    assert (record.message, record.following_lines) == ("a turned", ("b", "a.E: x", "\tat y"))
    (long,) = records(begin + '","x":"' + "y" * 100_000 + '"}\n')
    assert (long.message, long.layout, len(long.text)) == ("a turned", "logstash", 65536)


@pytest.mark.parametrize(
    ("text", "lines", "messages"),
    [
        ("", 0, []),
        ("\n", 1, []),
        ("12:00:00 INFO a.B - turned", 1, ["turned"]),
        (
            "12:00:00 INFO a.B - turned\r\nx\r\n12:00:01 INFO a.B - turned twice\r\n",
            3,
            ["turned", "turned twice"],
        ),
        ("\ufeff2026-11-21 15:43:22 INFO a.B - turned\n", 1, ["turned"]),
        ("\0\0\0\0" + "2026-11-21 15:43:22 INFO a.B - turned\n", 1, ["turned"]),
        (
            "2026-11-21 15:43:22 INFO a.B - turned\rstill the same line\n",
            1,
            ["turned\rstill the same line"],
        ),
        (
            "\x1b[32m2026-11-21 15:43:22\x1b[0m \x1b[1;31mINFO \x1b[m a.B - tur\x1b[1mned\x1b[0m\n",
            1,
            ["turned"],
        ),
        (
            "2026-11-21 15:43:22 INFO a.B - turned\u2028still the same line\x0b\x85\n",
            1,
            ["turned\u2028still the same line"],
        ),
    ],
)
def test_odd_texts_are_read(text: str, lines: int, messages: list[str]) -> None:
    """Only a line feed ends a line; an unfinished last line counts."""
    data = text.encode()
    reading = scan(data, 0, len(data), HIT)
    assert [record.message for record in reading] == messages
    assert reading.lines == lines


def test_bad_bytes_are_shown_as_such() -> None:
    """And hide nothing."""
    data = b"2026-11-21 15:43:22 INFO a.B - \xff\xfe turned \x00 x\n"
    (record,) = scan(data, 0, len(data), HIT)
    assert record.message == "\ufffd\ufffd turned \x00 x"


def test_midnights_are_counted_where_the_date_is_missing() -> None:
    """Also between lines that do not hit, and for each process of a merged file alone."""
    data = b"".join(
        f"{process} | {clock} INFO a.B - {told}\n".encode()
        for process, clock, told in [
            ("a", "23:59:58", "turned"),
            ("b", "10:00:00", "turned"),
            ("a", "00:00:01", "no"),
            ("a", "23:00:00", "no"),
            ("a", "00:30:00", "turned"),
            ("b", "10:00:01", "turned"),
        ]
    )
    reading = scan(data, 0, len(data), HIT)
    assert [
        (record.process, (record.at_ms or 0) // DAY_MS, record.dated) for record in reading
    ] == [
        ("a", 0, False),
        ("b", 0, False),
        ("a", 2, False),
        ("b", 0, False),
    ]
    assert reading.problems == ("times without a date: the time of every line was read",)


def test_lines_out_of_order_around_midnight_make_no_day() -> None:
    """Stamps run back by milliseconds; over midnight that looks like nearly a day."""
    data = b"".join(
        f"{clock} INFO a.B - turned\n".encode()
        for clock in ("23:59:59,999", "00:00:00,001", "23:59:59,998", "00:00:00,002")
    )
    assert [(record.at_ms or 0) // DAY_MS for record in scan(data, 0, len(data), HIT)] == [
        0,
        1,
        0,
        1,
    ]


def test_the_layouts_of_the_records_are_counted() -> None:
    """A source's layout is its most frequent one."""
    data = (
        b"2026-11-21 15:43:22 INFO a.B - turned\n[2026-11-21 15:43:22,000] INFO turned (a.B)\n" * 2
    )
    reading = scan(data, 0, len(data), HIT)
    assert len(list(reading)) == 4
    assert reading.layouts == Counter({"level-logger": 2, "kafka-log4j": 2})


LINES = [
    "[2026-11-21 15:46:19,566] INFO door turned (a.Door)",
    "[2026-11-21 15:46:19,566] INFO door turned",
    "\tat a.Door.turned(Door.java:1)",
    "a.E: turned",
    "",
    "x",
    "\tlocked (a.Door)",
    "23:59:59,000 INFO  a.B - turned",
    "00:00:01,000 INFO  a.B - turned",
    "12:00:00,000 INFO  a.B - quiet",
    "a | [2026-11-21 15:46:19,566] INFO turned",
    "b | \tturned",
    "a | \tx (a.B)",
    "b | 23:00:00 INFO  a.B - turned",
    "b | 01:00:00 INFO  a.B - quiet",
    "2026-11-21T15:46:19.567220943Z stdout P [2026-11-21 15:46:19,500] INFO tur",
    "2026-11-21T15:46:19.567220943Z stdout F ned (a.Door)",
    '{"@timestamp":"2026-11-21T15:46:19.5Z","@version":"1","message":"a turned\\nb","level":"INFO"}',
    '{"log":"00:00:02 INFO turned\\n","stream":"stdout","time":"2026-11-21T15:46:19Z"}',
    "turned\r",
    "\x1b[32mtur\x1b[0mned",
]


@given(
    st.lists(st.sampled_from(LINES), max_size=25),
    st.booleans(),
    st.lists(st.integers(0, 2000), max_size=5),
)
def test_no_cut_of_a_file_changes_what_is_read(
    lines: list[str], ended: bool, cuts: list[int]
) -> None:
    """A law: pieces read anywhere, joined, are the file: records, line numbers, days, counts."""
    data = ("\n".join(lines) + ("\n" if ended else "")).encode()
    whole = scan(data, 0, len(data), HIT)
    expected = list(whole)
    bounds = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    got: list[Record] = []
    before, lines_before, layouts = Midnights(), 0, Counter[str]()
    for start, end in pairwise(bounds):
        piece = scan(data, start, end, HIT)
        found = list(piece)
        got += [_placed(record, lines_before, before, piece.midnights) for record in found]
        lines_before += piece.lines
        layouts += piece.layouts
        before = before.followed_by(piece.midnights)
    assert got == expected
    assert (lines_before, layouts, before) == (whole.lines, whole.layouts, whole.midnights)


def _placed(record: Record, lines: int, before: Midnights, own: Midnights) -> Record:
    days = 0 if record.dated else before.days_before(own, record.process)
    return evolve(
        record,
        line=record.line + lines,
        at_ms=record.at_ms + days * DAY_MS if record.at_ms is not None else None,
    )


@given(st.lists(st.sampled_from(LINES), max_size=60), st.integers(0, 3000), st.integers(0, 3000))
def test_a_window_around_a_piece_is_as_good_as_the_file(
    lines: list[str], one: int, other: int
) -> None:
    """Spark reads a piece with 64 KiB before it and 192 KiB after it, never the file."""
    filler = "\n".join(["filler " * 20] * 800)
    data = (filler + "\n" + "\n".join(lines) + "\n" + filler + "\n" + filler).encode()
    middle = len(filler) + 1
    start, end = sorted((middle + one % 2000, middle + other % 2000))
    low, high = max(0, start - 65537), min(len(data), end + 196608)
    assert [evolve(record, offset=0) for record in scan(data, start, end, HIT)] == [
        evolve(record, offset=0) for record in scan(data[low:high], start - low, end - low, HIT)
    ]


@given(st.lists(st.sampled_from(LINES), max_size=12), st.binary(max_size=60))
def test_no_bytes_make_reading_fail(lines: list[str], noise: bytes) -> None:
    """Whatever stands in a log."""
    data = b"\n".join([noise, *(line.encode() + noise[:5] for line in lines), noise])
    reading = scan(data, 0, len(data), HIT)
    list(reading)
    assert reading.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
