"""A process whose log stops long before those of the others is not believed to be what it was.

Covers: statemachines.conform.join.silent_processes, statemachines.report.sections.log_notes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform.join.silent_processes import FEWEST_RECORDS
from statemachines.model.evidence.reports import Report
from statemachines.report.text.document import to_text

FAMILY = r"""
notation: 1
family: coast
releases: ["1"]
log:
  process: ship
  patterns: {ship: '\d+'}
  lines:
    - {text: "ship {ship} leaves the harbour", says: process begins, logger: coast.Ship, level: INFO}
    - {text: "ship {ship} is moored", says: process ends, logger: coast.Ship, level: INFO}
"""
ENGINE = """
notation: 1
machine: Engine
family: coast
states: {IDLE: {initial: true}, RUNNING: , COLD: {final: true}}
transitions:
  - {from: IDLE, to: RUNNING}
  - {from: RUNNING, to: COLD}
log:
  instance: [ship]
  program: true
  lines:
    - {text: "engine of {ship} is {to}", says: step, logger: coast.Engine, level: INFO}
    - {text: "engine of {ship} turns", says: note, logger: coast.Engine, level: INFO}
"""
EARLY = "no longer heard of: its log ends {} before the others"


def sailing(ship: int, times: Iterable[int]) -> list[tuple[int, str]]:
    """Return the lines of a ship that leaves at the first of some seconds, and whose engine is told
    of at all others."""
    first, *others = times
    start = [(first, f"ship {ship} leaves the harbour"), (first, f"engine of {ship} is RUNNING")]
    return [*start, *((at, f"engine of {ship} turns") for at in others)]


def judged(folder: Path, *logs: list[tuple[int, str]]) -> Report:
    """Judge the logs of ships, a file each, whose lines have a second each."""
    for name, text in (("coast", FAMILY), ("Engine", ENGINE)):
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    files = []
    for number, lines in enumerate(logs, start=1):
        files.append(folder / f"ship{number}.log")
        stamped = (f"[2026-01-01 {_time(at)},000] INFO {line} (C)\n" for at, line in lines)
        files[-1].write_text("".join(stamped), "utf-8")
    return sm.check(files, specs=[folder / "Engine.yaml", folder / "coast.yaml"], engine="local")


def _time(seconds: int) -> str:
    return f"{10 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def doubts(report: Report) -> dict[object, str]:
    """Return why the state of a ship's engine is in doubt; empty: it is not."""
    return {dict(row.subject)["ship"]: row.doubt for row in report.now}


def test_whose_log_stops_is_not_heard_of_since(tmp_path: Path) -> None:
    """Without a word a program that was killed is RUNNING for ever."""
    report = judged(tmp_path, sailing(1, range(20)), sailing(2, range(600)))
    assert doubts(report) == {1: EARLY.format("9 min 40 s"), 2: ""}
    lines = list(to_text(report))
    assert lines[0] == "WELL   nothing is wrong, as far as the logs go"
    assert "  logs that end before the others: ship 1 (by 9 min 40 s)" in lines


@pytest.mark.parametrize(
    "last",
    [
        pytest.param((19, "ship 1 is moored"), id="its process said that it ended"),
        pytest.param((19, "engine of 1 is COLD"), id="its program was closed"),
    ],
)
def test_what_ended_is_not_missed(tmp_path: Path, last: tuple[int, str]) -> None:
    """An orderly end is no alarm, and needs no words."""
    report = judged(tmp_path, [*sailing(1, range(19)), last], sailing(2, range(600)))
    assert not any(doubts(report).values())
    assert next(to_text(report)) == "WELL   nothing is wrong"


def test_who_logs_seldom_is_not_missed(tmp_path: Path) -> None:
    """A process that says something every five minutes is not missed after ten."""
    report = judged(tmp_path, sailing(1, range(0, 6000, 300)), sailing(2, range(0, 6300, 5)))
    assert not any(doubts(report).values())


def test_in_a_long_log_the_usual_gap_tells(tmp_path: Path) -> None:
    """Somebody looks five minutes after a program was killed that had run for hours."""
    report = judged(tmp_path, sailing(1, range(0, 6000, 2)), sailing(2, range(0, 6300, 2)))
    assert doubts(report) == {1: EARLY.format("5 min"), 2: ""}


def test_a_few_lines_do_not_tell_how_often_somebody_logs(tmp_path: Path) -> None:
    """Two lines a second apart are no rhythm."""
    few = sailing(1, range(FEWEST_RECORDS - 2))
    assert not any(doubts(judged(tmp_path, few, sailing(2, range(600)))).values())


def test_who_ran_before_the_others_began_is_not_missed(tmp_path: Path) -> None:
    """Runs that follow each other, or clocks that differ by hours, say nothing of an end."""
    report = judged(tmp_path, sailing(1, range(20)), sailing(2, range(3600, 4200)))
    assert not any(doubts(report).values())
