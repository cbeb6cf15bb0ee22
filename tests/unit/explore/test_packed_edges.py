"""Numbers of edges in a few bits each are looked up as they were added.

Covers: statemachines.explore.verdicts.packed_edges.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.verdicts import packed_edges
from statemachines.explore.verdicts.packed_edges import PackedLabels, PackedTargets

numpy = pytest.importorskip("numpy")
PIECES = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 5, 17, 300, 65_536]), st.lists(st.integers(0), max_size=12)
    ),
    max_size=8,
)


@given(PIECES)
def test_labels_stay_what_they_are_while_they_get_more_bits(
    pieces: list[tuple[int, list[int]]],
) -> None:
    """More sets of fair events are met as edges are found; a piece may end within a byte."""
    labels, added, many = PackedLabels(numpy), list[int](), 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_edges, "_REPACKED", 8)
        for more, numbers in pieces:
            many = max(many, more)
            some = [number % many for number in numbers]
            labels.append(numpy.array(some, dtype=numpy.int64), many)
            added += some
    assert labels.size == len(added)
    assert labels.take(numpy.arange(len(added))).tolist() == added
    assert labels.take(numpy.arange(len(added))[::-1]).tolist() == added[::-1]
    assert len(labels.packed) <= len(added) * labels.bits / 8 + 1


@given(st.sampled_from([1 << 20, 1 << 24, (1 << 24) + 1, (1 << 31) - 1]), st.data())
def test_a_target_is_any_row_there_is(size: int, data: st.DataObject) -> None:
    """Three bytes where they do, four where they do not."""
    rows = st.one_of(st.integers(0, size - 1), st.just(size - 1))
    targets, added = PackedTargets(numpy, size), list[int]()
    for some in data.draw(st.lists(st.lists(rows, max_size=9), max_size=5)):
        targets.append(numpy.array(some, dtype=numpy.int64))
        added += some
    assert len(targets) == len(added)
    assert targets.take(numpy.arange(len(added))).tolist() == added
    assert targets.high.itemsize == (1 if size <= 1 << 24 else 2)
