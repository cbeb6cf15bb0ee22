"""The quorum of a KRaft cluster: what its logs tell, what they must not tell, and that votes make no two leaders."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.model.evidence.reports import Finding
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_system, machine_of, system_of
from statemachines.notation.sources.catalogue_names import specs_folder
from statemachines.report.exploration.scope_texts import scope_from_texts
from tests.catalogue.planting import planted
from tests.catalogue.readings import spec_of

UNVOTED = "Optional.empty"
VOTES_ONCE = "newEpoch == epoch and voted is None and vote is not None and vote != me)"
VOTES_TWICE = "newEpoch == epoch and vote is not None and vote != me)"


def raft(node: int, second: int, text: str) -> str:
    return f"[2026-11-22 20:00:{second:02},000] INFO [RaftManager id={node}] Completed transition to {text} (org.apache.kafka.raft.QuorumState)\n"


def unattached(epoch: int, voted: str = UNVOTED) -> str:
    vote = (
        voted
        if voted == UNVOTED
        else f"Optional[ReplicaKey(id={voted}, directoryId=MAKTm05FT9-Nr9i3RdZnoA)]"
    )
    return (
        f"UnattachedState(epoch={epoch}, leaderId=OptionalInt.empty, votedKey={vote}, voters=[1, 2, 3], electionTimeoutMs=1470, "
        "highWatermark=Optional.empty)"
    )


def follower(epoch: int, leader: int) -> str:
    return (
        f"FollowerState(fetchTimeoutMs=2000, epoch={epoch}, leader={leader}, leaderEndpoints=Endpoints(endpoints={{}}), "
        "votedKey=Optional.empty, voters=[1, 2, 3], highWatermark=Optional.empty, fetchingSnapshot=Optional.empty)"
    )


def candidate(node: int, epoch: int) -> str:
    return f"CandidateState(localId={node}, localDirectoryId=W_kDKe2JQVqHmSAlgMelew, epoch={epoch}, epochElection=EpochElection[voterStates={{}}])"


def leader(node: int, epoch: int) -> str:
    return f"Leader(localVoterNode=VoterNode(voterKey=ReplicaKey(id={node}, directoryId=W_kDKe2JQVqHmSAlgMelew)), epoch={epoch}, epochStartOffset=0)"


def elected(node: int, second: int, epoch: int) -> str:
    stood = raft(node, second, f"{candidate(node, epoch)} from ProspectiveState(epoch={epoch - 1})")
    return stood + raft(node, second, f"{leader(node, epoch)} from {candidate(node, epoch)}")


def checked(folder: Path, **files: str) -> sm.Report:
    for name, text in files.items():
        (folder / f"{name}.log").write_text(
            "[2026-11-22 19:59:00,000] INFO Kafka version: 4.1.0 (org.apache.kafka.common.utils.AppInfoParser)\n"
            + text
        )
    return sm.check([folder / f"{name}.log" for name in files], specs=["kafka/Quorum*"])


def violated(report: sm.Report) -> list[tuple[str, str, int]]:
    """Machine, file and line of what is VIOLATED."""
    found: list[Finding] = [one for one in report.findings if one.verdict is Verdict.VIOLATED]
    return [
        (one.machine, one.place.file.rpartition("/")[2], one.place.line)
        for one in found
        if one.place is not None
    ]


def test_an_election_that_goes_well_is_no_finding(tmp_path: Path) -> None:
    """Two follow whom they voted for, or not."""
    one = elected(1, 2, 4)
    two = raft(2, 1, f"{unattached(3)} from null") + raft(
        2, 2, f"{unattached(4)} from {unattached(3)}"
    )
    two += raft(2, 2, f"{unattached(4, '1')} from {unattached(4)}") + raft(
        2, 3, f"{follower(4, 1)} from {unattached(4, '1')}"
    )
    report = checked(
        tmp_path, one=one, two=two, three=raft(3, 3, f"{follower(4, 1)} from {unattached(4)}")
    )
    assert report.findings == ()
    assert {(row.machine, row.steps) for row in report.machines} == {
        ("kafka/QuorumState", 7),
        ("kafka/QuorumEpoch", 3),
        ("kafka/QuorumNode", 7),
    }


@pytest.mark.parametrize(("epoch", "said"), [(4, []), (5, ["kafka/QuorumNode"])])
def test_an_epoch_is_claimed_by_a_controller_whose_node_has_won_it(
    tmp_path: Path, epoch: int, said: list[str]
) -> None:
    """What both tell of the epoch decides; each by itself is sound."""
    claim = f"Becoming the active controller at epoch {epoch}, next write offset 1."
    gives_up = "Renouncing the leadership due to a metadata log event. We were the leader at epoch 4, but in the new epoch 6, the leader is 2. Reverting to last stable offset 3."
    controller = "org.apache.kafka.controller.QuorumController"
    lines = "".join(
        f"[2026-11-22 20:00:{second:02},000] INFO [QuorumController id=1] {text} ({controller})\n"
        for second, text in ((10, claim), (40, gives_up))
    )
    later = raft(1, 40, f"{follower(6, 2)} from {leader(1, 4)}")
    report = checked(tmp_path, server=elected(1, 2, 4) + later, controller=lines)
    broken = [one.machine for one in report.findings if one.kind == "broken rule"]
    assert broken == said


@pytest.mark.parametrize("second", [2, 9])
def test_a_second_leader_of_an_epoch_is_found_at_its_line(tmp_path: Path, second: int) -> None:
    """In another log, by its own word, also in the very same second: no order of the lines makes it right."""
    report = checked(
        tmp_path,
        one=elected(1, 2, 4),
        two=raft(2, 1, f"{unattached(3)} from null"),
        three=elected(3, second, 4),
    )
    assert [each for each in violated(report) if each[0] == "kafka/QuorumEpoch"] == [
        ("kafka/QuorumEpoch", "three.log", 3)
    ]


def test_who_follows_another_one_in_an_epoch_tells_of_a_second_leader(tmp_path: Path) -> None:
    """The logs of brokers are enough."""
    first, other = (
        raft(7, 2, f"{follower(4, 1)} from {unattached(4)}"),
        raft(8, 9, f"{follower(4, 2)} from {unattached(4)}"),
    )
    assert violated(checked(tmp_path, one=first, two=other)) == [
        ("kafka/QuorumEpoch", "two.log", 2)
    ]


def test_a_second_vote_and_an_epoch_that_falls_are_found_at_their_lines(tmp_path: Path) -> None:
    """Of one node, in its own log."""
    voted = raft(2, 1, f"{unattached(4, '1')} from {unattached(4)}")
    again = raft(2, 2, f"{unattached(4, '3')} from {unattached(4, '1')}")
    fallen = raft(2, 3, f"{unattached(2)} from {unattached(4, '3')}")
    found = violated(
        checked(tmp_path, two=raft(2, 1, f"{unattached(4)} from null") + voted + again + fallen)
    )
    assert {each[2] for each in found} == {4, 5}
    assert {each[0] for each in found} == {"kafka/QuorumState"}


def test_an_attempt_is_no_step(tmp_path: Path) -> None:
    """The file may be written or not."""
    attempt = raft(2, 2, f"{unattached(5)} from {unattached(4)}").replace(
        "Completed transition", "Attempting durable transition"
    )
    report = checked(tmp_path, two=raft(2, 1, f"{unattached(4)} from null") + attempt)
    assert [(step.source, step.target) for step in report.timeline if step.how == "told"] == [
        ("Uninitialized", "Unattached")
    ]


def searched(folder: Path, release: str, epochs: str = "int=0..1") -> Exploration:
    system = system_of(load_system(folder / "ControllerElection.yaml"), release)
    return explore(
        system,
        scope_from_texts(system, [epochs]),
        ExplorationOptions(symmetry=True),
    )


@pytest.mark.parametrize("release", ["2.8.0", "3.9.2", "4.3.1"])
def test_three_voters_elect_at_most_one_leader_an_epoch(release: str) -> None:
    """With restarts, late messages and failed elections; each of the three ways in which nodes have voted."""
    found = searched(specs_folder() / "kafka", release)
    assert found.verdict is Verdict.HOLDS
    assert found.states > 300


@pytest.mark.long
def test_three_voters_elect_at_most_one_leader_in_two_epochs() -> None:
    """The same over two elections."""
    assert searched(specs_folder() / "kafka", "4.3.1", "int=0..2").verdict is Verdict.HOLDS


def test_a_planted_second_vote_makes_two_leaders_and_is_found_with_the_shortest_trace(
    tmp_path: Path,
) -> None:
    """Three voters begin, two stand in turn, and the third votes for both."""
    specs = specs_folder() / "kafka"
    quorum = planted("kafka/QuorumState", VOTES_ONCE, VOTES_TWICE)
    (tmp_path / "QuorumState.yaml").write_text(quorum, "utf-8")
    system = (
        (specs / "ControllerElection.yaml")
        .read_text("utf-8")
        .replace("machine: kafka/QuorumState", "machine: QuorumState")
    )
    (tmp_path / "ControllerElection.yaml").write_text(system, "utf-8")
    (tmp_path / "kafka.yaml").write_bytes((specs / "kafka.yaml").read_bytes())
    broken = {
        one.name: one
        for one in searched(tmp_path, "3.9.2").examined
        if one.verdict is Verdict.VIOLATED
    }
    assert set(broken) == {"always oneLeaderAnEpoch", "always oneVoteAnEpoch"}
    trace = broken["always oneLeaderAnEpoch"].trace
    assert trace is not None
    events = [step.event for step in trace.steps]
    assert len(events) == 9
    assert events.count("voters.to_Leader") == 2


def test_the_states_are_those_of_each_release() -> None:
    """Voted was one up to 3.8.1; Prospective came with 4.0.0."""
    named = {
        release: [state.name for state in machine_of(spec_of("kafka/QuorumState"), release).states]
        for release in ("3.8.1", "3.9.0", "4.0.0")
    }
    assert ("Voted" in named["3.8.1"], "Voted" in named["3.9.0"]) == (True, False)
    assert ("Prospective" in named["3.9.0"], "Prospective" in named["4.0.0"]) == (False, True)
