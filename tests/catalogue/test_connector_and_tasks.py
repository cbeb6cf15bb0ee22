"""A connector and its tasks, whichever workers tell of them: who deletes a connector deletes its tasks, and nobody begins one of them after that."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_system, system_of
from statemachines.report.exploration.scope_texts import scope_from_texts
from tests.catalogue.planting import planted
from tests.catalogue.test_connect import RUNS, by, checked

SYSTEM = "kafka/ConnectorAndTasks"
GONE = ["removed", "stop task", "ended", "flushed"]
"""What a worker writes when its connector is deleted."""


def broken(report: sm.Report) -> list[tuple[str, str, int]]:
    """Return what the system's rules find: verdict, folder and line."""
    return [
        (one.verdict.name, Path(one.place.file).parent.name, one.place.line)
        for one in report.findings
        if one.machine == SYSTEM and one.place is not None
    ]


def test_a_task_of_a_deleted_connector_is_found(tmp_path: Path) -> None:
    """The line by which it runs; a later rebalance shows that the connector was not made anew."""
    told = by("a", *RUNS, *GONE, "task", "runs", "flushed")
    report = checked(tmp_path, *told, apart=7)
    ((verdict, _, line),) = broken(report)
    assert verdict == "VIOLATED"
    lines = (tmp_path / "a" / "connect.log").read_text("utf-8").splitlines()
    assert "finished initialization and start" in lines[line - 1]


def test_the_same_on_another_worker_is_found(tmp_path: Path) -> None:
    """Nothing of the one log is wrong, nor of the other."""
    told = (*by("a", *RUNS, *GONE), *by("b", "task", "runs"), *by("a", "flushed"))
    assert [row[:2] for row in broken(checked(tmp_path, *told, apart=7))] == [("VIOLATED", "b")]


SOUND = {
    "a connector that is made anew": by("a", *RUNS, *GONE, *RUNS, "flushed"),
    "one that may have been made anew where nobody tells": by("a", *RUNS, *GONE, "task", "runs"),
    "a task that was given up comes back too late": by("a", *RUNS, *GONE, "runs", "flushed"),
    "a task goes on without the worker of its connector": [*by("a", *RUNS), *by("b", "task", "runs")],
}  # fmt: skip


@pytest.mark.parametrize("case", SOUND)
def test_sound_logs_are_not_accused(case: str, tmp_path: Path) -> None:
    """Restarts, names that are used again, zombies."""
    assert broken(checked(tmp_path, *SOUND[case], apart=7)) == []


@pytest.mark.parametrize("tells", [True, False])
def test_who_had_a_task_of_a_deleted_connector_is_told_no_more(
    tmp_path: Path, *, tells: bool
) -> None:
    """Its configuration is gone, and with it the plan that gave it to a worker; other connectors' go on."""
    lines = [
        "Joined group at generation 7 with protocol version 2 and got assignment: Assignment{error=0, leader='connect-1-a', leaderUrl='http://a:8083/', offset=11, connectorIds=[], taskIds=[numbers-0, numbers-10-0], revokedConnectorIds=[], revokedTaskIds=[], delay=0} with rebalance delay: 0",
        f"Connector numbers{'' if tells else '-1'} config removed",
    ]
    (tmp_path / "connect.log").write_text(
        "".join(
            f"[2026-11-22 10:00:{at:02},000] INFO [Worker clientId=connect-1, groupId=connect] {text} (org.apache.kafka.connect.runtime.distributed.DistributedHerder:1)\n"
            for at, text in enumerate(lines)
        ),
        "utf-8",
    )
    report = sm.check([tmp_path / "connect.log"], release="3.9.1")
    connectors = {
        dict(one.subject)["connector"]
        for one in report.now
        if one.machine == "kafka/ConnectAssignment"
    }
    assert connectors == {"numbers-10"} | (set() if tells else {"numbers"})


def explored(folder: Path, text: str) -> dict[str, Verdict]:
    """Explore the system as `text` writes it: claim to verdict."""
    file = folder / "ConnectorAndTasks.yaml"
    file.write_text(text, "utf-8")
    system = system_of(load_system(str(file)))
    scope = scope_from_texts(system, [""])
    found = explore(system, scope, ExplorationOptions(symmetry=True))
    return {one.name: one.verdict for one in found.examined}


def test_without_the_link_a_task_outlives_its_connector(tmp_path: Path) -> None:
    """The rule is no echo of something else."""
    claim = "each step noTaskWithoutItsConnector"
    text = "connector.state != 'DESTROYED' or not connector.removed"
    assert explored(tmp_path, planted(SYSTEM, text, text))[claim] is Verdict.HOLDS
    assert explored(tmp_path, planted(SYSTEM, text, "True"))[claim] is Verdict.VIOLATED


@pytest.mark.parametrize("capture", ["k391_connect_life", "k411_connect_rebalance"])
def test_captured_workers_are_judged_and_not_accused(shared: Path, capture: str) -> None:
    """A system that is never decided proves nothing."""
    folder = shared / "logs" / "today" / capture
    report = sm.check([path for path in sorted(folder.iterdir()) if path.is_dir()], engine="local")
    row = next(
        one
        for one in report.rules
        if one.machine == SYSTEM and one.rule == "noTaskWithoutItsConnector"
    )
    assert (row.judged > 30, row.broken) == (True, 0)
