"""Questions about rows: asked once for what is looked at, however many values look the same.

Covers: statemachines.explore.arrays.forest_tables, statemachines.explore.models.decision_forests.
"""

from __future__ import annotations

import pytest

from statemachines.explore.models.decision_forests import DecisionForest, LookRecorder
from statemachines.explore.models.row_columns import Row

PARITY = "parity"
VALUES = 1000


def view(column: int, name: str, number: int) -> int:
    """Two views of a number: all of it, and whether it is odd."""
    return number % 2 if name == PARITY else number


def odd_ones(calls: list[Row]) -> DecisionForest[int]:
    """A question that looks at whether numbers are odd: of the first column, and of the second where the first is."""

    def ask(question: int, recorder: LookRecorder) -> int:
        calls.append(recorder.row)
        return int(bool(recorder.see(0, PARITY) and recorder.see(1, PARITY)))

    forest = DecisionForest(ask, view)
    forest.add_question()
    return forest


def test_values_that_look_the_same_share_their_branches() -> None:
    """A thousand values of which two kinds are seen have two branches, not a thousand."""
    calls: list[Row] = []
    forest = odd_ones(calls)
    for number in range(VALUES):
        assert forest.answer(0, (number, number // 2)) == number % 2 * (number // 2 % 2)
    assert len(calls) == 3
    assert [len(node.branches) for node in forest.nodes] == [2, 2]


def test_tables_of_arrays_grow_with_what_is_seen() -> None:
    """On arrays too: cells of a node are for what is seen, and the answers are the same."""
    numpy = pytest.importorskip("numpy")
    from statemachines.explore.arrays.forest_tables import ForestTable
    from statemachines.explore.arrays.packing import Packing

    calls: list[Row] = []
    table = ForestTable(numpy, odd_ones(calls))
    packing = Packing((10, 10))
    table.use(packing)
    codes = numpy.arange(1 << 20, step=37)
    leaves = table.leaves((codes,), None, lambda place: packing.row(int(codes[place])))
    answers = numpy.array(table.forest.leaves).take(leaves)
    assert (answers == ((codes & 1) & (codes >> 10 & 1))).all()
    assert len(calls) == 3
    assert table.nodes.cells.size <= 16


def test_rows_before_a_step_are_looked_at_too() -> None:
    """Columns beyond the last one are those of the row before."""
    numpy = pytest.importorskip("numpy")
    from statemachines.explore.arrays.forest_tables import ForestTable
    from statemachines.explore.arrays.packing import Packing

    def ask(question: int, recorder: LookRecorder) -> int:
        return int(recorder.see(0, PARITY) == recorder.see(1, PARITY))

    forest = DecisionForest(ask, view)
    forest.add_question()
    table, packing = ForestTable(numpy, forest), Packing((4,))
    table.use(packing)
    after, before = numpy.arange(16).repeat(16), numpy.tile(numpy.arange(16), 16)
    leaves = table.leaves((after, before), None, lambda at: (int(after[at]), int(before[at])))
    same = numpy.array(forest.leaves).take(leaves)
    assert (same == (after % 2 == before % 2)).all()
