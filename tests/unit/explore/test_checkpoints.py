"""A search that stopped goes on from its file and finds what it would have found at once, whichever engine, however often it stops."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.api.explore import scope_of
from statemachines.explore.checkpoints import decoded, encoded
from statemachines.explore.exploring import How, explore
from statemachines.explore.limits import Limits
from statemachines.model.machines import Machine
from statemachines.model.values import FrozenMap, make_record
from statemachines.model.verdicts import Verdict
from statemachines.notation import load_spec, machine_of
from statemachines.semantics.mistakes import ArgumentsError

CHECKED = ("examples/TwoPhaseCommit", "examples/Peterson", "examples/DiningPhilosophers", "examples/Orders", "examples/TowersOfHanoi")


def example(name: str) -> Machine:
    """Return a machine of the catalogue."""
    return machine_of(load_spec(name), None)


@pytest.mark.parametrize("engine", ["rows", "arrays", "auto"])
@pytest.mark.parametrize("name", CHECKED)
def test_a_search_that_stops_often_finds_the_same(name: str, engine: str, tmp_path: Path) -> None:
    """Counts, verdicts and traces: nothing is lost and nothing is counted twice."""
    if engine == "arrays":
        pytest.importorskip("numpy")
    file, machine, most, stops = tmp_path / "search", example(name), 3, 0
    found = explore(machine, how=How(engine=engine, limits=Limits(most_states=most), resume=file))
    while found.bounds:
        assert found.verdict is Verdict.INCONCLUSIVE
        assert file.exists()
        stops, most = stops + 1, most * 2
        found = explore(machine, how=How(engine=engine, limits=Limits(most_states=most), resume=file))
    assert stops >= 2
    assert found == explore(machine, how=How(engine=engine))
    assert not file.exists()


def test_a_search_up_to_symmetry_goes_on(tmp_path: Path) -> None:
    """The rows of the file are those that stand for the others."""
    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    explore(machine, how=How(symmetry=True, limits=Limits(most_states=20), resume=file))
    assert explore(machine, how=How(symmetry=True, resume=file)) == explore(machine, how=How(symmetry=True))


def test_a_search_that_is_interrupted_is_kept(tmp_path: Path) -> None:
    """Ctrl-C gives what is known, and the rest tomorrow."""
    calls = []

    def told(states: int, transitions: int) -> None:
        calls.append(states)
        if len(calls) == 1:
            raise KeyboardInterrupt

    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    scope = scope_of(machine, ["RM=5"])
    found = explore(machine, scope, How(limits=Limits(told=told), resume=file, engine="rows"))
    assert found.interrupted
    assert found.bounds == ("interrupted",)
    assert 0 < found.states < 8832
    assert explore(machine, scope, How(resume=file, engine="rows")) == explore(machine, scope, How(engine="rows"))


def test_a_file_of_another_search_is_refused(tmp_path: Path) -> None:
    """Going on with another machine's states would prove nothing."""
    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    explore(machine, how=How(limits=Limits(most_states=20), resume=file))
    with pytest.raises(ArgumentsError, match="written for another machine"):
        explore(example("examples/Peterson"), how=How(resume=file))
    with pytest.raises(ArgumentsError, match="written for another machine"):
        explore(machine, scope_of(machine, ["RM=4"]), How(resume=file))
    file.write_text("no zip", "utf-8")
    with pytest.raises(ArgumentsError, match="is no search that was stopped"):
        explore(machine, how=How(resume=file))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.frozensets(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(inner, inner, max_size=3).map(FrozenMap)
        | st.tuples(inner, inner).map(lambda pair: make_record("Pair", ("one", "two"), pair))
    ),
    max_leaves=8,
)


@given(VALUES)
def test_values_survive_the_file(value: object) -> None:
    """Each kind of value comes back as it was."""
    found = decoded(encoded(value))
    assert found == value
    assert type(found) is type(value)
