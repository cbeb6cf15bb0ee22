"""Sorted rows in half their bytes, or fewer, are the same rows.

Covers: statemachines.explore.visited.packed_numbers.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.visited import packed_numbers
from statemachines.explore.visited.packed_numbers import packed_blocks, packed_piece
from statemachines.explore.visited.row_store import RowStore
from statemachines.explore.visited.sorted_runs import SortedRuns

numpy = pytest.importorskip("numpy")
EDGES = [1 << 8, 1 << 16, 1 << 32, 1 << 61]
NUMBERS = st.one_of(
    st.integers(0, 300),
    st.integers(0, (1 << 62) - 1),
    st.builds(lambda edge, more: edge + more, st.sampled_from(EDGES), st.integers(-3, 3)),
)
SETS = st.sets(NUMBERS, min_size=1, max_size=40)


@given(SETS, st.sets(NUMBERS, max_size=40), st.sampled_from([1, 4, 1 << 16]))
def test_blocks_hold_what_was_packed_and_nothing_else(
    held: set[int], asked: set[int], least: int
) -> None:
    """Numbers that lie far apart, or just beyond what four bytes hold, are never taken for others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_numbers, "_LEAST_NUMBERS", least)
        blocks = list(packed_blocks(numpy, _array(held)))
    assert [number for block in blocks for number in block.numbers().tolist()] == sorted(held)
    for block in blocks:
        some = [number for number in sorted(asked | held) if number >= block.first]
        own = set(block.numbers().tolist())
        assert block.has(_array(set(some))).tolist() == [number in own for number in some]


@given(SETS)
def test_a_piece_is_read_as_it_was_packed(numbers: set[int]) -> None:
    """Whatever the differences are."""
    piece = packed_piece(numpy, _array(numbers))
    assert len(piece) == len(numbers)
    assert piece.numbers().tolist() == sorted(numbers)


@given(st.lists(st.sets(NUMBERS, max_size=30), max_size=8))
def test_runs_grow_as_a_set_does(levels: list[set[int]]) -> None:
    """What is new is told once, and the bytes that are counted are those that are there."""
    runs, known = SortedRuns(numpy, RowStore(numpy, [])), set[int]()
    for level in levels:
        assert runs.add_new(_array(level)).tolist() == sorted(level - known)
        known |= level
    assert runs.store.held == sum(run.nbytes for run in runs.memory)
    assert sum(map(len, runs.memory)) == len(known)


def test_a_row_takes_four_bytes_to_be_known_and_two_in_its_level() -> None:
    """As many rows as a search of some millions has, in forty bits."""
    rows = numpy.unique(numpy.random.default_rng(3).integers(0, 1 << 40, 1 << 21))
    assert sum(block.nbytes for block in packed_blocks(numpy, rows)) <= 4 * len(rows)
    near = numpy.unique(numpy.random.default_rng(4).integers(0, 1 << 32, 1 << 21))
    assert packed_piece(numpy, near).nbytes <= 2.1 * len(near)


def _array(numbers: set[int]) -> object:
    return numpy.array(sorted(numbers), dtype=numpy.int64)
