"""A ceiling of states is kept: whole levels are explored, with all of their steps, and of the next
one as many states as there may be, always the same; whichever engine searches, and in however many
pieces.

Covers: statemachines.explore.resources.limits, statemachines.explore.visited.packed_levels,
statemachines.explore.visited.least_rows, statemachines.explore.visited.row_ranks,
statemachines.explore.rows.search_goals.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from statemachines.explore.arrays import array_search
from statemachines.explore.arrays.packing import roomy_packing
from statemachines.explore.exploration import build_model
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.visited import visited_rows
from statemachines.explore.visited.least_rows import LeastRows
from statemachines.explore.visited.row_ranks import RowRanks
from statemachines.explore.visited.row_store import plain_rows
from statemachines.notation import load_spec, load_system, machine_of, system_of
from tests.effort import some_of
from tests.exploring_systems import systems
from tests.strategies import table_machines

FAULTY = """
notation: 1
machine: Stack
types: {Item: id}
variables: {held: {type: "set[Item]", initial: "set()"}, last: {type: "Item?", initial: None}}
states: {OPEN: {initial: true}, SHUT: }
events: {put: {args: {i: Item}}, take: {args: {i: Item}}, shut: }
transitions:
  - {from: OPEN, event: put, guard: i not in held, effect: {held: "held | {i}", last: i}}
  - {from: OPEN, event: take, guard: i in held, effect: {held: "held - {i}"}}
  - {from: OPEN, to: SHUT, event: shut, guard: last is not None}
always:
  few: "len(held) < 4"
each step:
  grows: "len(before.held) < 3 or before.held <= held"
leads to:
  shuts: {when: last is not None, then: "state == 'SHUT'", assuming: [put]}
scope: {Item: 5}
"""
STARTS = """
notation: 1
machine: Starts
parameters: {n: 0..40}
variables: {left: {type: 0..40, initial: n}}
events: {less: {guard: left > 0, effect: {left: left - 1}}}
always: {odd: left != 7}
"""
MODELS = ["Stack", "Starts", "examples/TwoPhaseCommit", "CommitSystem"]


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is explored, by name."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "Stack.yaml").write_text(FAULTY, "utf-8")
    (folder / "Starts.yaml").write_text(STARTS, "utf-8")
    system = Path(__file__).parents[2] / "published/models/CommitSystem.yaml"
    return {
        "Stack": machine_of(load_spec(folder / "Stack.yaml")),
        "Starts": machine_of(load_spec(folder / "Starts.yaml")),
        "examples/TwoPhaseCommit": machine_of(load_spec("examples/TwoPhaseCommit")),
        "CommitSystem": system_of(load_system(system)),
    }


def explored(definition: Any, most: int, how: ExplorationOptions) -> Exploration[Any]:
    """What is found under a ceiling, but for the time that it took."""
    how = evolve(how, limits=Limits(most_states=most))
    found, _ = explore_model(build_model(definition, ExplorationScope()), how)
    bounds = tuple(bound for bound in found.bounds if not bound.startswith("no more than"))
    return evolve(found, seconds=0.0, bounds=bounds)


def level_sizes(definition: Any) -> list[int]:
    """How many states are so many steps away, counted one by one."""
    how = ExplorationOptions(engine="rows")
    _, search = explore_model(build_model(definition, ExplorationScope()), how)
    depths = list[int]()
    for parent in search.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return [many for _, many in sorted(Counter(depths).items())]


@given(st.data())
@settings(
    max_examples=some_of(20), deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
def test_the_same_states_are_explored_whichever_engine_searches(
    specs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """States, steps, results and traces are the same, and so they are with a file of the search."""
    definition = specs[data.draw(st.sampled_from(MODELS))]
    check_ceiling(definition, data, tmp_path_factory.mktemp("kept"))


@given(st.one_of(systems(), table_machines()), st.data())
@settings(max_examples=some_of(30), deadline=None, suppress_health_check=list(HealthCheck))
def test_random_machines_and_systems_are_cut_alike(
    tmp_path_factory: pytest.TempPathFactory, definition: Any, data: st.DataObject
) -> None:
    """So it is of random ones."""
    check_ceiling(definition, data, tmp_path_factory.mktemp("kept"))


def check_ceiling(definition: Any, data: st.DataObject, folder: Path) -> None:
    """Look at what a random ceiling leaves, by rows, on arrays, and in pieces."""
    sizes = level_sizes(definition)
    most = data.draw(st.integers(1, sum(sizes) + 1))
    by_rows = explored(definition, most, ExplorationOptions(engine="rows"))
    assert by_rows.states == min(most, sum(sizes))
    assert bool(by_rows.bounds) >= (most < sum(sizes))
    assert by_rows == explored(definition, most, ExplorationOptions(engine="auto"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visited_rows, "MOST_GATHERED", data.draw(st.sampled_from([1, 1 << 20])))
        patch.setattr(visited_rows, "MOST_BITMAP_BITS", data.draw(st.sampled_from([0, 27])))
        patch.setattr(array_search, "CHUNK_ROWS", data.draw(st.sampled_from([3, 1 << 16])))
        patch.setattr(array_search, "FIRST_CHUNK_ROWS", 2)
        resumed = ExplorationOptions(resume=folder / "search")
        for how in (ExplorationOptions(engine="arrays"), resumed):
            assert by_rows == explored(definition, most, how)
        how = ExplorationOptions(engine=data.draw(st.sampled_from(["rows", "arrays"])))
        in_pieces = evolve(how, resume=folder / "pieces")
        for many in sorted(data.draw(st.sets(st.integers(1, sum(sizes)), max_size=3))):
            assert explored(definition, many, in_pieces) == explored(definition, many, how)
        final = explored(definition, sum(sizes), in_pieces)
        assert final == explored(definition, sum(sizes), ExplorationOptions(engine="rows"))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("many", [1, 7, 30])
def test_which_rows_count_is_told_by_what_they_hold(
    specs: dict[str, Any], name: str, many: int
) -> None:
    """Whoever numbered their values, and one by one or many at once."""
    by_rows, on_arrays = (build_model(specs[name], ExplorationScope()) for _ in range(2))
    _, search = explore_model(by_rows, ExplorationOptions(engine="rows"))
    for snapshot in map(by_rows.whole_snapshot, reversed(search.rows)):
        on_arrays.whole_row(snapshot)  # its values are numbered the other way round
    if name != "Starts":
        assert [c.values for c in by_rows.columns] != [c.values for c in on_arrays.columns]
    ranks = {row: RowRanks(by_rows.columns).rank(row) for row in search.rows}
    limit = sorted(ranks.values())[many]
    wanted = {on_arrays.whole_row(by_rows.whole_snapshot(r)) for r in ranks if ranks[r] < limit}
    packing = roomy_packing(on_arrays)
    assert packing is not None
    rows = map(on_arrays.whole_row, map(by_rows.whole_snapshot, search.rows))
    codes = np.array([packing.code(row) for row in rows], dtype=np.int64)
    least = LeastRows(np, RowRanks(on_arrays.columns), packing)
    chosen = least.within(plain_rows(np, [codes]), many)(codes)
    assert len(wanted) == many
    assert {packing.row(code) for code in chosen.tolist()} == wanted


@pytest.mark.parametrize("name", MODELS)
def test_a_ceiling_at_the_end_of_a_level_is_one(
    specs: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the next level nothing is left, however early it is cut: that it was there counts."""
    monkeypatch.setattr(visited_rows, "MOST_GATHERED", 1)
    monkeypatch.setattr(visited_rows, "MOST_BITMAP_BITS", 0)
    monkeypatch.setattr(array_search, "CHUNK_ROWS", 3)
    sizes = level_sizes(specs[name])
    for depth in range(1, min(len(sizes), 6)):
        most = sum(sizes[:depth])
        by_rows = explored(specs[name], most, ExplorationOptions(engine="rows"))
        assert by_rows.bounds == (f"the ceiling of {most:,} states",)
        assert by_rows == explored(specs[name], most, ExplorationOptions(engine="arrays"))


def test_of_too_many_beginnings_the_first_ones_are_looked_at(specs: dict[str, Any]) -> None:
    """None of their steps is taken; what is wrong in them counts."""
    found = explored(specs["Starts"], 8, ExplorationOptions())
    assert (found.states, found.transitions, found.depth) == (8, 0, 0)
    assert found.bounds == ("the ceiling of 8 states",)
    assert {result.name: result.verdict.name for result in found.examined}["always odd"] == (
        "VIOLATED"
    )
    before = explored(specs["Starts"], 7, ExplorationOptions(engine="arrays"))
    assert {result.name: result.verdict.name for result in before.examined}["always odd"] == (
        "INCONCLUSIVE"
    )
