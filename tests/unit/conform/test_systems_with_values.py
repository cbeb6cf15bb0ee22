"""Rules of systems over parts with data: what lines tell decides them, and what they do not tell accuses nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report
from tests.effort import some_of

PUMP = """
notation: 1
machine: Pump
states: {IDLE: {initial: true}, RUNS: }
variables: {round: "0..99 = 0"}
events: {to_RUNS: {args: {of: 0..99}}, to_IDLE: {args: {of: 0..99}}}
transitions:
  - {from: "*", to: RUNS, effect: {round: of}}
  - {from: "*", to: IDLE, effect: {round: of}}
log:
  instance: [pump]
  lines:
    - {text: "the pump {pump} runs round {round}", says: step, to: RUNS, args: {of: "{round}"}, logger: P, level: INFO}
    - {text: "the pump {pump} rests after round {round}", says: step, to: IDLE, args: {of: "{round}"}, logger: P, level: INFO}
    - {text: "the pump {pump} runs", says: step, to: RUNS, logger: P, level: INFO}
"""
LAMP = """
notation: 1
machine: Lamp
states: {DARK: {initial: true}, LIT: }
variables: {round: "0..99 = 0"}
events: {to_LIT: {args: {of: 0..99}}}
transitions:
  - {from: "*", to: LIT, effect: {round: of}}
  - {from: LIT, to: DARK}
log:
  instance: [lamp]
  lines:
    - {text: "the lamp {lamp} shows round {round}", says: step, to: LIT, args: {of: "{round}"}, logger: L, level: INFO}
    - {text: "the lamp {lamp} is out", says: step, to: DARK, logger: L, level: INFO}
"""
STATION = """
notation: 1
system: Station
parts:
  pump: {machine: Pump}
  lamp: {machine: Lamp}
variables: {known: "0..99 = 0"}
each step:
  showsWhatRuns: "implies(lamp.state == 'LIT' and before.lamp.state == 'DARK', pump.state == 'RUNS' and pump.round == lamp.round)"
  neverTold: known >= 0
"""


@pytest.fixture
def station(tmp_path: Path) -> Path:
    """A folder with two machines and the system of them."""
    for name, text in (("Pump", PUMP), ("Lamp", LAMP), ("Station", STATION)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    return tmp_path


def checked(folder: Path, *lines: str) -> Report:
    """Judge lines, five seconds apart."""
    written = [
        f"[2026-01-01 10:{5 * n // 60:02}:{5 * n % 60:02},001] INFO the {line} ({'P' if line[0] == 'p' else 'L'})\n"
        for n, line in enumerate(lines)
    ]
    (folder / "station.log").write_text("".join(written), "utf-8")
    return sm.check([folder / "station.log"], specs=[folder / "Station.yaml"], engine="local")


def broken(report: Report) -> list[tuple[str, int]]:
    """The verdict and the line of each broken rule."""
    found = [one for one in report.findings if one.kind == "broken rule"]
    return [(one.verdict.name, one.place.line) for one in found if one.place]


def decided(report: Report, rule: str) -> tuple[int, int]:
    """How often a rule was decided, and how often it could not be."""
    row = next(one for one in report.rules if one.rule == rule)
    return row.judged, row.undecided


def test_told_values_break_a_rule_at_the_line_that_breaks_it(station: Path) -> None:
    """The states alone are all that they should be."""
    good = [
        "pump 1 runs round 3",
        "lamp 1 shows round 3",
        "lamp 1 is out",
        "pump 1 rests after round 3",
    ]
    report = checked(station, *good)
    assert (broken(report), decided(report, "showsWhatRuns")[0] > 0) == ([], True)
    wrong = [good[0], "lamp 1 shows round 4", *good[2:]]
    assert broken(checked(station, *wrong)) == [("VIOLATED", 2)]


def test_a_value_that_no_line_tells_accuses_nobody(station: Path) -> None:
    """The pump may be in any round."""
    report = checked(
        station,
        "pump 1 runs round 3",
        "pump 1 runs",
        "lamp 1 shows round 4",
        "lamp 1 is out",
        "pump 1 runs",
    )
    assert broken(report) == []
    assert decided(report, "showsWhatRuns")[1] > 0
    state = ["pump 1 rests after round 3", "lamp 1 shows round 3", "lamp 1 is out", "pump 1 runs"]
    assert broken(checked(station, *state)) == [("VIOLATED", 2)], "its state is told, and wrong"


def test_what_a_system_alone_knows_is_not_decided(station: Path) -> None:
    """No line tells its variables, and the account says so."""
    report = checked(station, "pump 1 runs round 3", "lamp 1 shows round 3")
    assert decided(report, "neverTold")[0] == 0


def test_parts_that_there_are_once_belong_together_by_their_names(station: Path) -> None:
    """Lamp 2 has nothing to do with pump 1, also where it is the only one."""
    alone = ["pump 1 runs round 3", "lamp 2 shows round 9", "lamp 2 is out", "pump 1 runs round 4"]
    assert broken(checked(station, *alone)) == []
    two = ["pump 2 runs round 9", *alone]
    assert broken(checked(station, *two)) == []
    assert broken(checked(station, "pump 2 runs round 8", *alone, "pump 2 runs round 10")) == [
        ("VIOLATED", 3)
    ]


@settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rounds=st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=6),
    fault=st.integers(0, 9),
)
def test_random_rounds_hold_and_a_planted_one_is_found(
    station: Path, rounds: list[tuple[int, bool]], fault: int
) -> None:
    """Whatever is shown before; where the pump's round is not told, nothing is said."""
    lines = [line for number, told in rounds for line in _round(number, number, told=told)]
    assert broken(checked(station, *lines, "pump 1 runs")) == []
    planted = [*lines, *_round(fault, fault + 1, told=True), "pump 1 runs"]
    assert broken(checked(station, *planted)) == [("VIOLATED", len(lines) + 2)]


def _round(number: int, shown: int, *, told: bool) -> list[str]:
    began = f"pump 1 runs round {number}" if told else "pump 1 runs"
    return [
        began,
        f"lamp 1 shows round {shown}",
        "lamp 1 is out",
        f"pump 1 rests after round {number}",
    ]
