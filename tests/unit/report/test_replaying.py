"""`explore --replay`: a counterexample that was written before, as a person steps through it, and what a changed spec makes of it.

Covers: statemachines.report.exploration.replays.replay_session,
statemachines.report.exploration.last_steps, statemachines.cli.console.conversations.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from statemachines.cli import main
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.notation import load_spec, machine_of
from statemachines.report.exploration.exploration_markdown import to_markdown
from statemachines.report.exploration.exploration_report import exploration_report, to_json
from statemachines.report.exploration.last_steps import last_step
from statemachines.report.exploration.replays.recorded_traces import read_exploration
from statemachines.report.exploration.replays.replay_report import replay_reports
from statemachines.report.exploration.replays.replay_session import ReplaySession, replay_session
from tests.systems import house

COUNT = """
notation: 1
machine: Count
states: {LOW: {initial: true}, HIGH: {doc: Much.}}
variables: {x: "0..9 = 0", y: "0..9 = 5"}
events:
  up: {args: {by: 1..2}}
transitions:
  - {from: LOW, to: LOW, event: up, guard: x + by < 4, effect: {x: x + by}}
  - {from: LOW, to: HIGH, event: up, guard: x + by >= 4, effect: {x: x + by}}
always: {low: state == 'LOW'}
no deadlock: false
"""


class Bench:
    """A spec in a folder, and what exploring it once wrote."""

    def __init__(self, folder: Path) -> None:
        self.spec, self.file = folder / "Count.yaml", folder / "found.json"
        self.write()

    def write(self, *changes: tuple[str, str]) -> None:
        """Write the spec with changes, each of which must happen."""
        text = COUNT.lstrip()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.spec.write_text(text, "utf-8")

    def explore(self, copies: int = 1) -> None:
        """Keep what exploring finds."""
        machine, how = machine_of(load_spec(str(self.spec))), ExplorationOptions(copies=copies)
        found = to_json(exploration_report(machine, (), how, ""))
        self.file.write_text(json.dumps(found), "utf-8")

    def replay(self, *options: str) -> int:
        """Run the command; return its exit code."""
        return main(["explore", str(self.spec), "--replay", str(self.file), *options])

    def session(self) -> ReplaySession:
        """Return the conversation along the first trace."""
        machine = machine_of(load_spec(str(self.spec)))
        report = replay_reports(machine, read_exploration(self.file))[0]
        session = replay_session(machine, (), report)
        assert session is not None
        return session


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A counter whose rule is broken, explored; nobody sits at the terminal."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    found = Bench(tmp_path)
    found.explore()
    return found


def test_without_a_terminal_a_trace_is_printed_whole(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the state just before the rule breaks, and the event that led out."""
    assert bench.replay() == 0
    assert capsys.readouterr().out.splitlines() == [
        "",
        "always low: does not hold here",
        "  begins  LOW  x=0  y=5",
        "  1   up(by=2)   x=2",
        "  2   up(by=2)   LOW -> HIGH  x=4",
        "  just before  LOW  x=2  y=5",
        "  led out by   up(by=2)",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("x + by >= 4", "x + by >= 5"),
            "step 2, up(by=2), is answered otherwise now: Refused; it",
        ),
        (("to: HIGH, event: up,", "to: LOW, event: up,"), "step 2, up(by=2), leads elsewhere now:"),
        (("up", "raise"), "step 1, up(by=2), no longer goes: Count has no event `up`"),
        (("by: 1..2", "by: 1..1"), "step 1, up(by=2), no longer goes:"),
        (('y: "0..9 = 5"', 'y: "0..9 = 6"'), "nothing begins so any more"),
        (('y: "0..9 = 5"', 'z: "0..9 = 5"'), "it cannot begin as it did:"),
        (("LOW", "NONE"), "it cannot begin as it did:"),
        (("state == 'LOW'", "x < 9"), "the run goes to its end, but `always low` says something"),
        (("always: {low", "always: {lower"), "Count no longer claims `always low`"),
    ],
)
def test_a_changed_spec_says_where_a_trace_no_longer_goes(
    bench: Bench, capsys: pytest.CaptureFixture[str], change: tuple[str, str], said: str
) -> None:
    """In one sentence, with exit code 1: what was broken may be mended."""
    bench.write(change)
    assert bench.replay() == 1
    assert said in capsys.readouterr().out


def test_what_is_no_such_file_is_said(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Another machine, nothing broken, no JSON, no exploration, and a file that somebody changed."""

    def complaint(text: str, *options: str) -> str:
        bench.file.write_text(text, "utf-8")
        assert bench.replay(*options) == 2
        return capsys.readouterr().err

    found = json.loads(bench.file.read_text("utf-8"))
    other = json.dumps(found | {"machine": "Other"})
    assert "of the machine Other, not of the machine Count" in complaint(other)
    empty = json.dumps(found | {"properties": []})
    assert "nothing was broken, and no trace of Count was written" in complaint(empty)
    assert "is not JSON" in complaint("{")
    assert "is no exploration" in complaint("{}")
    broken = json.dumps(found | {"properties": [{"trace": {}}]})
    assert "its traces are not as `explore` writes them" in complaint(broken)
    assert "--replay explores nothing" in complaint(other, "--format", "json")


def test_a_person_steps_through_a_trace_leaves_it_and_comes_back(bench: Bench) -> None:
    """Enter takes the next step; any event may be tried on the way."""
    session = bench.session()
    assert list(session.opening_lines())[:3] == [
        "always low: does not hold here",
        "       1  up(by=2)   x=2",
        "       2  up(by=2)   LOW -> HIGH  x=4",
    ]
    assert "1  LOW  x=2  y=5" in list(session.answer_lines(""))
    assert "2  LOW  x=3  y=5" in list(session.answer_lines("up(by=1)"))
    assert "this is not on the trace" in next(iter(session.answer_lines("next")))
    assert "1  LOW  x=2  y=5" in list(session.answer_lines("back"))
    last = list(session.answer_lines("next"))
    assert "2  HIGH  x=4  y=5" in last
    assert last[-1] == "      the trace ends here: does not hold here"
    assert list(session.answer_lines("next")) == last[-1:]
    assert "  next        take the next step" in next(iter(session.answer_lines("help")))
    assert not session.ended
    list(session.answer_lines("quit"))
    assert session.ended


def test_copies_are_stepped_through_each_by_its_number(bench: Bench) -> None:
    """An event by its name does not say whose it is."""
    bench.explore(copies=2)
    session = bench.session()
    list(session.opening_lines())
    lines = list(session.answer_lines("next"))
    assert any("|" in line and line.startswith("1  ") for line in lines)
    assert any("2: up(by=1)" in line for line in lines)
    assert list(session.answer_lines("up(by=1)")) == [
        "  `up` of which copy? Copies are stepped by number"
    ]
    assert any(line.startswith("2  ") for line in session.answer_lines("1"))


def test_json_and_markdown_say_what_led_out(bench: Bench) -> None:
    """The state just before as data, and in words."""
    machine = machine_of(load_spec(str(bench.spec)))
    report = exploration_report(machine, (), ExplorationOptions(), "")
    assert "Just before: `LOW x=2 y=5`. Led out by: `up(by=2)`." in to_markdown(report)
    low = next(
        one for one in json.loads(bench.file.read_text("utf-8"))["properties"] if "led_out" in one
    )
    assert low["name"] == "always low"
    assert low["led_out"]["step"] == 2
    assert low["led_out"]["before"][0]["variables"] == {"x": "2", "y": "5"}


def test_a_rule_that_never_held_has_nothing_before_it(bench: Bench) -> None:
    """It begins broken: no event led there."""
    bench.write(("state == 'LOW'", "x > 0"))
    report = exploration_report(
        machine_of(load_spec(str(bench.spec))), (), ExplorationOptions(), ""
    )
    assert [one.last for one in report.examined if one.title == "always low"] == [None]


def lit_house() -> SystemDefinition:
    """Return a house in which a lamp goes on, though all are claimed to stay dark."""
    return house(
        'links:\n  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}, '
        "later: true}\nscope: {Room: 1}\nalways:\n  dark: \"all(l.state == 'OFF' for l in "
        'lamps.values())"\n'
    )


def test_a_trace_of_a_system_is_stepped_through_to_its_end(tmp_path: Path) -> None:
    """It begins in one snapshot, of all its parts, and every step is one of the trace."""
    system, file = lit_house(), tmp_path / "found.json"
    found = to_json(exploration_report(system, (), ExplorationOptions(), ""))
    file.write_text(json.dumps(found), "utf-8")
    report = replay_reports(system, read_exploration(file))[0]
    assert report.stop == ""
    session = replay_session(system, (), report)
    assert session is not None
    assert next(iter(session.opening_lines())).startswith("always dark")
    for _ in report.shown.rows:
        last = list(session.answer_lines("next"))
    assert last[-1] == "      the trace ends here: does not hold here"


def test_of_a_system_all_of_its_parts_stand_just_before() -> None:
    """With their variables."""
    found = explore(lit_house())
    broken = next(one for one in found.examined if one.name == "always dark")
    last = last_step(broken, found.definition)
    assert last is not None
    assert "lamps['Room1'] OFF" in last.before
    assert last.number == len(broken.trace.steps)
