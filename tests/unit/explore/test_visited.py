"""A set of rows that grows level by level: on a map, as a list beside it, or sorted.

Covers: statemachines.explore.visited.visited_rows.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.visited.row_store import RowStore
from statemachines.explore.visited.visited_rows import MOST_BITMAP_BITS, VisitedRows

numpy = pytest.importorskip("numpy")
LEVELS = st.lists(st.lists(st.lists(st.integers(0, 63), max_size=12), max_size=4), max_size=6)


@given(
    LEVELS,
    st.sampled_from([(6, 64), (12, 0), (MOST_BITMAP_BITS + 1, 0), (MOST_BITMAP_BITS + 1, 64)]),
)
def test_a_level_has_what_no_level_before_it_has(
    levels: list[list[list[int]]], kind: tuple[int, int]
) -> None:
    """Sorted, each once, however it is kept, and whatever was gathered in pieces."""
    bits, many = kind
    visited, known = VisitedRows(numpy, bits, RowStore(numpy, [])), set[int]()
    for pieces in levels:
        level = visited.begin_level(many)
        for piece in pieces:
            level.add(numpy.array(piece, dtype=numpy.int64))
        new = {number for piece in pieces for number in piece} - known
        assert [code for codes in level.new_rows().chunks(5) for code in codes.tolist()] == sorted(
            new
        )
        known |= new
