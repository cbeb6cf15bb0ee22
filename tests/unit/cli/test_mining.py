"""`mine` and `repair`, as a person types them.

Covers: statemachines.api.log_mining, statemachines.cli.verbs.writing.mine,
statemachines.cli.verbs.writing.repair.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from statemachines.cli import main
from tests.unit.mining.foreign_logs import yarn_log


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two machines in one log."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "yarn.log").write_text(yarn_log())
    return tmp_path


def test_the_draft_with_most_lines_is_printed_and_others_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe gets one spec; what else there is stands on stderr."""
    assert main(["mine", "yarn.log"]) == 0
    printed = capsys.readouterr()
    assert "\nmachine: Task\n" in printed.out
    assert "also found: --machine RMApp" in printed.err
    assert main(["mine", "yarn.log", "--machine", "RMApp"]) == 0
    assert "\nmachine: RMApp\n" in capsys.readouterr().out


def test_a_folder_gets_all_drafts_and_each_checks(folder: Path) -> None:
    """What was written is read again, from the files."""
    assert main(["mine", "yarn.log", "-o", "drafts/"]) == 0
    files = sorted(str(file) for file in Path("drafts").iterdir())
    assert files == ["drafts/RMApp.yaml", "drafts/Task.yaml"]
    assert main(["lint", *files]) == 0
    assert (
        main(["check", "yarn.log", "--spec", "drafts", "--fail-on", "violated,inconclusive"]) == 0
    )


def test_what_is_not_there_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A machine that was not found, a log that is not there, a log without a life."""
    (folder / "plain.log").write_text("2026-01-01 10:00:00 INFO hello\n")
    assert main(["mine", "yarn.log", "--machine", "Tusk"]) == 2
    assert "did you mean `Task`?" in capsys.readouterr().err
    assert main(["mine", "nowhere.log"]) == 2
    assert "nowhere.log" in capsys.readouterr().err
    assert main(["mine", "plain.log"]) == 1
    assert "no life cycle in 1 line:" in capsys.readouterr().err


def test_a_spec_is_repaired_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The diff on stdout; with -o the spec itself is written, and holds."""
    assert main(["mine", "yarn.log", "--machine", "Task", "-o", "Task.yaml"]) == 0
    whole = Path("Task.yaml").read_text()
    line = next(
        line for line in whole.splitlines(keepends=True) if "{from: RUNNING, to: FAILED}" in line
    )
    Path("Task.yaml").write_text(whole.replace(line, ""))
    assert main(["check", "yarn.log", "--spec", "Task.yaml"]) == 1
    capsys.readouterr()
    assert main(["repair", "Task.yaml", "yarn.log"]) == 0
    diff = capsys.readouterr().out
    assert "+  - {from: RUNNING, to: FAILED}\n" in diff
    assert Path("Task.yaml").read_text() == whole.replace(line, "")
    assert main(["repair", "Task.yaml", "yarn.log", "-o", "Task.yaml"]) == 0
    assert main(["check", "yarn.log", "--spec", "Task.yaml"]) == 0
    assert main(["repair", "nothing.yaml", "yarn.log"]) == 2


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["mine", "yarn.log", "-o", "Other.yaml"], "Other.yaml"),
        (["mine", "yarn.log", "-o", "drafts/"], "drafts/Task.yaml"),
        (["repair", "Task.yaml", "yarn.log", "-o", "Other.yaml"], "Other.yaml"),
    ],
)
def test_a_spec_that_is_there_is_overwritten_only_when_told(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], file: str
) -> None:
    """It may be somebody's work; of several drafts none is written then."""
    assert main(["mine", "yarn.log", "--machine", "Task", "-o", "Task.yaml"]) == 0
    (folder / "drafts").mkdir()
    (folder / file).write_text("by hand\n")
    assert main(words) == 2
    assert f"{file} exists already; --force overwrites it" in capsys.readouterr().err
    assert (folder / file).read_text() == "by hand\n"
    assert not (folder / "drafts" / "RMApp.yaml").exists()
    assert main([*words, "--force"]) == 0
    assert "machine: " in (folder / file).read_text()


def test_one_of_a_kind_is_written_in_the_singular(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`1 instances` reads as a mistake of the tool."""
    line = "2026-01-01 10:00:{:02} INFO lift.Lift: elevator 1: {} -> {}\n"
    moves = [("IDLE", "MOVING"), ("MOVING", "OPEN"), ("OPEN", "MOVING"), ("MOVING", "OPEN")]
    (folder / "lift.log").write_text("".join(line.format(n, *m) for n, m in enumerate(moves)))
    assert main(["mine", "lift.log"]) == 0
    printed = capsys.readouterr()
    assert "4 steps of 1 instance." in printed.out
    assert "1 of 1 instance begins here" in printed.out
    assert not re.search(r"\b1 (steps|instances|lines|files)\b", printed.out + printed.err)


GATE = """\
notation: 1
machine: Gate
states:
  SHUT: {initial: true}
  MOVING: {within: 20 s}   # as the builder says
  OPEN:
transitions:
  - {from: [SHUT, OPEN], to: MOVING}
  - {from: MOVING, to: [SHUT, OPEN]}
log:
  instance: [gate]
  logger: yard.Gate
  level: INFO
  lines:
    - {text: "gate {gate} went from {from} to {to}", says: step}
    - {text: "gate {gate} shall become {to}", says: asked, within: 30 s}
"""
GATE_LOG = """\
2026-03-01 08:00:00,000 INFO yard.Gate: gate north shall become OPEN
2026-03-01 08:00:01,000 INFO yard.Gate: gate north went from SHUT to MOVING
2026-03-01 08:00:34,500 INFO yard.Gate: gate north went from MOVING to OPEN
2026-03-01 08:01:00,000 INFO yard.Gate: gate south went from SHUT to MOVING
2026-03-01 08:01:21,000 INFO yard.Gate: gate south went from MOVING to OPEN
"""


LIFT = """\
notation: 1
machine: Lift
states:
  IDLE: {initial: true}
  MOVING: {within: 20 s}
  STUCK:
  OUT: {final: true}
transitions:
  - {from: IDLE, to: MOVING, event: call}
  - {from: MOVING, to: IDLE, event: arrive}
  - {from: MOVING, to: STUCK, event: jam}
  - {from: STUCK, to: IDLE, event: reset}
  - {from: IDLE, to: OUT, event: retire}
log:
  instance: [lift]
  lines:
    - {text: "elevator {lift}: {from} -> {to}", says: step, level: INFO}
    - {text: "elevator {lift} shall become {to}", says: asked, within: 30 s, level: INFO}
  episodes:
    stuck:
      while: "state == 'STUCK'"
      title: "elevator {lift} is stuck"
      within: 1 min
"""
LIFT_LOG = """\
2026-03-01 10:00:00,000 INFO hall.Lifts: elevator 1 went: IDLE -> MOVING
2026-03-01 10:00:10,000 INFO hall.Lifts: elevator 1 went: MOVING -> IDLE
2026-03-01 10:00:20,000 INFO hall.Lifts: elevator 2 went: IDLE -> MOVING
2026-03-01 10:00:55,000 INFO hall.Lifts: elevator 2 went: MOVING -> IDLE
2026-03-01 10:01:00,000 INFO hall.Lifts: elevator 3 went: IDLE -> MOVING
2026-03-01 10:01:05,000 INFO hall.Lifts: elevator 3 went: MOVING -> HALTED
2026-03-01 10:01:10,000 INFO hall.Lifts: elevator 1 shall become MOVING
2026-03-01 10:01:15,000 INFO hall.Lifts: elevator 4 went: IDLE -> MOVING
2026-03-01 10:05:00,000 INFO hall.Lifts: elevator 1 went: IDLE -> MOVING
2026-03-01 10:05:10,000 INFO hall.Lifts: elevator 1 went: MOVING -> IDLE
"""


def test_what_the_changes_do_not_admit_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """VIOLATED before and after, and no word of what is left, leaves a person where she was."""
    Path("Lift.yaml").write_text(LIFT)
    Path("lift.log").write_text(LIFT_LOG)
    assert main(["repair", "Lift.yaml", "lift.log"]) == 1
    said = capsys.readouterr().err
    assert "VIOLATED before, VIOLATED after" in said
    assert "not admitted: broken rule: Lift 3: stuck: late" in said


def test_a_deadline_becomes_the_shortest_that_the_log_keeps(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that is slower than its spec says, and nothing else wrong: a diff with the slowest."""
    Path("Gate.yaml").write_text(GATE)
    Path("gate.log").write_text(GATE_LOG)
    assert main(["check", "gate.log", "--spec", "Gate.yaml"]) == 1
    capsys.readouterr()
    assert main(["repair", "Gate.yaml", "gate.log"]) == 0
    diff = capsys.readouterr().out
    assert "-  MOVING: {within: 20 s}   # as the builder says\n" in diff
    assert "+  MOVING: {within: 33 s 500 ms}" in diff
    assert "says: asked, within: 34 s 500 ms}" in diff
    assert "# MOVING too long: 33 s 500 ms pass   gate.log:3\n" in diff
    assert main(["repair", "Gate.yaml", "gate.log", "-o", "Gate.yaml", "--force"]) == 0
    assert main(["check", "gate.log", "--spec", "Gate.yaml"]) == 0


def test_states_of_one_letter_are_mined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`A -> B` names two states as `OPEN -> SHUT` does."""
    steps = [(valve, step) for valve in range(4) for step in ("A -> B", "B -> C", "C -> D")]
    line = "2026-03-01 08:00:{:02} INFO plant.Valve: valve v{}: {}\n"
    text = "".join(line.format(n, valve, step) for n, (valve, step) in enumerate(steps))
    Path("valve.log").write_text(text)
    assert main(["mine", "valve.log"]) == 0
    draft = capsys.readouterr().out
    assert re.findall(r"^  ([A-Z_0-9]+):", draft, re.MULTILINE)[:4] == ["A", "B", "C", "D"]
    assert "{from: C, to: D}" in draft
