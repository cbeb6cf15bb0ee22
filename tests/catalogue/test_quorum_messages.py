"""An election by messages: three voters over a network that reorders and loses, each the shipped kafka/QuorumState.

The system and the small abstract Raft that it refines stand in `elections`: what logs tell is checked by the shipped specs.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.results.property_results import Exploration
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_system, system_of
from statemachines.notation.sources.catalogue_names import specs_folder
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.system.system_tables import system_tables
from tests.catalogue.planting import planted
from tests.catalogue.test_quorum import VOTES_ONCE, VOTES_TWICE

ELECTIONS = Path(__file__).parent / "elections"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The system with its machines, beside the file of its family."""
    for file in [*ELECTIONS.glob("*.yaml"), specs_folder() / "kafka" / "kafka.yaml"]:
        shutil.copy(file, tmp_path)
    return tmp_path


def searched(folder: Path, release: str, scope: str = "Node=3") -> Exploration:
    """All that voters may do in one epoch."""
    system = system_of(load_system(folder / "QuorumElection.yaml"), release)
    machine = system_tables(system).behaviour.machine
    return explore(system, scope_from_texts(machine, [scope]))


@pytest.mark.parametrize(
    ("release", "states"),
    [("2.8.0", 8_761), ("3.9.2", 8_761), ("4.3.1", 944_561)],
)
def test_three_voters_that_send_messages_elect_one_leader(
    folder: Path, release: str, states: int
) -> None:
    """In each of the three ways in which nodes have voted; every run is one of the abstract Raft's."""
    found = searched(folder, release)
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.bounds) == (states, ())
    assert "refines Raft" in {one.name for one in found.examined}


@pytest.mark.long
def test_four_voters_that_send_messages_elect_one_leader(folder: Path) -> None:
    """Their rows have more than 62 bits."""
    found = searched(folder, "3.9.2", "Node=4")
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.transitions, found.bounds) == (2_109_252, 12_420_576, ())


@pytest.mark.long
def test_five_voters_elect_one_of_two_that_stand(folder: Path) -> None:
    """Two of five, whichever they are: a second leader of an epoch needs no third candidate.

    Where three of five stand the search had not ended after two minutes of CPU time: 21,851,526 states, 166,784,268 steps and no violation (`standing={'Node1', 'Node2', 'Node3'}`, `--memory 3GB`).
    """
    found = searched(folder, "3.9.2", "Node=5,standing={'Node1', 'Node2'}")
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.transitions, found.bounds) == (1_394_590, 10_132_990, ())


def test_a_planted_second_vote_elects_two_over_messages(folder: Path) -> None:
    """The third voter grants what both have asked for; the trace has its messages."""
    quorum = planted("kafka/QuorumState", VOTES_ONCE, VOTES_TWICE)
    (folder / "QuorumState.yaml").write_text(quorum, "utf-8")
    election = folder / "QuorumElection.yaml"
    text = election.read_text("utf-8")
    election.write_text(text.replace("machine: kafka/QuorumState", "machine: QuorumState"), "utf-8")
    broken = {
        one.name: one
        for one in searched(folder, "3.9.2").examined
        if one.verdict is Verdict.VIOLATED
    }
    assert set(broken) == {"each step oneLeaderAnEpoch", "refines Raft"}
    trace = broken["each step oneLeaderAnEpoch"].trace
    assert trace is not None
    delivered = [step.event for step in trace.steps if step.delivered_from is not None]
    assert sorted(delivered) == ["polls.ask", "polls.ask", "polls.grant", "polls.grant"]
    assert len(trace.steps) == 11
