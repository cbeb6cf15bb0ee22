"""Rows that lie on disk are found as those in memory are: counts, verdicts and traces, however little memory there is.

Covers: statemachines.explore.visited.number_files, statemachines.explore.visited.row_store,
statemachines.explore.visited.sorted_runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.explore.arrays import array_search
from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.visited import (
    number_files,
    sorted_runs,
    visited_rows,
)
from statemachines.explore.visited import (
    row_store as stores_of_rows,
)
from statemachines.explore.visited.number_files import NumberFile
from statemachines.explore.visited.row_store import RowStore, row_store
from statemachines.explore.visited.sorted_runs import SortedRun, merged_pieces
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from tests.data_machines import example
from tests.effort import some_of
from tests.exploring import machines
from tests.exploring_systems import systems
from tests.published.known import COUNTS, Count
from tests.published.test_counts import differences, explored

numpy = pytest.importorskip("numpy")
FEW = settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
ON_DISK = ("WaterJugs", "Paxos", "CommitSystem", "GameOfLife", "TeachingConcurrency")


@contextmanager
def little_memory(most_bytes: int = 64) -> Iterator[list[RowStore]]:
    """Let rows have a few bytes and files blocks of a few numbers; gives the stores that were made."""
    stores: list[RowStore] = []

    def small_store(numpy: Any, limits: Limits, bounds: list[str]) -> RowStore:
        stores.append(RowStore(numpy, bounds, most_bytes))
        return stores[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(array_search, "row_store", small_store)
        patch.setattr(sorted_runs, "BLOCK_NUMBERS", 4)
        patch.setattr(stores_of_rows, "BLOCK_NUMBERS", 4)
        patch.setattr(visited_rows, "MOST_BITMAP_BITS", -1)
        yield stores


ARRAYS = ExplorationOptions(engine="arrays")


@given(machines())
@FEW
def test_a_machine_is_explored_on_disk(machine: MachineDefinition) -> None:
    """Counts, verdicts, coverage, bounds and the very same traces as row by row."""
    with little_memory():
        found = explore(machine, how=ARRAYS)
    assert found == explore(machine, how=ExplorationOptions(engine="rows"))


@given(systems())
@FEW
def test_a_system_is_explored_on_disk(system: SystemDefinition) -> None:
    """The same of systems, whose states are the same as in memory."""
    with little_memory():
        found = explore(system, how=ARRAYS)
    assert found == explore(system, how=ARRAYS)


@pytest.mark.parametrize(
    "count",
    [one for one in COUNTS if one.model in ON_DISK and not one.slow],
    ids=lambda one: f"{one.model} {one.scope}".strip(),
)
def test_published_counts_are_found_on_disk(count: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    """States, steps and shortest runs, where rows lie in files nearly from the first on."""
    monkeypatch.setattr("statemachines.explore.search_engines.MOST_ROW_STATES", 1)
    with little_memory() as stores:
        assert list(differences(count, explored(count))) == []
    assert all(one.on_disk for one in stores)
    assert stores


def test_a_search_on_disk_stops_and_goes_on(tmp_path: Path) -> None:
    """Its file is the same as that of a search in memory: each goes on with the other's."""
    found = _search(tmp_path, most_states=100_000)

    def in_little_memory(most_states: int) -> Exploration:
        with little_memory():
            return _search(tmp_path, most_states)

    searches: list[Callable[[int], Exploration]] = [
        in_little_memory,
        lambda most: _search(tmp_path, most),
    ]
    for turn, most in enumerate((40, 90, 150, 210)):
        assert searches[turn % 2](most).bounds == (f"the ceiling of {most:,} states",)
    assert in_little_memory(100_000) == found
    assert not list(tmp_path.iterdir())


def _search(folder: Path, most_states: int) -> Exploration:
    how = ExplorationOptions(
        engine="arrays", resume=folder / "search", limits=Limits(most_states=most_states)
    )
    return explore(example("TwoPhaseCommit"), how=how)


def test_a_full_disk_ends_the_search_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was seen until then is said; nothing is said to hold."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(number_files.NumberFile, "append", full)
    with little_memory():
        found = explore(example("TwoPhaseCommit"), how=ARRAYS)
    assert found.bounds == ("the disk beyond the memory: No space left on device",)
    assert found.verdict.name == "INCONCLUSIVE"
    assert found.states > 0


def test_files_are_removed_at_the_end() -> None:
    """Also where the search stopped early."""
    for most in (50, 100_000):
        with little_memory() as stores:
            explore(
                example("TwoPhaseCommit"),
                how=ExplorationOptions(engine="arrays", limits=Limits(most_states=most)),
            )
        (store,) = stores
        assert store.folder is not None
        assert not store.folder.exists()


def test_only_a_memory_limit_that_somebody_gave_fills_a_disk() -> None:
    """The one that is assumed ends the search."""
    assert row_store(numpy, Limits(most_memory=4096), []).most_bytes is None
    assert row_store(numpy, Limits(most_memory=100_000, spills=True), []).most_bytes is not None


NUMBERS = st.sets(st.integers(0, 200), max_size=40)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_sorted_files_are_sets(first: set[int], second: set[int], asked: set[int]) -> None:
    """Looked up and merged by blocks, they say what sets say."""
    second = second - first
    with TemporaryDirectory() as folder:
        runs = [_run(Path(folder, str(at)), some) for at, some in enumerate((first, second))]
        assert runs[0].without_known(_array(asked)).tolist() == sorted(asked - first)
        both = NumberFile(numpy, Path(folder, "2"))
        blocks = map(both.append, merged_pieces(numpy, *(run.drained() for run in runs)))
        merged = SortedRun(numpy, [*blocks])
        assert [block.first for block in merged.blocks] == [
            block.numbers()[0] for block in merged.blocks
        ]
        assert len(merged) == len(first | second)
        assert merged.without_known(_array(asked)).tolist() == sorted(asked - first - second)
        every = [number for block in merged.drained() for number in block.tolist()]
        assert every == sorted(first | second)


def _array(numbers: set[int]) -> Any:
    return numpy.array(sorted(numbers), dtype=numpy.int64)


def _run(path: Path, numbers: set[int]) -> SortedRun:
    file = NumberFile(numpy, path)
    return SortedRun(numpy, [file.append(some) for some in in_chunks(_array(numbers), 4)])
