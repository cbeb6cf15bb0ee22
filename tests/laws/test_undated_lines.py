"""Law: the times of day of a block that are read at once are those that each line tells.

Covers: statemachines.logs.records.undated_lines, statemachines.logs.records.day_clocks,
statemachines.logs.fields.log_times.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.logs import Midnights, Scanner, default_layouts, scan
from statemachines.logs.records import day_clocks
from statemachines.model.evidence.records import Record
from tests.effort import some_of

TIMES = st.builds(
    "{:02}:{:02}:{:02}{}".format,
    st.sampled_from([0, 1, 11, 12, 13, 23, 23, 0, 24]),
    st.sampled_from([0, 30, 59, 59, 60]),
    st.sampled_from([0, 1, 58, 59, 61]),
    st.sampled_from(["", ".004", ",999", ".4", ",123456"]),
)
HEADS = st.sampled_from(
    [*["{}"] * 6, "[{}]", "[{}]", "{}|", "web-1  | {}", " {}", "\ufeff{}", "({})", "2026-11-21 {}"]
)
BEHIND = st.sampled_from(
    [
        *(" INFO ", "  WARN  ", " [main] INFO ", " [", " TRACE\t", " ERROR", "\tDEBUG "),
        *(" PM ", " pm ", " a.m. ", " p.m. ") * 3,
        *(" pm INFO ", " UTC INFO ", " 2021 ", " INFOX ", " EST ", " +0200 ", " Z "),
        *(
            " Central European Summer Time ",
            " | ",
            ": ",
            "",
            " stdout F ",
            " - ",
            " INFO 12:00:00 ",
        ),
    ]
)
PARTS = st.lists(
    st.sampled_from(
        [
            *("door", "open", "door d", "10:11:12", "2026-11-21", "[x]", "] ", " - ", "| ", ": "),
            *("{", "}", '"', "\\", "\x1b[31m", "1234567890", "UTC", "PM", "org.Door", "(a.B)", "é"),
        ]
    ),
    max_size=5,
).map(" ".join)
LINES = st.builds(
    lambda time, head, behind, rest: head.format(time) + behind + rest, TIMES, HEADS, BEHIND, PARTS
)
OTHERS = st.sampled_from(
    ["", "\tat house.Door.open(Door.java:7)", "java.io.IOException: door", "door"]
)
TEXTS = st.lists(st.one_of(LINES, LINES, LINES, OTHERS), max_size=25)


def read(text: bytes, least: int) -> tuple[list[Record], Midnights, int]:
    """Return the records of a text, what its clocks show, and how many lines it has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(day_clocks, "LEAST_AT_ONCE", least)
        part = scan(text, 0, len(text), Scanner([b"door"]), default_layouts())
        return list(part), part.midnights, part.lines


@settings(max_examples=some_of(400), deadline=None)
@given(lines=TEXTS, end=st.sampled_from(["", "\n", "\r\n"]))
def test_times_that_are_read_at_once_are_those_of_each_line(lines: list[str], end: str) -> None:
    """With all that may stand around a time, or behind it as if it were of it."""
    text = ("\n".join(lines) + end).encode()
    assert read(text, 0) == read(text, 1 << 40)


@settings(max_examples=some_of(1000), deadline=None)
@given(LINES)
def test_the_time_of_a_line_is_its_own(line: str) -> None:
    """Also in a line that stands alone."""
    assert read(line.encode(), 0) == read(line.encode(), 1 << 40)


def test_a_midnight_is_known_between_lines_that_hit() -> None:
    """Nothing else tells it than lines of which nothing is read."""
    said = [
        "23:59:58 INFO door",
        "23:59:59 INFO quiet",
        "00:00:01 INFO quiet",
        "00:00:02 INFO door",
    ]
    records, midnights, lines = read("\n".join(said).encode(), 0)
    first, last = (record.at_ms or 0 for record in records)
    assert last - first == 4000
    assert midnights.spans[None].midnights == 1
    assert lines == 4


def test_hardly_any_line_is_read_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would take as long as before: one in ten here, and the lines that hit."""
    text = "".join(
        f"10:{n // 60 % 60:02}:{n % 60:02}.000 [main] INFO org.Other - quiet\n"
        + ("\tat some.Trace.of(It.java:1)\n" if n % 10 == 0 else "")
        for n in range(1000)
    ).encode()
    told, time_of_day = list[int](), day_clocks.PhysicalLines.time_of_day

    def counted(self: day_clocks.PhysicalLines, offset: int) -> object:
        told.append(offset)
        return time_of_day(self, offset)

    monkeypatch.setattr(day_clocks.PhysicalLines, "time_of_day", counted)
    read(text, 0)
    assert len(told) == len(re.findall(b"\tat", text))
