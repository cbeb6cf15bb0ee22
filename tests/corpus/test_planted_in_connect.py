"""A task that is planted on a second worker is found, in captured logs of Connect."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.verdicts import Verdict
from tests.corpus.test_planted_in_kraft import Line, read

ASSIGNED = re.compile(
    r"Joined group at generation (?P<generation>\d+) .*taskIds=\[(?P<tasks>[^\]]*)\]"
)
Assigned = tuple[Line, re.Match[str]]


def assignments(logs: dict[str, list[str]]) -> dict[str, list[Assigned]]:
    """Return what each worker says that it was given, by generation."""
    found: dict[str, list[Assigned]] = defaultdict(list)
    for file, texts in logs.items():
        for number, text in enumerate(texts, 1):
            if told := ASSIGNED.search(text):
                found[told["generation"]].append(((file, number, text), told))
    return found


def tasks_of_others(logs: dict[str, list[str]]) -> Iterator[tuple[Line, Line, str]]:
    """Yield a worker's line, another worker's of the same generation, and the first with a task of the second."""
    for told in assignments(logs).values():
        for (line, mine), (other, theirs) in permutations(told, 2):
            if line[0] != other[0] and theirs["tasks"]:
                task, cut = theirs["tasks"].split(", ")[0], mine.end("tasks")
                more = f", {task}" if mine["tasks"] else task
                yield line, other, line[2][:cut] + more + line[2][cut:]


@pytest.mark.parametrize("capture", ["k411_connect_life", "k391_connect_zombie"])
def test_a_task_of_two_workers_is_found_at_one_of_their_lines(
    shared: Path, tmp_path: Path, capture: str
) -> None:
    """Which of the two is wrong no log can tell; a worker that was frozen and comes back is no such thing."""
    logs = read(shared / "logs" / "today" / capture)
    (file, number, _), (other, place, _), wrong = random.Random(1).choice(
        list(tasks_of_others(logs))
    )
    logs[file][number - 1] = wrong
    for name, texts in logs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(texts) + "\n", "utf-8")
    found = [
        (one.place.file.removeprefix(f"{tmp_path}/"), one.place.line)
        for one in sm.check([tmp_path], engine="local").findings
        if one.machine == "kafka/ConnectAssignment"
        and one.verdict is Verdict.VIOLATED
        and one.place
    ]
    assert len(found) == 1
    assert found[0] in ((file, number), (other, place))


@pytest.mark.parametrize("capture", ["k411_connect_rebalance", "k391_connect_zombie"])
def test_tasks_that_go_from_worker_to_worker_are_no_fault(shared: Path, capture: str) -> None:
    """Workers are killed, frozen and stopped there, and their tasks go to others."""
    report = sm.check([shared / "logs" / "today" / capture], engine="local")
    assert not [one for one in report.findings if one.machine == "kafka/ConnectAssignment"]
    assert [row for row in report.rules if row.machine == "kafka/ConnectAssignment"]
