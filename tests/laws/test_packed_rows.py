"""Law: rows of a timeline that were packed into columns are the rows that came.

Covers: statemachines.conform.interchange.packed_rows, statemachines.conform.columns.column_steps,
statemachines.conform.columns.stored_columns.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.columns import column_steps, stored_columns
from statemachines.conform.columns.column_steps import ColumnRows
from statemachines.conform.engines.local import check_files
from statemachines.conform.interchange.judgements import StepRow
from statemachines.conform.interchange.packed_rows import PackableRows, RowPacker
from statemachines.logs import default_layouts
from statemachines.model.arrays import is_numpy_installed
from statemachines.model.evidence.reports import StepValues
from statemachines.model.language.frozen_values import FrozenMap
from tests.doors import DOOR
from tests.laws.test_columns import SOME, World, columns, histories, moves

STATES = st.sampled_from([None, "OPEN", "CLOSED"])
MOMENTS = st.none() | st.integers(-(1 << 40), 1 << 40)
VALUES = st.none() | st.builds(
    StepValues,
    st.builds(FrozenMap, st.fixed_dictionaries({"count": st.sampled_from([1, True, "1"])})),
    st.just(FrozenMap({})),
)
ROWS = st.builds(
    StepRow,
    st.integers(0, 3),
    MOMENTS,
    st.sampled_from(["Z", "unknown"]),
    STATES,
    STATES,
    st.sampled_from(["told", "hidden"]),
    st.integers(-1, 2),
    st.integers(0, 2),
    st.integers(0, 1 << 40),
    st.none() | st.text(max_size=4) | st.just("\ud800"),
    VALUES,
    MOMENTS,
)


def shown(rows: Iterable[StepRow]) -> list[str]:
    """True and 1 are equal, and not the same."""
    return list(map(repr, rows))


@given(runs=st.lists(st.lists(ROWS, max_size=5), max_size=5), again=st.booleans())
def test_what_was_packed_comes_back(runs: list[list[StepRow]], again: bool) -> None:
    """In parts, pickled, and packed once more behind other rows."""
    packer, counts = RowPacker(), list[int]()
    for run in runs:
        counts.append(sum(packer.add(run)))
    assert counts == list(map(len, runs))
    packed = pickle.loads(pickle.dumps(packer.take()))
    assert len(packer) == 0
    assert [shown(part) for part in packed.parts(counts)] == [shown(run) for run in runs]
    if again:
        for part in [*packed.parts(counts)][::-1]:
            assert sum(packer.add(part)) == len(part)
        assert shown(packer.packed()) == shown(row for run in runs[::-1] for row in run)


@pytest.mark.skipif(not is_numpy_installed(), reason="needs numpy")
@SOME
@given(
    lines=histories(),
    most=st.sampled_from([1, 7, 10_000]),
    between=st.sampled_from([0, 3, 20]),
    apart=st.sampled_from([0, 16]),
)
def test_columns_are_packed_as_their_rows_would_be(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], most: int, between: int, apart: int
) -> None:
    """With the texts of their lines, whatever stands between them."""
    add, made, packed = RowPacker.add, ColumnRows.__init__, list[int]()

    def quoted(rows: ColumnRows, *arguments: Any, is_quoted: bool) -> None:
        made(rows, *arguments, is_quoted=True)

    def checked(packer: RowPacker, rows: Iterable[StepRow]) -> Iterator[int]:
        if isinstance(rows, PackableRows):
            alone = RowPacker()
            assert sum(rows.pack_into(alone, most)) == len(rows) == len(alone)
            assert shown(alone.take()) == shown(rows)
            packed.append(len(rows))
        yield from add(packer, rows)

    world = World(tmp_path_factory.mktemp("doors"), DOOR)
    with columns(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(ColumnRows, "__init__", quoted)
        patch.setattr(RowPacker, "add", checked)
        patch.setattr(column_steps, "_FEWEST_BETWEEN", between)
        patch.setattr(stored_columns, "_READ_FOR_A_BYTE", apart)
        found = check_files(world.plan, world.inputs(lines), default_layouts())
    assert sum(packed) <= len(list(found.timeline))


def test_plain_steps_are_packed_as_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the law above would say nothing."""
    given_rows = list[int]()
    add_columns = RowPacker.add_columns

    def counted(packer: RowPacker, models: Any, by_row: Any, sizes: Any, texts: bytes) -> None:
        given_rows.append(len(by_row[1]) // 8)
        add_columns(packer, models, by_row, sizes, texts)

    monkeypatch.setattr(RowPacker, "add_columns", counted)
    world = World(tmp_path, DOOR)
    with columns():
        found = check_files(world.plan, world.inputs(moves(300)), default_layouts())
    assert sum(given_rows) > 100
    assert len(list(found.timeline)) >= sum(given_rows)
