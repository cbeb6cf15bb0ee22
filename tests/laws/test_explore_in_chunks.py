"""Levels are worked on in chunks: however few rows these have, a search finds what it finds row by row.

Covers: statemachines.explore.arrays.array_search, statemachines.explore.arrays.event_expansion,
statemachines.explore.exploration, statemachines.explore.options.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings

from statemachines.cli import main
from statemachines.explore.arrays import array_search, event_expansion
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.model.definitions.machine_definitions import MachineDefinition
from tests.effort import some_of
from tests.exploring import machines
from tests.strategies import table_machines

pytest.importorskip("numpy")
FEW = settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@contextmanager
def small_chunks() -> Iterator[None]:
    """Work on a few rows at once."""
    kept = array_search.CHUNK_ROWS, event_expansion.CHUNK_PAIRS
    array_search.CHUNK_ROWS, event_expansion.CHUNK_PAIRS = 3, 5
    try:
        yield
    finally:
        array_search.CHUNK_ROWS, event_expansion.CHUNK_PAIRS = kept


@given(machines())
@FEW
def test_small_chunks_find_what_rows_find(machine: MachineDefinition) -> None:
    """Counts, verdicts, coverage, bounds and the very same traces."""
    with small_chunks():
        found = explore(machine, how=ExplorationOptions(engine="arrays"))
    assert found == explore(machine, how=ExplorationOptions(engine="rows"))


@given(table_machines())
@FEW
def test_small_chunks_find_what_large_ones_find_of_copies(machine: MachineDefinition) -> None:
    """Interleaved tables have the widest levels."""
    how = ExplorationOptions(copies=3, engine="arrays")
    with small_chunks():
        found = explore(machine, how=how)
    assert found == explore(machine, how=how)


def test_a_number_of_cores_is_still_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts that give `--jobs` go on working, and are told the same."""
    outcomes = []
    for more in ((), ("--jobs", "2")):
        code = main(["explore", "examples/TwoPhaseCommit", "--format", "json", *more])
        outcomes.append((code, capsys.readouterr().out))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 0
