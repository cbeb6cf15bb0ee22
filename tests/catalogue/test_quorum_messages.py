"""An election by messages: three voters over a network that reorders and loses, each the shipped kafka/QuorumState.

The system and the small abstract Raft that it refines stand in `elections`: what logs tell is checked by the shipped specs.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
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
    how = ExplorationOptions(limits=Limits(most_states=20_000_000))
    return explore(system, scope_from_texts(machine, [scope]), how)


REORDERS, TRUSTED_LEAST = "may: [reorder]", "may: [lose, repeat, reorder]"


@pytest.mark.parametrize(
    ("release", "states"), [("2.8.0", 3_947), ("3.9.2", 3_947), ("4.3.1", 26_157)]
)
def test_three_voters_that_send_messages_elect_one_leader(
    folder: Path, release: str, states: int
) -> None:
    """In each of the three ways in which nodes have voted; every run is one of the abstract Raft's."""
    found = searched(folder, release)
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.bounds) == (states, ())
    assert "refines Raft" in {one.name for one in found.examined}


@pytest.mark.parametrize(
    ("release", "states"), [("2.8.0", 13_811), ("3.9.2", 13_811), ("4.3.1", 175_365)]
)
def test_a_network_that_loses_and_repeats_elects_no_second_leader(
    folder: Path, release: str, states: int
) -> None:
    """A request that comes twice gets no second vote, and a vote that comes twice counts once."""
    election = folder / "QuorumElection.yaml"
    text = election.read_text("utf-8")
    assert REORDERS in text
    election.write_text(text.replace(REORDERS, TRUSTED_LEAST), "utf-8")
    found = searched(folder, release)
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.bounds) == (states, ())


@pytest.mark.long
@pytest.mark.parametrize(
    ("scope", "states", "transitions"),
    [
        ("Node=4", 220_753, 1_471_604),
        ("Node=5,standing={'Node1', 'Node2', 'Node3', 'Node4'}", 17_130_483, 164_590_982),
        ("Node=5,standing={'Node1', 'Node2'}", 346_739, 2_589_784),
        ("Node=5,standing={'Node1', 'Node2', 'Node3'}", 2_948_403, 25_852_143),
        ("Node=3,int=0..2", 3_390_136, 27_373_542),
    ],
)
def test_more_voters_and_more_epochs_elect_one_leader(
    folder: Path, scope: str, states: int, transitions: int
) -> None:
    """Of five, two, three or four stand, whichever they are; four take three minutes of CPU time
    and 450 MB.
    """
    found = searched(folder, "3.9.2", scope)
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.transitions, found.bounds) == (states, transitions, ())


@pytest.mark.long
def test_four_voters_elect_one_leader_over_a_network_that_loses_and_repeats(folder: Path) -> None:
    """All four may stand. Of five, two of whom stand, 8,542,579 states were seen within the time there was, and none was wrong."""
    election = folder / "QuorumElection.yaml"
    election.write_text(election.read_text("utf-8").replace(REORDERS, TRUSTED_LEAST), "utf-8")
    found = searched(folder, "3.9.2", "Node=4")
    assert found.verdict is Verdict.HOLDS
    assert (found.states, found.transitions, found.bounds) == (773_137, 13_726_596, ())


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
