"""Threads share the work of a search, and find what one finds: the report of a machine does not tell how many cores there were."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings

from statemachines.api.explore import scope_of
from statemachines.explore import arrays, crew, limits, moves
from statemachines.explore.exploring import How, explore
from statemachines.explore.limits import Limits
from statemachines.model.machines import Machine
from statemachines.notation import load_spec, machine_of
from tests.exploring import machines
from tests.strategies import table_machines

pytest.importorskip("numpy")
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
SWITCH = 1e-6
"""Seconds after which threads take turns here: as many different orders as can be."""


@contextmanager
def small_pieces() -> Iterator[None]:
    """Give threads every level but the first, a few rows each, and let them take turns all the time."""
    kept = arrays.PIECE, arrays.SHARE, moves.PAIRS, crew.SWITCH
    arrays.PIECE, arrays.SHARE, moves.PAIRS, crew.SWITCH = 3, 0, 5, SWITCH
    try:
        yield
    finally:
        arrays.PIECE, arrays.SHARE, moves.PAIRS, crew.SWITCH = kept


@given(machines())
@FEW
def test_several_threads_find_what_one_finds(machine: Machine) -> None:
    """Counts, verdicts, coverage, bounds and the very same traces."""
    with small_pieces():
        one, three = (explore(machine, how=How(engine="arrays", jobs=jobs)) for jobs in (1, 3))
    assert three == one
    assert one == explore(machine, how=How(engine="rows"))


@given(table_machines())
@FEW
def test_several_threads_find_what_one_finds_of_copies(machine: Machine) -> None:
    """Interleaved tables have the widest levels."""
    with small_pieces():
        one, two = (explore(machine, how=How(copies=3, engine="arrays", jobs=jobs)) for jobs in (1, 2))
    assert two == one


@pytest.mark.parametrize("most", [1, 20, 60])
@pytest.mark.parametrize("release", ["1.0.0", "2.5.1"])
def test_several_threads_give_up_where_one_does(release: str, most: int) -> None:
    """A ceiling of states is looked at before a level: what was seen of states and transitions until then is the same."""
    machine = machine_of(load_spec("kafka/AssignedTasks"), release)
    scope = scope_of(machine, ["Task=1, Partition=1, list=2, kind='stream'"])
    with small_pieces():
        one, two = (explore(machine, scope, How(engine="arrays", jobs=jobs, limits=Limits(most))) for jobs in (1, 2))
    assert two == one
    assert two.bounds


def test_an_interrupt_gives_what_is_known_and_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that was asked watches the others and tells of progress: what ends it ends them."""
    machine, told = machine_of(load_spec("examples/TwoPhaseCommit")), list[int]()

    def interrupt(states: int, _: int) -> None:
        told.append(states)
        if crew_at_work() and states > 50:
            raise KeyboardInterrupt

    def crew_at_work() -> bool:
        return any(thread.name.startswith("explore") for thread in threading.enumerate())

    monkeypatch.setattr(limits, "OFTEN", 1)
    monkeypatch.setattr(crew, "POLL", 0.0)
    with small_pieces():
        found = explore(machine, how=How(engine="arrays", jobs=2, limits=Limits(told=interrupt)))
    assert found.interrupted
    assert found.bounds == ("interrupted",)
    assert 50 < found.states < 288
    assert not crew_at_work()


def test_a_ceiling_of_time_ends_threads() -> None:
    """None is kept waiting for a level that takes long."""
    machine = machine_of(load_spec("examples/TwoPhaseCommit"))
    with small_pieces():
        found = explore(machine, how=How(engine="arrays", jobs=2, limits=Limits(most_seconds=0.0)))
    assert found.bounds == ("the ceiling of 0 seconds",)


def test_no_thread_is_left_and_threads_take_turns_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program asks of us ends when it has its answer; there were threads, or the other tests say nothing."""
    each, levels = crew.Crew.each, list[int]()

    def counted(self: crew.Crew, act: Callable[[object], None], items: Sequence[object], meanwhile: Callable[[], None]) -> None:
        levels.append(len(items))
        each(self, act, items, meanwhile)

    monkeypatch.setattr(crew.Crew, "each", counted)
    machine = machine_of(load_spec("examples/TwoPhaseCommit"))
    before, usual = threading.active_count(), sys.getswitchinterval()
    with small_pieces():
        explore(machine, how=How(engine="arrays", jobs=3))
    assert max(levels) > 5
    assert threading.active_count() == before
    assert sys.getswitchinterval() == usual
