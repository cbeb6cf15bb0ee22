"""Why a quorum of controllers has no leader: one cannot be reached, or left the lead in order."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import statemachines as sm
from statemachines.report.text.document import to_text

NETWORK = "WARN", "org.apache.kafka.clients.NetworkClient"
QUORUM = "INFO", "org.apache.kafka.raft.QuorumState"
VOTERS = "voters=[101, 102, 103]"
FOLLOWER = f"FollowerState(fetchTimeoutMs=2000, epoch={{}}, leaderId={{}}, {VOTERS}, x)"
CANDIDATE = f"CandidateState(localId=102, epoch=2, retries=1, {VOTERS}, x)"
RESIGNED = (
    f"ResignedState(localId=103, epoch=1, {VOTERS}, electionTimeoutMs=1882,"
    " unackedVoters=[101, 102], preferredSuccessors=[101, 102])"
)


def line(at: float, message: str, kind: tuple[str, str] = QUORUM) -> str:
    """A line, so many seconds after eight."""
    level, logger = kind
    return f"[2026-11-21 08:00:{int(at):02},{round(at * 1000) % 1000:03}] {level} {message} ({logger})\n"


def moved(at: float, node: int, to: str, source: str) -> str:
    """A step of a node of the quorum."""
    return line(at, f"[RaftManager id={node}] Completed transition to {to} from {source}")


def unreachable(at: float, node: int, other: int) -> str:
    """A node that finds nobody where a voter should be."""
    return line(
        at,
        f"[RaftManager id={node}] Connection to node {other} (/127.0.0.1:21{other}) could not be"
        " established. Broker may not be available.",
        NETWORK,
    )


def judged(folder: Path, **logs: list[str]) -> sm.Report:
    """Judge a log of each controller, of one release."""
    for name, lines in logs.items():
        (folder / f"{name}.log").write_text("".join(lines), "utf-8")
    specs = ["kafka/QuorumState", "kafka/NetworkClient", "kafka/QuorumController"]
    files = [folder / f"{name}.log" for name in logs]
    return sm.check(files, specs=specs, release="3.6.2")


def election(at: float) -> list[str]:
    """Controller 102 loses its leader and finds the next one."""
    first, second = FOLLOWER.format(1, 103), FOLLOWER.format(3, 101)
    return [moved(1, 102, first, "null"), moved(at, 102, CANDIDATE, first),
            moved(at + 1, 102, second, CANDIDATE), line(40, "[RaftManager id=102] is quiet")]  # fmt: skip


def test_who_cannot_be_reached_is_why_there_is_no_leader(tmp_path: Path) -> None:
    """The leader was killed: it says nothing, and the others do not find it."""
    attempts = [unreachable(20 + n / 2, 102, 103) for n in range(8)]
    report = judged(
        tmp_path, controller102=sorted([*election(22), *attempts], key=lambda x: x[:24])
    )
    (only,) = report.incidents
    assert (only.kind, only.subject) == ("controller-unreachable", (("node", "103"),))
    assert [effect.kind for effect in only.effects] == ["controller-missing"]
    first = " ".join(
        line.strip() for line in takewhile(lambda one: one[:5] != "HOLDS", to_text(report))
    )
    assert "controller 103 could not be reached" in first
    assert "→ node 102 knew no active controller" in first


def test_a_leader_that_left_in_order_is_why_there_was_none(tmp_path: Path) -> None:
    """It is being stopped, and tells the others whom it would like to follow it."""
    leader = f"Leader(localId=103, epoch=1, epochStartOffset=0, {VOTERS})"
    left = [moved(1, 103, leader, "CandidateState(x)"), moved(21.5, 103, RESIGNED, leader)]
    report = judged(tmp_path, controller102=election(22), controller103=left)
    (only,) = report.incidents
    assert (only.kind, only.subject) == ("controller-resigned", (("node", 103),))
    assert [effect.kind for effect in only.effects] == ["controller-missing"]


def test_a_controller_that_was_stopped_in_order_is_told_with_who_took_over(tmp_path: Path) -> None:
    """Log4j 2 writes no more before the node resigns: that it shuts down is all that is left."""
    logger = "INFO", "org.apache.kafka.controller.QuorumController"
    stops = line(
        21.5, "[ControllerServer id=103] shutting down", ("INFO", "kafka.server.ControllerServer")
    )
    claims = "Becoming the active controller at epoch 3, next write offset 34."
    takes = line(22.8, f"[QuorumController id=101] {claims}", logger)
    leader = f"Leader(localId=103, epoch=1, epochStartOffset=0, {VOTERS})"
    report = judged(
        tmp_path,
        controller101=[takes],
        controller102=election(22),
        controller103=[moved(1, 103, leader, "CandidateState(x)"), stops],
    )
    (only,) = report.incidents
    assert only.title == "controller 103 is stopped in order"
    told = {effect.title for effect in only.effects}
    assert told == {"node 102 knew no active controller", "controller 101 took over"}
    alone = judged(tmp_path, controller103=[stops])
    assert not alone.incidents, "a stop that nobody missed is no trouble"


def test_a_leader_that_left_and_nobody_missed_is_no_trouble(tmp_path: Path) -> None:
    """A stop in order is none by itself."""
    leader = f"Leader(localId=103, epoch=1, epochStartOffset=0, {VOTERS})"
    left = [moved(1, 103, leader, "CandidateState(x)"), moved(21.5, 103, RESIGNED, leader)]
    assert not judged(tmp_path, controller103=left).incidents


def test_other_clients_of_a_node_say_nothing_of_the_quorum(tmp_path: Path) -> None:
    """Who copies from a broker does not look for the leader of the quorum."""
    attempts = [
        unreachable(20 + n / 2, 102, 103).replace("RaftManager", "Controller") for n in range(8)
    ]
    report = judged(
        tmp_path, controller102=sorted([*election(22), *attempts], key=lambda x: x[:24])
    )
    assert sorted(one.kind for one in report.incidents) == [
        "broker-unreachable",
        "controller-missing",
    ]
