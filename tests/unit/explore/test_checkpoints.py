"""A search that stopped goes on from its file and finds what it would have found at once, whichever engine, however often it stops.

Covers: statemachines.semantics.arguments.enumeration,
statemachines.explore.checkpoints.checkpoint_files, statemachines.explore.checkpoints.resume_points,
statemachines.explore.checkpoints.value_fingerprints, statemachines.explore.verdicts.reach_coverage,
statemachines.model.evidence.verdicts, statemachines.explore.model_exploration,
statemachines.explore.models.event_memos, statemachines.explore.models.successors,
statemachines.explore.search_engines.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.arrays import array_search
from statemachines.explore.checkpoints.checkpoint_files import open_checkpoint
from statemachines.explore.checkpoints.encoded_values import decode_value, encode_value
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources import limits
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.arguments.enumeration import ArgumentEnumeration, build_enumeration
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine
from tests.shipped import shipped_machine

CHECKED = (
    "examples/TwoPhaseCommit",
    "examples/Peterson",
    "examples/DiningPhilosophers",
    "examples/Orders",
    "examples/TowersOfHanoi",
)


def example(name: str) -> MachineDefinition:
    """Return a machine of the catalogue."""
    return shipped_machine(name)


@pytest.mark.parametrize("engine", ["rows", "arrays", "auto"])
@pytest.mark.parametrize("name", CHECKED)
def test_a_search_that_stops_often_finds_the_same(name: str, engine: str, tmp_path: Path) -> None:
    """Counts, verdicts and traces: nothing is lost and nothing is counted twice."""
    if engine == "arrays":
        pytest.importorskip("numpy")
    file, machine, most, stops = tmp_path / "search", example(name), 3, 0
    found = explore(
        machine, how=ExplorationOptions(engine=engine, limits=Limits(most_states=most), resume=file)
    )
    while found.bounds:
        assert found.verdict is Verdict.INCONCLUSIVE
        assert file.exists()
        stops, most = stops + 1, most * 2
        found = explore(
            machine,
            how=ExplorationOptions(engine=engine, limits=Limits(most_states=most), resume=file),
        )
    assert stops >= 2
    assert found == explore(machine, how=ExplorationOptions(engine=engine))
    assert not file.exists()


def test_a_search_up_to_symmetry_goes_on(tmp_path: Path) -> None:
    """The rows of the file are those that stand for the others."""
    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    explore(
        machine, how=ExplorationOptions(symmetry=True, limits=Limits(most_states=20), resume=file)
    )
    assert explore(machine, how=ExplorationOptions(symmetry=True, resume=file)) == explore(
        machine, how=ExplorationOptions(symmetry=True)
    )


def test_a_search_that_is_interrupted_is_kept(tmp_path: Path) -> None:
    """Ctrl-C gives what is known, and the rest tomorrow."""
    calls = []

    def told(states: int, transitions: int) -> None:
        calls.append(states)
        if len(calls) == 1:
            raise KeyboardInterrupt

    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    scope = scope_from_texts(machine, ["RM=5"])
    found = explore(
        machine,
        scope,
        ExplorationOptions(limits=Limits(on_progress=told), resume=file, engine="rows"),
    )
    assert found.interrupted
    assert found.bounds == ("interrupted",)
    assert 0 < found.states < 8832
    assert explore(machine, scope, ExplorationOptions(resume=file, engine="rows")) == explore(
        machine, scope, ExplorationOptions(engine="rows")
    )


def test_a_file_of_another_search_is_refused(tmp_path: Path) -> None:
    """Going on with another machine's states would prove nothing; the message says whose search it is."""
    machine, file = example("examples/TwoPhaseCommit"), tmp_path / "search"
    explore(machine, how=ExplorationOptions(limits=Limits(most_states=20), resume=file))
    with pytest.raises(
        ArgumentsError,
        match="written for examples/TwoPhaseCommit within RM=3, not for examples/Peterson",
    ):
        explore(example("examples/Peterson"), how=ExplorationOptions(resume=file))
    with pytest.raises(ArgumentsError, match="not for examples/TwoPhaseCommit within RM=4"):
        explore(machine, scope_from_texts(machine, ["RM=4"]), ExplorationOptions(resume=file))
    with pytest.raises(
        ArgumentsError, match="not for examples/TwoPhaseCommit within RM=3 with symmetry"
    ):
        explore(machine, how=ExplorationOptions(symmetry=True, resume=file))
    changed = evolve(machine, transitions=machine.transitions[:-1])
    with pytest.raises(ArgumentsError, match="as its spec was before"):
        explore(changed, how=ExplorationOptions(resume=file))


@pytest.mark.parametrize("text", [b"no zip", b"", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_search_is_refused(text: bytes, tmp_path: Path) -> None:
    """A stranger's file is neither read as a search nor overwritten."""
    file = tmp_path / "search"
    file.write_bytes(text)
    with pytest.raises(ArgumentsError, match="is no search that was stopped"):
        explore(example("examples/TwoPhaseCommit"), how=ExplorationOptions(resume=file))
    assert file.read_bytes() == text


def test_a_folder_that_is_not_there_is_told_before_hours_of_search(tmp_path: Path) -> None:
    """What cannot be kept should not be searched for."""
    with pytest.raises(ArgumentsError, match="there is no folder"):
        explore(
            example("examples/TwoPhaseCommit"),
            how=ExplorationOptions(resume=tmp_path / "none" / "search"),
        )


def test_what_was_left_out_before_it_stopped_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments that were cut in the first half are a bound of the whole."""
    counter = machine(
        """
states: {A: {initial: true}, B: {}, C: {}, D: {final: true}}
events: {go: {args: {by: 0..9}}}
transitions:
  - {from: A, to: B, event: go}
  - {from: B, to: C}
  - {from: C, to: D}
"""
    )
    file, how = tmp_path / "search", ExplorationOptions(engine="rows")
    cut = "`go` has more than 3 arguments somewhere; the others were not looked at"
    monkeypatch.setattr("statemachines.explore.models.event_memos.build_enumeration", few_draws)
    whole = explore(counter, how=how)
    assert whole.bounds == (cut,)
    first = explore(counter, how=evolve(how, limits=Limits(most_states=2), resume=file))
    assert first.bounds == (cut, "the ceiling of 2 states")
    assert explore(counter, how=evolve(how, resume=file)) == whole


def few_draws(behaviour: Behaviour, extent: DomainSizes, event: str) -> ArgumentEnumeration:
    """Draw three arguments at most."""
    found = build_enumeration(behaviour, extent, event)
    found.most = 3
    return found


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
    found = decode_value(encode_value(value))
    assert found == value
    assert type(found) is type(value)


def test_a_pipe_or_a_device_keeps_no_search(tmp_path: Path) -> None:
    """Reading it would wait for ever, or take all memory."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/full")):
        with pytest.raises(ArgumentsError, match="is a pipe or a device"):
            open_checkpoint(path, "mark", "about")


@pytest.mark.parametrize("name", ["examples/TwoPhaseCommit", "examples/TowersOfHanoi"])
def test_a_search_that_stops_within_a_level_goes_on_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level may take longer than a person, or a job, has: what was done of it is kept."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(limits, "STEPS_BETWEEN_CHECKS", 1)
    monkeypatch.setattr(array_search, "FIRST_CHUNK_ROWS", 2)
    monkeypatch.setattr(array_search, "CHUNK_ROWS", 2)
    file, machine, within, most = tmp_path / "search", example(name), 0, 5

    def explored(most_steps: int | None) -> Exploration:
        how = ExplorationOptions(engine="arrays", limits=Limits(most_steps=most_steps), resume=file)
        return explore(machine, how=how)

    found, transitions = explored(most), -1
    while found.bounds:
        kept = json.loads(zipfile.ZipFile(file).read("search.json"))
        within += 0 < kept["expanded"] < kept["levels"][-1]
        assert kept["transitions"] >= transitions
        transitions, most = kept["transitions"], most + most // 8 + 3
        found = explored(most)
    assert within >= 3
    assert found == explore(machine, how=ExplorationOptions(engine="arrays"))


def test_a_search_that_gets_no_further_says_so(tmp_path: Path) -> None:
    """The same command would stand still for ever."""
    pytest.importorskip("numpy")
    how = ExplorationOptions(
        engine="arrays", limits=Limits(most_seconds=0.0), resume=tmp_path / "search"
    )
    first, second = (explore(example("examples/TowersOfHanoi"), how=how) for _ in range(2))
    assert first.bounds == ("the ceiling of 0 seconds",)
    assert second.bounds == (*first.bounds, f"no more than {tmp_path / 'search'} held before")
