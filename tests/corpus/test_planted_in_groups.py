"""A partition that is planted on a second member of a group is found, in captured logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.verdicts import Verdict
from tests.corpus.test_planted_in_kraft import read

PLAN = re.compile(r"Finished assignment for group at generation .*")
SHARE = re.compile(r"(?<=Assignment\(partitions=\[)[^\]]+(?=\])")
TASKS = re.compile(r"(?<=assignedTasks=\(active=\[)[^\]]+(?=\])")
MEMBER = re.compile(r"\[GroupId pipeline\]\[MemberId (?P<member>\S+)\] Member's new assignment")
Planted = tuple[str, int, str]


def double_plans(logs: dict[str, list[str]]) -> Iterator[Planted]:
    """Yield the lines of leaders, with a partition of the first member given to the second too."""
    for file, texts in logs.items():
        for number, text in enumerate(texts, 1):
            if (plan := PLAN.search(text)) and len(
                shares := list(SHARE.finditer(text, plan.start()))
            ) > 1:
                first, second = shares[:2]
                more = first[0].split(", ")[0] + ", "
                yield file, number, text[: second.start()] + more + text[second.start() :]


def double_tasks(logs: dict[str, list[str]]) -> Iterator[Planted]:
    """Yield a coordinator's lines, with a task given to a member that another one still has."""
    for file, texts in logs.items():
        held: dict[str, str] = {}
        for number, text in enumerate(texts, 1):
            if whose := MEMBER.search(text):
                tasks = TASKS.search(text)
                others = [task for member, task in held.items() if member != whose["member"]]
                if tasks and others and others[0] not in text:
                    yield (
                        file,
                        number,
                        text[: tasks.start()] + others[0] + ", " + text[tasks.start() :],
                    )
                held.pop(whose["member"], None)
                if tasks:
                    held[whose["member"]] = tasks[0].split(", ")[0]


def found(folder: Path, logs: dict[str, list[str]]) -> list[tuple[str, int]]:
    """Check some logs, and return where a second member is found."""
    for name, texts in logs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(texts) + "\n", "utf-8")
    return [
        (one.place.file.removeprefix(f"{folder}/"), one.place.line)
        for one in sm.check([folder], engine="local").findings
        if one.machine in ("kafka/GroupAssignment", "kafka/GroupHolding")
        and one.verdict is Verdict.VIOLATED
        and one.place
    ]


@pytest.mark.parametrize(
    "capture",
    [
        "captured/s251_rebalance",
        "captured/s341_rebalance",
        "today/k282_connect_rebalance",
        "today/g362_groups2",
        "today/g401_groups2",
        "today/g422_groups2",
    ],
)
def test_a_plan_that_gives_a_partition_twice_is_found_at_its_line(
    shared: Path, tmp_path: Path, capture: str
) -> None:
    """Both members would read it, and whoever looks sees each record twice."""
    logs = read(shared / "logs" / capture)
    file, number, wrong = next(double_plans(logs))
    logs[file][number - 1] = wrong
    assert set(found(tmp_path, logs)) == {(file, number)}


def test_a_task_that_is_given_before_it_was_given_up_is_found_at_its_line(
    shared: Path, tmp_path: Path
) -> None:
    """The coordinator waits until the member before has given it up."""
    logs = read(shared / "logs" / "today" / "g422_groups2")
    file, number, wrong = next(double_tasks(logs))
    logs[file][number - 1] = wrong
    assert (file, number) in found(tmp_path, logs)


@pytest.mark.parametrize("capture", ["captured/s391_rebalance", "today/g401_groups2"])
def test_partitions_that_go_from_member_to_member_are_no_fault(shared: Path, capture: str) -> None:
    """Members come, go, are killed and frozen there."""
    report = sm.check([shared / "logs" / capture], engine="local")
    assert not [one for one in report.findings if one.machine == "kafka/GroupAssignment"]
    assert [row for row in report.rules if row.machine == "kafka/GroupAssignment"]
