"""A controller that moves is told, and one that is elected while its broker starts is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

STARTS = "starting (kafka.server.KafkaServer)"
ELECTED = "[Controller id={0}] {0} successfully elected as the controller. Epoch incremented to {1} and epoch zk version is now {1} (kafka.controller.KafkaController)"


def moves(folder: Path, *told: tuple[int, int, str]) -> list[str]:
    """Judge lines of brokers (second, broker, line); return what moved, and the health."""
    lines: dict[int, list[str]] = {}
    for second, broker, text in told:
        clock = f"2026-11-21 10:{second // 60:02}:{second % 60:02},000"
        lines.setdefault(broker, []).append(f"[{clock}] INFO {text}\n")
    for broker, texts in lines.items():
        (folder / f"broker{broker}").mkdir()
        (folder / f"broker{broker}" / "kafka.log").write_text("".join(texts), "utf-8")
    report = sm.check([folder], release="2.8.2")
    return [one.title for one in report.incidents if one.kind == "controller-moved"]


def test_a_controller_that_moves_is_told(tmp_path: Path) -> None:
    """Which broker it is now, long after that broker began."""
    told = [(0, 1, STARTS), (0, 2, STARTS), (1, 1, ELECTED.format(1, 1))]
    found = moves(tmp_path, *told, (40, 2, ELECTED.format(2, 2)))
    assert found == ["broker 2 was elected as the controller"]


@pytest.mark.parametrize("second", [1, 4])
def test_the_first_election_is_a_part_of_the_start(tmp_path: Path, second: int) -> None:
    """A cluster that begins has lost nothing."""
    told = [(0, 1, STARTS), (second, 1, ELECTED.format(1, 1))]
    assert moves(tmp_path, *told) == []
