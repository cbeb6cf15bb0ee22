"""A line that stands in two files of one process is one line; a line that one file holds twice is two.

Covers: statemachines.conform.engines.observation_store,
statemachines.conform.judge.holders.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

SPEC = """
notation: 1
machine: Lamp
states: {OFF: {initial: true}, ON: }
transitions:
  - {from: OFF, to: ON}
  - {from: ON, to: OFF}
log:
  instance: [lamp]
  patterns: {lamp: '[a-z]+'}
  lines:
    - {text: "lamp {lamp} went {from} to {to}", says: step, logger: org.example.Lamp, level: INFO}
"""
LIT, DARK = "lamp big went OFF to ON", "lamp big went ON to OFF"


def checked(folder: Path, files: dict[str, list[str]], spec: str = SPEC) -> sm.Report:
    """Judge files whose messages begin with their second, as those of one pod: the name of the process is told by each line."""
    (folder / "lamp.yaml").write_text(spec, "utf-8")
    for name, messages in files.items():
        lines = (
            f"2026-01-01 10:00:{text[:2]},000 INFO  [main] org.example.Lamp - {text[3:]}\n"
            for text in messages
        )
        (folder / name).write_text("".join(lines), "utf-8")
    return sm.check([folder / name for name in files], specs=[folder / "lamp.yaml"])


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are of one process, as where a family names it."""
    monkeypatch.setattr(
        "statemachines.conform.settle.processes._agreed_name", lambda plan, named: "house 1"
    )


@pytest.mark.usefixtures("one_process")
def test_a_copy_counts_once(tmp_path: Path) -> None:
    """Every line of one file stands in the other as well."""
    told = [f"01 {LIT}", f"02 {DARK}", f"03 {LIT}"]
    report = checked(tmp_path, {"house.log": told, "stdout.txt": told})
    assert (report.findings, len(report.timeline)) == ((), 3)


@pytest.mark.usefixtures("one_process")
def test_what_one_file_alone_tells_counts(tmp_path: Path) -> None:
    """The other began later."""
    report = checked(
        tmp_path,
        {"house.log": [f"01 {LIT}", f"02 {DARK}"], "stdout.txt": [f"02 {DARK}", f"03 {LIT}"]},
    )
    assert (report.findings, len(report.timeline)) == ((), 3)


def test_a_line_that_stands_twice_in_one_file_is_two(tmp_path: Path) -> None:
    """A fault that would be hidden otherwise."""
    report = checked(tmp_path, {"house.log": [f"01 {LIT}", f"02 {DARK}", f"02 {DARK}"]})
    assert [one.kind for one in report.findings] == ["gap"]


def test_two_processes_are_no_copies_of_each_other(tmp_path: Path) -> None:
    """Each has a lamp of its own."""
    report = checked(tmp_path, {"one.log": [f"01 {LIT}"], "two.log": [f"01 {LIT}"]})
    assert len(report.timeline) == 2


def test_a_file_that_holds_whole_kinds_of_lines_twice_says_each_once(tmp_path: Path) -> None:
    """Containers print so where a logger and its parent have one appender: nothing began again,
    and nothing is counted twice. Lines of other loggers stand there once.
    """
    kinds = [f"went {one} to {other}" for one, other in (("OFF", "ON"), ("ON", "OFF"))]
    spec = SPEC + "".join(
        f'    - {{text: "lamp {{lamp}} was seen by {who}", says: note, mark: seen by {who}, logger: org.example.Lamp}}\n'
        for who in ("ann", "bob", "cid", "dan", "eve")
    )
    once = [f"01 lamp big {kinds[0]}", f"02 lamp big {kinds[1]}"]
    seen = [
        f"{second:02} lamp big was seen by {who}"
        for second in (3, 4, 5)
        for who in ("ann", "bob", "cid", "dan", "eve")
    ]
    twice = [line for one in [*once, *seen, f"06 lamp big {kinds[0]}"] for line in (one, one)]
    report = checked(tmp_path, {"stdout.txt": twice}, spec)
    assert (report.findings, len(report.timeline)) == ((), 3)
    assert [one.count for one in report.repeated if one.kind.startswith("seen by")] == [3] * 5
