"""A search that ends early says what is known, wherever it is: while beginnings are looked for, while arguments are drawn, before it began.

Covers: statemachines.explore.exploration, statemachines.explore.models.system_model,
statemachines.explore.rows.row_search.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore import search_engines
from statemachines.explore.arrays.packing import Packing
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources import limits, memory
from statemachines.explore.resources.limits import Limits
from statemachines.explore.rows import row_search
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.arguments import enumeration
from tests.data_machines import example, machine
from tests.systems import house

WIDE = """
types: {Job: id}
states: {A: {initial: true}, B: {final: true}}
variables: {n: "0..3 = 0"}
events:
  call: {args: {a: "set[Job]", b: "set[Job]", c: "set[Job]"}, where: "len(a) + len(b) + len(c) == 12", effect: {n: "min(3, len(a))"}}
transitions: [{from: A, to: B}]
scope: {Job: 4}
"""
PARAMETERS = """
types: {Job: id}
parameters: {p: "map[Job, 0..3]", q: "map[Job, 0..3]"}
where: "len(p) == 9"
states: {A: {initial: true}, B: {final: true}}
transitions: [{from: A, to: B}]
scope: {Job: 4}
"""
ANYHOW = """
types: {Job: id}
states: {A: {initial: true}, B: {final: true}}
variables: {p: {type: "map[Job, 0..3]", initial: any}, q: {type: "map[Job, 0..3]", initial: any}}
initially: "len(p) + len(q) == 9"
transitions: [{from: A, to: B}]
scope: {Job: 4}
"""
HOUSE = """
notation: 1
system: House
types: {Room: id}
parameters: {p: "map[Room, 0..3]", q: "map[Room, 0..3]"}
parts: {door: {machine: Door}}
scope: {Room: 4}
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a second; a search that never looks goes on for ever."""
    seconds = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(seconds)))


@pytest.mark.parametrize("text", [PARAMETERS, ANYHOW])
@pytest.mark.usefixtures("clock")
def test_time_counts_while_beginnings_are_looked_for(text: str) -> None:
    """Of a million parameters none fits: whoever gave three seconds gets an answer after three seconds."""
    found = explore(machine(text), how=ExplorationOptions(limits=Limits(most_seconds=50)))
    assert found.bounds == ("the ceiling of 50 seconds",)
    assert (found.states, found.transitions, found.interrupted) == (0, 0, False)
    assert {one.verdict for one in found.examined} == {Verdict.INCONCLUSIVE}


@pytest.mark.usefixtures("clock")
def test_time_counts_while_the_beginnings_of_a_system_are_looked_for(tmp_path: Path) -> None:
    """Those that were found are told, and no file is kept of a search that never began."""
    system, file = house("", HOUSE), tmp_path / "search"
    found = explore(system, how=ExplorationOptions(limits=Limits(most_seconds=2_000), resume=file))
    assert found.bounds == ("the ceiling of 2,000 seconds",)
    assert 0 < found.states < 5**8
    assert found.verdict is Verdict.INCONCLUSIVE
    assert not file.exists()


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_time_counts_while_arguments_are_drawn(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One event may have a quarter of a million arguments, none of which `where` lets through."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(limits, "SECONDS_BETWEEN_CHECKS", 0.0)
    looked = list[int]()

    def late(states: int, _: int) -> None:
        looked.append(states)
        if len(looked) == 5:
            raise limits.LimitReached

    found = explore(
        machine(WIDE), how=ExplorationOptions(engine=engine, limits=Limits(on_progress=late))
    )
    assert found.states == 1
    assert (4**6) // enumeration.ARGUMENTS_BETWEEN_CHECKS >= 8
    assert len(looked) == 5


def interrupted(call: int) -> Callable[[int, int], None]:
    """Return what interrupts when it is told for the n-th time."""
    calls = itertools.count(1)

    def told(states: int, _: int) -> None:
        if next(calls) == call:
            raise KeyboardInterrupt

    return told


@pytest.mark.parametrize("text", [PARAMETERS, ANYHOW])
def test_an_interrupt_while_beginnings_are_looked_for_is_an_answer(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing was found yet, and that is said, not a traceback; the file of an earlier search is left as it was."""
    monkeypatch.setattr(limits, "SECONDS_BETWEEN_CHECKS", 0.0)
    found = explore(
        machine(text),
        how=ExplorationOptions(
            limits=Limits(on_progress=interrupted(3)), resume=tmp_path / "search"
        ),
    )
    assert found.interrupted
    assert found.bounds == ("interrupted",)
    assert not (tmp_path / "search").exists()


@pytest.mark.parametrize(
    ("engine", "where", "what"),
    [("rows", row_search._RowSearch, "visit"), ("arrays", Packing, "code")],
)
def test_a_search_that_was_interrupted_before_its_first_state_begins_anew(
    engine: str, where: type, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file without states would be taken for a search that has seen all there is."""
    pytest.importorskip("numpy")
    small, file = example("TwoPhaseCommit"), tmp_path / "search"

    def interrupting(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(where, what, interrupting)
        assert explore(small, how=ExplorationOptions(engine=engine, resume=file)).interrupted
    assert explore(small, how=ExplorationOptions(engine=engine, resume=file)) == explore(
        small, how=ExplorationOptions(engine=engine)
    )


def test_a_ceiling_of_steps_does_not_bring_one_of_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come first and give up early; what they gave up for is no bound where nobody gave it."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(search_engines, "MOST_ROW_STATES", 5)
    small = example("TwoPhaseCommit")
    whole = explore(small, how=ExplorationOptions(engine="rows"))
    most = whole.transitions + whole.disabled + whole.states
    assert most < search_engines.MOST_ROW_STEPS
    assert explore(small, how=ExplorationOptions(limits=Limits(most_steps=most))) == whole
    for given, bound in (
        (Limits(most_steps=40), "the ceiling of 40 steps"),
        (Limits(most_states=5), "the ceiling of 5 states"),
    ):
        assert explore(small, how=ExplorationOptions(limits=given)).bounds == (bound,)


def test_a_small_world_tells_nobody_of_its_beginnings() -> None:
    """Progress begins with the states that were met."""
    told = list[int]()
    explore(
        example("TwoPhaseCommit"),
        ExplorationScope(),
        ExplorationOptions(
            limits=Limits(on_progress=lambda states, _: told.append(states)), engine="rows"
        ),
    )
    assert 0 not in told


def test_whoever_explores_from_python_has_what_the_command_has(tmp_path: Path) -> None:
    """Ceilings and files of searches, of machines and of systems, by the same names."""
    machine, system = (
        sm.load("examples/TwoPhaseCommit").at(),
        sm.load_system("kafka/StreamsApplication").at(),
    )
    for held in (machine, system):
        file = tmp_path / type(held).__name__
        stopped = held.explore(most_states=50, resume=file)
        assert stopped.bounds == ("the ceiling of 50 states",)
        (too_little,) = held.explore(memory=1).bounds
        assert re.fullmatch(r"the ceiling of 1 MiB of memory; it takes [\d,]+ to begin", too_little)
        assert held.explore(time=0.0).bounds == ("the ceiling of 0 seconds",)
        assert held.explore(resume=file, time=600).states > stopped.states


def test_what_a_container_may_use_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The machine's memory is not ours there; `max` says that there is no other limit."""
    whole, file = memory.default_memory_ceiling(), tmp_path / "memory.max"
    assert whole is not None
    monkeypatch.setattr(memory, "CGROUP_MEMORY_FILES", (file, tmp_path / "none"))
    file.write_text("max\n")
    without = memory.default_memory_ceiling()
    assert without is not None
    assert without >= whole
    file.write_text(f"{400 << 20}\n")
    assert memory.default_memory_ceiling() == 300
