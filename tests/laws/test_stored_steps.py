"""Laws: steps of one instance that are read again from a stored timeline are those of the timeline,
however few of them are in memory; and as columns they say the same.

Covers: statemachines.conform.engines.stored_rows, statemachines.conform.interchange.instance_steps,
statemachines.conform.engines.observation_store.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from itertools import repeat

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.engines.observation_store import StoredSteps, StoredTimeline
from statemachines.conform.engines.stored_rows import ModelsAtHand, RowsInMemory, RowsOnDisk
from statemachines.conform.interchange.instance_steps import (
    InstanceSteps,
    JoinedSteps,
    instance_steps,
)
from statemachines.conform.interchange.judgements import StepRow
from statemachines.conform.interchange.packed_rows import PackedRows, RowPacker
from statemachines.model.evidence.packed_steps import StepModel
from statemachines.model.evidence.reports import Report, StepValues
from tests.doors import House
from tests.effort import some_of

MESSAGES = (
    "Door {d} goes from CLOSED to OPEN",
    "Door {d} goes from OPEN to CLOSED",
    "Door {d} goes from LOCKED to JAMMED",
    "DEBUG Door {d} bolt moves it from CLOSED to LOCKED",
    "Door {d} stands OPEN",
    "House program starting up",
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """One house for all examples."""
    return House(tmp_path_factory.mktemp("house"))


def judged(house: House, messages: Iterable[str], in_memory: int) -> Report:
    """The report of a log, of whose timeline so many rows are in memory at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StoredTimeline.__init__, "__defaults__", (in_memory,))
        return house.judge(*messages, timeline=True)


Row = tuple[StepModel, int, int, int, int | None]


def rows_of(steps: InstanceSteps) -> list[Row]:
    """What the columns say of each step."""
    return [
        (evolve(packed.models[code], **({} if line else {"file": ""})), at, line, since, run)
        for packed, runs in steps.columns()
        for code, at, line, since, run in zip(
            packed.codes,
            packed.times,
            packed.lines,
            packed.source_since,
            runs or repeat(None, len(packed.codes)),
            strict=True,
        )
    ]


@settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lines=st.lists(st.tuples(st.sampled_from(MESSAGES), st.sampled_from("abc")), max_size=40),
    in_memory=st.sampled_from([1, 3, 1_000]),
)
def test_stored_steps_are_those_of_the_timeline(
    house: House, lines: list[tuple[str, str]], in_memory: int
) -> None:
    """Each by itself, all one after the other, and as columns."""
    timeline = judged(house, [text.format(d=d) for text, d in lines], in_memory).timeline
    assert isinstance(timeline, StoredTimeline) or not lines
    listed = list(instance_steps(tuple(timeline), {"Door", "house/Door"}))
    stored = list(instance_steps(timeline, {"Door", "house/Door"}))
    assert sum(map(len, listed)) == len(tuple(timeline))
    for steps, expected in zip(stored, listed, strict=True):
        assert isinstance(steps, StoredSteps)
        assert (steps.machine, steps.instance) == (expected.machine, expected.instance)
        assert steps.processes == expected.processes
        assert list(steps) == list(expected) == [steps.step(n) for n in range(len(expected))]
        assert rows_of(steps) == rows_of(expected)
        assert list(steps.of_process(steps.processes[0])) == list(expected)
    if listed:
        whole = JoinedSteps(stored)
        assert list(whole) == list(timeline) == [whole.step(n) for n in range(len(whole))]
        assert rows_of(whole) == [row for steps in listed for row in rows_of(steps)]


ROWS = st.lists(
    st.builds(
        StepRow,
        incarnation=st.integers(1, 2),
        at=st.none() | st.integers(0, 9_000),
        zone=st.just("Z"),
        source=st.sampled_from([None, "OPEN"]),
        target=st.sampled_from(["CLOSED", "LOCKED"]),
        how=st.sampled_from(["told", "missing"]),
        process=st.integers(0, 1),
        file=st.integers(0, 1),
        line=st.integers(0, 9),
        text=st.none() | st.text(max_size=9),
        values=st.none() | st.builds(lambda n: StepValues({"n": n}, {}), st.integers(0, 2)),
        source_since=st.none() | st.integers(0, 9),
    ),
    max_size=30,
)


@given(rows=ROWS, more=ROWS, cuts=st.tuples(st.integers(0, 30), st.integers(0, 30)))
def test_any_rows_are_read_alone(
    rows: list[StepRow], more: list[StepRow], cuts: tuple[int, int]
) -> None:
    """From memory, and from a file that holds others as well: times, texts and values."""
    start, stop = sorted(min(cut, len(rows)) for cut in cuts)
    with tempfile.TemporaryFile() as file:
        at_hand: ModelsAtHand = {}
        on_disk = [RowsOnDisk(file, packed(some), at_hand) for some in (more, rows, more)]
        for block in (RowsInMemory(packed(rows)), on_disk[1]):
            assert len(block) == len(rows)
            assert list(block.rows(start, stop)) == rows[start:stop]
            models = block.models_of(start, stop)
            assert {model.process for model in models} == {row.process for row in rows[start:stop]}
            assert len(models) <= stop - start
        assert list(on_disk[2].rows(0, len(more))) == more


def packed(rows: list[StepRow]) -> PackedRows:
    """The rows as columns."""
    packer = RowPacker()
    packer.add_rows(rows)
    return packer.take()
