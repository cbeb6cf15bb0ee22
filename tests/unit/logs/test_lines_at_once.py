"""Many lines of a block are read at once as they are one by one.

Covers: statemachines.logs.records.waiting_lines, statemachines.logs.records.record_beginnings,
statemachines.logs.records.plain_columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs.records import plain_columns, plain_line_reader
from statemachines.logs.records.clock_search import plain_clock
from statemachines.logs.records.line_clocks import ClockTimes, LineClock
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_line_reader import PlainLineReader
from statemachines.logs.records.plain_lines import PlainRun, line_key
from statemachines.logs.records.record_beginnings import RecordBeginnings
from statemachines.model.arrays import load_numpy

DOOR = b"[2026-11-21 10:00:%02d,500] INFO door %02d opened (house.Door)"
BARE = b"2026-11-21 10:00:%02d.250 WARN  door %02d is jammed"
WHOLE = b"[2026-11-21 10:00:%02d,125] INFO door %02d, and whatever stands below it"
PLAIN = st.builds(
    bytes.__mod__, st.sampled_from([DOOR, BARE, WHOLE]), st.tuples(*[st.integers(0, 59)] * 2)
)
ODD = st.sampled_from(
    [
        b"java.lang.IllegalStateException: door 7",
        b"\tat house.Door.open",
        DOOR.replace(b"11-21", b"13-21") % (1, 2),
        DOOR % (3, 4) + b"\r",
        b"[2026-11-21 10:00:00,500] INFO nobody knows this door",
        b"2026-11-21 10:00:00,500",
        b"",
    ]
)
LINES = st.lists(st.one_of(*[PLAIN] * 9, ODD), min_size=1, max_size=60)


class Form:
    """What is known of the lines of one of the three forms."""

    layout, is_wordless, logger, warning_level, warning_message = "kafka-log4j", False, None, "", ""

    def __init__(self, pattern: bytes) -> None:
        self.is_whole, clock = pattern == WHOLE, plain_clock(pattern % (1, 2))
        assert clock is not None
        self.clock = clock


class Forms:
    """Knows two of the three from the start, and learns the third."""

    silent = frozenset[tuple[bytes, bytes]]()

    def __init__(self) -> None:
        self.known = {line_key(pattern % (1, 2)): Form(pattern) for pattern in (DOOR, WHOLE)}

    def learn(self, key: bytes, raw: bytes, below: bytes = b"") -> Form | None:
        if below or key != line_key(BARE % (1, 2)):
            return None
        return self.known.setdefault(key, Form(BARE))

    def clock_of(self, raw: bytes) -> LineClock | None:
        return plain_clock(raw)


def block_of(lines: Iterable[bytes], first: int, end: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a block, and its lines that speak of a door: offsets and numbers."""
    data, hits, at = b"\n".join(lines) + end, list[tuple[int, int]](), 0
    for number, line in enumerate(data.split(b"\n"), first):
        if b"door" in line:
            hits.append((at, number))
        at += len(line) + 1
    return data, hits


def read(blocks: Sequence[Sequence[bytes]], end: bytes, *, in_columns: bool) -> list[object]:
    """Return what is read of some blocks, line by line."""
    reader, first, found = PlainLineReader(Forms(), None, in_columns=in_columns), 1, list[object]()
    for number, lines in enumerate(blocks):
        data, hits = block_of(lines, first, end if number == len(blocks) - 1 else b"\n")
        for one in reader.gathered_runs(data, hits):
            found += flat(one) if isinstance(one, PlainRun | PlainColumns) else [one]
        first += len(lines)
    for one in reader.rest():
        found += flat(one)
    return found


def flat(run: PlainRun | PlainColumns) -> list[object]:
    """Return the lines of a run: the clock of its form, text, number and time."""
    lists = run.run() if isinstance(run, PlainColumns) else run
    clocks = [form.clock for form in lists.forms]
    return list(zip(clocks, lists.texts, lists.numbers, lists.times, strict=True))


@given(
    blocks=st.lists(LINES, min_size=1, max_size=4),
    end=st.sampled_from([b"", b"\n"]),
    least=st.sampled_from([1, 20, 1000]),
)
def test_many_lines_are_read_as_each_of_them_is(
    blocks: list[list[bytes]], end: bytes, least: int
) -> None:
    """In the order of the file, whatever stands between them or below them."""
    alone = read(blocks, end, in_columns=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_line_reader, "LEAST_AT_ONCE", 1)
        patch.setattr(plain_line_reader, "LEAST_PLAIN", 2)
        patch.setattr(plain_columns, "LEAST_LINES", least)
        assert read(blocks, end, in_columns=True) == alone


@given(st.lists(st.one_of(PLAIN, ODD), min_size=1, max_size=30))
def test_lines_that_surely_begin_a_record_do_so_by_themselves(lines: list[bytes]) -> None:
    """All that begin with a plain time are known at once, but where one of them is of no
    calendar.
    """
    data = b"\n".join(lines) + b"\n"
    places = [at for at in range(len(data)) if at == 0 or data[at - 1 : at] == b"\n"]
    beginnings = RecordBeginnings(Forms(), ClockTimes(None))
    alone = [beginnings.begins(data, at) for at in places]
    together = beginnings.surely_begin(data, load_numpy().array(places, int)).tolist()
    assert all(begins or not sure for begins, sure in zip(alone, together, strict=True))
    if all(b"13-21" not in line for line in lines) and len(set(lines)) < 8:
        assert together == alone


def test_the_forms_of_columns_are_told_in_the_order_in_which_they_are_met() -> None:
    """As where lines are read one by one, also behind a line that none of them is."""
    door, whole, bare = (pattern % (1, 2) for pattern in (DOOR, WHOLE, BARE))
    odd = b"[2026-11-21 10:00:00,500] INFO nobody knows this door"
    data, hits = block_of([door, whole, odd, whole, bare, door, whole], 1, b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_line_reader, "LEAST_AT_ONCE", 1)
        patch.setattr(plain_line_reader, "LEAST_PLAIN", 1)
        patch.setattr(plain_columns, "LEAST_LINES", 1)
        reader = PlainLineReader(Forms(), None, in_columns=True)
        first, _, second = list(reader.runs(data, hits))
    assert isinstance(first, PlainColumns)
    assert isinstance(second, PlainColumns)
    met = [[(form.is_whole, form.clock.low) for form in run.counts()] for run in (first, second)]
    assert met == [[(False, 1), (True, 1)], [(True, 1), (False, 0), (False, 1)]]
