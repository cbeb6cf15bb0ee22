"""Lives that ended in the middle: told as trouble where a spec asks for it, and only where it is sure.

Covers: statemachines.conform.judge.checks.group_check, statemachines.conform.judge.instance.line_before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.notation import lint
from statemachines.report.text.document import to_text

PUMP = """
notation: 1
machine: Pump
states: {STILL: {initial: true}, TURNING: {}, RESTING: {}, STOPPING: {}, STOPPED: {final: true}}
transitions:
  - {from: STILL, to: TURNING}
  - {from: TURNING, to: RESTING}
  - {from: RESTING, to: TURNING}
  - {from: [TURNING, RESTING], to: STOPPING}
  - {from: STOPPING, to: STOPPED}
log:
  instance: [pump]
  patterns: {pump: '[0-9]+'}
  logger: pump
  level: INFO
  lines:
    - {text: "pump {pump} begins", says: begin, state: STILL}
    - {text: "pump {pump} goes from {from} to {to}", says: step}
  incidents:
    pump-cut: {of: ended unseen, title: "pump {pump} was cut off before it began again", inferred: true}
"""
BEGINS, TURNS, RESTS = "begins", "goes from STILL to TURNING", "goes from TURNING to RESTING"
STOPS, STOPPED = "goes from TURNING to STOPPING", "goes from STOPPING to STOPPED"


def incidents(folder: Path, *told: str, spec: str = PUMP) -> list[str]:
    """Judge what a pump says, a line a second; return what is told of incidents."""
    (folder / "Pump.yaml").write_text(spec, "utf-8")
    lines = (
        f"2026-11-21 08:00:{at:02},000 INFO pump 1 {one} (pump)\n" for at, one in enumerate(told)
    )
    (folder / "pump.log").write_text("".join(lines), "utf-8")
    report = sm.check([folder / "pump.log"], specs=[folder / "Pump.yaml"])
    assert all("began again" in line for line in to_text(report) if "cut off" in line)
    return [f"{one.title} {one.outcome} {one.evidence} {one.count}" for one in report.incidents]


@pytest.mark.parametrize("before", [(TURNS,), (TURNS, RESTS)])
def test_what_began_anew_in_the_middle_was_cut_off(tmp_path: Path, before: tuple[str, ...]) -> None:
    """Who kills a program takes its last words, too: that it begins once more is all that tells."""
    found = incidents(tmp_path, BEGINS, *before, BEGINS, TURNS)
    assert found == ["pump 1 was cut off before it began again healed inferred 1"]


@pytest.mark.parametrize(
    "told",
    [
        (BEGINS, TURNS, STOPS, STOPPED, BEGINS, TURNS),
        (BEGINS, TURNS, STOPS, BEGINS, TURNS),
        (BEGINS, BEGINS, TURNS),
        (BEGINS, TURNS, TURNS),
    ],
    ids=["stopped", "on its way to the end", "had not begun to work", "no sign of a beginning"],
)
def test_an_end_in_order_and_a_doubtful_one_are_no_trouble(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """A restart is an everyday thing, and the last lines of a program are often lost."""
    assert incidents(tmp_path, *told) == []


def test_an_end_that_the_log_does_not_show_is_no_trouble(tmp_path: Path) -> None:
    """At a quieter level no line tells that it was stopped."""
    steps = '{text: "pump {pump} goes from {from} to {to}", says: step'
    quiet = PUMP.replace(steps, f"{steps}, to: [TURNING, RESTING]")
    quiet = quiet.replace(
        "  incidents:", f"    - {steps}, to: [STOPPING, STOPPED], level: DEBUG}}\n  incidents:"
    )
    assert quiet.count("DEBUG") == 1
    assert incidents(tmp_path, BEGINS, TURNS, BEGINS, TURNS, spec=quiet) == []


def test_only_a_spec_that_asks_for_it_has_it(tmp_path: Path) -> None:
    """Of most things nobody wants to know, and a misspelt sign is found."""
    spec = PUMP[: PUMP.index("  incidents:")]
    assert incidents(tmp_path, BEGINS, TURNS, BEGINS, TURNS, spec=spec) == []
    (tmp_path / "Pump.yaml").write_text(
        PUMP.replace("of: ended unseen", "of: ended unsen"), "utf-8"
    )
    [wrong] = lint(tmp_path / "Pump.yaml")
    assert (wrong.code, "ended unseen" in (wrong.hint or "")) == ("SM523", True)
    untitled = PUMP.replace(', title: "pump {pump} was cut off before it began again"', "")
    (tmp_path / "Pump.yaml").write_text(untitled, "utf-8")
    assert [found.code for found in lint(tmp_path / "Pump.yaml")] == ["SM523"]
