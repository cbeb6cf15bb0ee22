"""Texts that may hold times of day alone are told quickly, whatever prefix stands before them.

Covers: statemachines.logs.fields.levels, statemachines.logs.layouts.parsed_lines,
statemachines.logs.search.scanner.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs import default_layouts
from statemachines.logs.records.physical_lines import PhysicalLines
from statemachines.logs.search.scanner import (
    _LATER_TIMES,
    _LINE_TIME,
    _compiled,
    line_starts,
    may_have_undated_lines,
)

PREFIXES = [
    "",
    "  ",
    "\ufeff",
    "\0",
    "[",
    "app_1  | ",
    "[pod/a-0/b] ",
    "a-7d9f6c5b8d-x4k2p app ",
    "\x1b[32m",
    "a_1 | [",
]
PARTS = [
    *PREFIXES,
    "12:00:00",
    "2026-11-21 ",
    "[2026-11-21 1",
    "2026-13-21 1",
    "] INFO x",
    ",123 INFO a.B - x",
    "\n",
    "INFO ",
    "word ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_time_of_day_is_seen_behind_every_prefix(prefix: str) -> None:
    """A piece without such a time is not read line by line."""
    line = f"{prefix}12:00:00,123{']' if prefix.endswith('[') else ''} INFO  a.B - x"
    assert may_have_undated_lines(f"2026-11-21 12:00:00 INFO a.B - x\n{line}\n".encode())
    assert may_have_undated_lines(line.encode())


LINES = st.lists(
    st.lists(st.sampled_from(PARTS), max_size=6, unique=True).map("".join), max_size=4
).map("\n".join)


@given(LINES)
def test_what_is_read_without_date_was_seen(text: str) -> None:
    """A law: no time of day that a layout reads at a line's beginning is missed."""
    data = text.encode()
    lines = PhysicalLines(data, default_layouts())
    if any(lines.time_of_day(start) for start in line_starts(data)):
        assert may_have_undated_lines(data)


@given(
    st.sampled_from(["2026-11-21 1", "[2026-11-21T0"]),
    st.lists(st.lists(st.sampled_from(PARTS[10:]), max_size=4).map("".join), min_size=1),
    st.booleans(),
)
def test_what_begins_with_a_date_tells_no_time_of_day(
    date: str, endings: list[str], ends: bool
) -> None:
    """A law: lines that begin with one date are told by that, whatever stands behind it, however
    many they are; a time of day alone among them is seen.
    """
    lines = [date + ending.replace("\n", "") for ending in endings]
    data = "\n".join(lines * 50).encode() + b"\n" * ends
    physical = PhysicalLines(data, default_layouts())
    assert not any(map(physical.time_of_day, line_starts(data)))
    assert not may_have_undated_lines(data)
    assert may_have_undated_lines(data + b"\n12:00:00,123 INFO x\n" + data)


@given(LINES)
def test_the_time_of_a_line_is_the_one_of_its_record(text: str) -> None:
    """`time` is `read`, sooner."""
    for line in text.split("\n"):
        reading = default_layouts().read(line)
        assert default_layouts().record_time(line) == (reading.timestamp if reading else None)


@given(
    st.lists(
        st.sampled_from([part.encode() for part in PARTS] + [b"\xef", b"\xff"]), max_size=12
    ).map(b"".join)
)
def test_pythons_own_engine_sees_the_same(data: bytes) -> None:
    """What is installed changes the speed, never the report."""
    for source in (_LINE_TIME, *(source for _, source in _LATER_TIMES)):
        assert bool(_compiled(source, long=True).search(data)) == bool(re.search(source, data))
