"""Lines that differ in their digits only: what their form is, and which of them are plain.

Covers: statemachines.conform.observe.line_slots, statemachines.logs.records.plain_lines,
statemachines.logs.records.plain_line_reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.observe import line_slots
from statemachines.conform.observe.line_slots import (
    NoSlotError,
    SlotMemory,
    make_slot,
    probe_lines,
)
from statemachines.logs.fields.log_times import in_zone, parse_time
from statemachines.logs.records.clock_search import plain_clock
from statemachines.logs.records.line_clocks import LineClock
from statemachines.logs.records.plain_line_reader import PlainLineReader
from statemachines.logs.records.plain_lines import (
    PlainRun,
    is_digit_blind,
    line_key,
    time_start,
)
from statemachines.model.evidence.moments import time_zone

LINE = b"[2026-11-21 10:00:00,500] INFO door 12 opened (house.Door)"


class OneForm:
    """Knows any line as the same form."""

    layout, is_wordless, logger = "kafka-log4j", False, None
    is_whole, warning_level, warning_message = False, "", ""
    clock = plain_clock(LINE)

    def __init__(self) -> None:
        self.known: dict[bytes, OneForm | None] = {}

    def learn(self, key: bytes, raw: bytes, below: bytes = b"") -> OneForm | None:
        return None if below else self

    def clock_of(self, raw: bytes) -> LineClock | None:
        return plain_clock(raw)


@pytest.mark.parametrize(
    ("pattern", "blind"),
    [
        (r"id=(?P<id>\d+) took \d{1,9} ms", True),
        (r"[0-9a-f]{8}", True),
        ("with 0 members", False),
        ("[1-9]", False),
        (r"(?P<state>STATE1|STATE2)", False),
    ],
)
def test_a_pattern_that_tells_digits_apart_is_known(pattern: str, blind: bool) -> None:
    """A form says nothing of lines that such a pattern may read."""
    assert is_digit_blind(pattern) is blind


def runs(data: bytes, *lines: tuple[int, int], zone: str | None = None) -> list[object]:
    """Read lines of a block."""
    return list(PlainLineReader(OneForm(), time_zone(zone)).runs(data, lines))


def test_the_time_of_a_plain_line_is_read() -> None:
    """To the millisecond, in the zone that is given."""
    data = LINE + b"\n" + LINE + b"\n"
    for zone, at_ms in ((None, 1_795_255_200_500), ("Europe/Berlin", 1_795_251_600_500)):
        [run] = runs(data, (0, 7), zone=zone)
        assert isinstance(run, PlainRun)
        assert run[1:4] == ([LINE.decode()], [7], [at_ms])


@given(
    st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Monrovia", None]),
    st.lists(
        st.sampled_from(
            [
                "2026-03-29 01:59",
                "2026-03-29 02:00",
                "2026-10-25 02:59",
                "2026-10-25 03:00",
                "2026-04-05 01:59",
                "1972-01-07 00:00",
                "1972-01-07 00:44",
                "2026-11-21 10:00",
                "2026-11-31 10:00",
                "2026-11-21 24:00",
                "2026-11-21 23:59",
            ]
        ),
        min_size=1,
    ),
    st.lists(st.integers(0, 99), min_size=1),
)
def test_a_second_is_read_as_if_it_were_the_first_of_its_minute(
    name: str | None, minutes: list[str], seconds: list[int]
) -> None:
    """A law: what is known of a minute says of its seconds what reading each says; also where
    clocks are put back, in a minute that no calendar has, and of seconds that no minute has.
    """
    zone = time_zone(name) if name else None
    times = [f"{minute}:{second:02}" for minute in minutes for second in seconds]
    lines = [f"[{time},007] INFO door 1 opened".encode() for time in times]
    expected = []
    for time in times:
        moment = parse_time(f"{time},007")
        expected.append(moment and (in_zone(moment, zone) if zone else moment).at_ms)
    reader = PlainLineReader(OneForm(), zone)
    for line, at_ms in zip(lines, expected, strict=True):
        read = list(reader.runs(line + b"\n[2026-11-21 10:00:00,000] INFO a\n", [(0, 1)]))
        assert read == [(0, 1)] if at_ms is None else read[0].times == [at_ms]


def test_plain_lines_that_stand_together_are_one_run() -> None:
    """What must be read by its layout stands between two runs as it was given."""
    at = len(LINE) + 1
    odd = LINE.replace(b"11-21", b"13-21") + b"\n"
    data = (LINE + b"\n") * 3 + odd + (LINE + b"\n") * 2
    found = runs(data, *((n * at, n + 1) for n in range(6)))
    numbers = [run.numbers if isinstance(run, PlainRun) else run for run in found]
    assert numbers == [[1, 2], (2 * at, 3), (3 * at, 4), [5], (5 * at, 6)]


@pytest.mark.parametrize(
    "after",
    [
        b"",
        b"java.lang.IllegalStateException: no\n",
        b"[2026-02-30 10:00:00,500] INFO a day that no calendar has\n",
        b"2026-11-21 10:00:00,500\n",
        b"\tat house.Door.open\n",
    ],
)
def test_a_line_that_another_may_belong_to_is_not_plain(after: bytes) -> None:
    """What follows may be its stack trace: only what surely begins a record ends it, also where
    lines that begin alike did.
    """
    at = len(LINE) + 1
    run, alone = runs((LINE + b"\n") * 2 + after, (0, 1), (at, 2))
    assert isinstance(run, PlainRun)
    assert run.numbers == [1]
    assert alone == (at, 2)


@pytest.mark.parametrize(
    "raw", [b"INFO no time", "[2026-11-21 10:00:00,500] INFO über".encode(), LINE + b"x" * 5000]
)
def test_only_short_lines_of_ascii_with_a_time_may_be_plain(raw: bytes) -> None:
    """Places of characters are places of bytes there."""
    assert time_start(raw) is None


def test_lines_above_the_same_lines_are_one_form() -> None:
    """A program that starts writes its settings below a line, a hundred of them each time: with
    others below, or with an end that may go on, a record is read by itself.
    """
    below, asked = b"\tkey = 1\n\tkey = 2\n", list[tuple[bytes, bytes]]()

    class OfBelow(KnownForms):
        """Knows a line above those lines only."""

        def learn(self, key: bytes, raw: bytes, below: bytes = b"") -> OneForm | None:
            asked.append((key, below))
            return self.known.setdefault(key, OneForm() if below.endswith(b"2\n") else None)

    blocks = [LINE + b"\n" + text for text in (below, below, below.replace(b"2", b"3"), below)]
    starts = list(accumulate(map(len, blocks), initial=0))[:-1]
    reader = PlainLineReader(OfBelow(), None)
    found = list(reader.runs(b"".join(blocks), [*zip(starts, (1, 4, 7, 10), strict=True)]))
    numbers = [run.numbers if isinstance(run, PlainRun) else run for run in found]
    assert numbers == [[1, 4], (starts[2], 7), (starts[3], 10)]
    assert [told for _, told in asked] == [below, below.replace(b"2", b"3")]
    assert len({key for key, _ in asked}) == 2


def test_all_lines_of_a_form_have_one_key() -> None:
    """Of the same length, so that places hold in all of them."""
    assert line_key(LINE) == line_key(LINE.replace(b"12", b"98")) != line_key(LINE + b"1")


ODD = (
    b"",
    b"java.lang.IllegalStateException: door 7",
    LINE.replace(b"11-21", b"13-21"),
    LINE + b"\r",
    "[2026-11-21 10:00:00,500] door über".encode(),
    b"2026-11-21 10:00:00,500",
)
"""Lines that are not plain, or that are in the way of one."""


class KnownForms(OneForm):
    """Knows the door's line from the start, and learns nothing."""

    def __init__(self) -> None:
        self.known: dict[bytes, OneForm | None] = {line_key(LINE): OneForm()}

    def learn(self, key: bytes, raw: bytes, below: bytes = b"") -> None:
        return None


def doors(data: bytes) -> list[int]:
    """Return the offsets of the lines that speak of a door."""
    starts = [0, *(found.end() for found in re.finditer(b"\n", data))]
    return [at for at in starts if b"door" in data[at:].partition(b"\n")[0]]


def flat(found: Iterable[PlainRun | tuple[int, int]]) -> list[object]:
    """Return what was read line by line."""
    return [
        line
        for one in found
        for line in (zip(*one[1:4], strict=True) if isinstance(one, PlainRun) else [one])
    ]


@given(
    lines=st.lists(st.one_of(st.just(LINE), st.sampled_from(ODD))),
    end=st.sampled_from([b"", b"\n"]),
)
def test_a_dense_block_is_read_as_its_lines_are(lines: list[bytes], end: bytes) -> None:
    """Only sooner: the same lines are plain, the same hit, under the same numbers."""
    data, reader = b"\n".join(lines) + end, PlainLineReader(KnownForms(), None)
    hits = [(at, data.count(b"\n", 0, at) + 7) for at in doors(data)]
    found = [*reader.dense_runs(data, 7, doors), *reader.rest()]
    assert flat(found) == flat(reader.runs(data, hits))


@given(st.lists(st.lists(st.one_of(st.just(LINE), st.sampled_from(ODD[:-1])), min_size=1)))
def test_lines_of_many_blocks_are_one_run(blocks: list[list[bytes]]) -> None:
    """Where few lines hit, a block has few of them: what waits is what all blocks have at once, and
    only a line that must be read by its layout comes between.
    """
    reader, found = PlainLineReader(KnownForms(), None), list[PlainRun | tuple[int, int]]()
    number, expected = 1, list[object]()
    for lines in blocks:
        data = b"\n".join([*lines, LINE]) + b"\n"
        hits = [(at, data.count(b"\n", 0, at) + number) for at in doors(data)]
        found += reader.gathered_runs(data, hits)
        expected += flat(PlainLineReader(KnownForms(), None).runs(data, hits))
        number += len(lines) + 1
    found += reader.rest()
    assert flat(found) == expected
    assert not list(reader.rest())
    neighbours = pairwise(isinstance(one, PlainRun) for one in found)
    assert not any(both == (True, True) for both in neighbours)


def test_a_block_is_dense_where_most_of_its_lines_are_known() -> None:
    """Else each line would be looked up in vain."""
    reader, other = PlainLineReader(KnownForms(), None), b"java.lang.IllegalStateException: no"
    assert reader.is_dense(b"\n".join([LINE, LINE, LINE, other]))
    assert not reader.is_dense(b"\n".join([LINE, other, other, LINE]))


def test_every_digit_of_a_line_differs_in_the_lines_that_are_made_of_it_and_from_every_other() -> (
    None
):
    """A digit that is the same in all of them is taken for a constant: the 1 at place 111 was."""
    probes = probe_lines("0" * 4096)
    codes = list(zip(*probes, strict=True))
    assert len(set(codes)) == len(codes)
    assert all(len(set(code)) > 1 for code in codes)


def test_a_value_is_found_where_it_stands() -> None:
    """As text, as a number with its sign, in tuples, and as a constant."""
    line = "door 12 of house -7 is open"
    lines = [line, *probe_lines(line)]
    values = [(one[5:7], int(one[17:19]), "open", None) for one in lines]
    slot = make_slot(lines, values, SlotMemory())
    assert slot("door 34 of house -5 is open") == ("34", -5, "open", None)


def test_a_value_that_is_no_part_of_the_line_has_no_place() -> None:
    """A sum, a lookup: the line is read by itself."""
    line = "door 12"
    lines = [line, *probe_lines(line)]
    with pytest.raises(NoSlotError):
        make_slot(lines, [int(one[5:7]) + 1 for one in lines], SlotMemory())


def test_what_slots_remember_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log may name more instances than memory holds; values are made anew then."""
    monkeypatch.setattr(line_slots, "MOST_VALUES", 5)
    memory, lines = SlotMemory(), ["door 12", *probe_lines("door 12")]
    slots = [make_slot(lines, [one[5:7] for one in lines], memory) for _ in range(2)]
    for number in range(10, 99):
        assert [slot(f"door {number}") for slot in slots] == [str(number)] * 2
        assert sum(map(len, slots)) <= 5
