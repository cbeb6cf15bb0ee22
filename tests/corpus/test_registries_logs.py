"""The DEBUG and TRACE lines of a run tell of each task the moves that its registries made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

from statemachines.conform import check
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from tests.conftest import SHARED
from tests.corpus.registries import REGISTRIES, registries_of
from tests.corpus.test_registries import HAVE_REGISTRIES, truth

Key = tuple[str, str, str]
Moves = dict[Key, list[tuple[str, str]]]
QUIET = ("close", "shutdown")
"""Calls that say nothing of single tasks."""
DEBUG = [
    path.parent.name
    for path in sorted(SHARED.glob("logs/captured/s[12]*_debug/truth.json"))
    if str(truth(path.parent.name)["kafka"]) < "2.6"  # later tasks are another machine
]


def judged(name: str) -> Report:
    """Judge a capture's logs by the machine of one task alone."""
    return check(
        sorted((SHARED / "logs" / "captured" / name).glob("*.log")),
        specs=["kafka/AssignedTask"],
        engine="local",
    )


def places(after: Mapping[str, Any]) -> dict[str, str]:
    """Return the registry of each task."""
    return {task: state for state in REGISTRIES for task in after.get(state, ())}


def made(name: str) -> Moves:
    """Return the moves of each task: thread, kind and id to the states it left and came to."""
    found: Moves = defaultdict(list)
    for registry in registries_of(truth(name)["registries"]):
        before: dict[str, str] = {}
        for call in registry.calls:
            after = places(call.entry["after"])
            for task in sorted(before.keys() | after.keys()):
                ends = before.get(task, "closed"), after.get(task, "closed")
                if (
                    ends[0] != ends[1]
                    and ends[0] != "closed"
                    and not (ends[1] == "closed" and call.method in QUIET)
                ):
                    key = (call.entry["thread"], f"{registry.kind} task", task)
                    found[key] += (
                        [("running", "suspended"), ("suspended", "closed")]
                        if told_twice(call.method, ends)
                        else [ends]
                    )
            before = after
    return found


def told_twice(method: str, ends: tuple[str, str]) -> bool:
    """Tell whether a zombie is suspended by one line and closed by the next: the first is written before it is tried."""
    return method == "suspend" and ends == ("running", "closed")


def told(report: Report) -> Moves:
    """Return the moves of each task as the report tells them."""
    found: Moves = defaultdict(list)
    for step in report.timeline:
        key = dict(step.instance)
        if step.source != step.target and step.source:
            found[str(key["thread"]), str(key["kind"]), str(key["task"])].append(
                (step.source, step.target)
            )
    return found


@pytest.mark.parametrize("name", HAVE_REGISTRIES)
def test_the_log_of_a_run_tells_the_moves_of_its_registries(name: str) -> None:
    """Each task, each move, in order; nothing is found wrong."""
    report = judged(name)
    assert (report.verdict, report.findings) == (Verdict.HOLDS, ())
    assert dict(told(report)) == dict(made(name))
    assert sum(map(len, told(report).values())) > 40


@pytest.mark.parametrize("name", DEBUG)
def test_a_log_without_trace_lines_is_no_trouble(name: str) -> None:
    """What the level hides is passed over."""
    report = judged(name)
    assert (report.verdict, report.findings) == (Verdict.HOLDS, ())
