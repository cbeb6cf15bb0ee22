"""Rules that a log does not tell enough for are named in the report, with what is missing.

Covers: statemachines.conform.systems.system_account,
statemachines.conform.join.rule_accounts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report

DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {}}
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}]
log:
  instance: [door]
  patterns: {door: '[a-z]'}
  lines: [{text: "door {door} went from {from} to {to}", says: step, logger: D, level: INFO}]
"""
HOUSE = """
notation: 1
system: House
types: {Name: id}
parameters: {names: "set[Name]", keys: "set[Name]"}
parts: {doors: {machine: Door, each: names}}
always: {someoneIsIn: "any(door.state == 'SHUT' for door in doors.values())"}
"""
WITHOUT = HOUSE.replace('parameters: {names: "set[Name]", keys: "set[Name]"}\n', "").replace(
    "each: names", "each: Name"
)


def checked(folder: Path, *lines: str, house: str = HOUSE) -> Report:
    """Judge some lines by both."""
    (folder / "Door.yaml").write_text(DOOR, "utf-8")
    (folder / "House.yaml").write_text(house, "utf-8")
    (folder / "a.log").write_text(
        "".join(f"[2026-01-01 10:00:00,000] INFO {line} (D)\n" for line in lines), "utf-8"
    )
    return sm.check([folder / "a.log"], specs=[folder / "House.yaml"], engine="local")


@pytest.mark.parametrize(
    ("house", "why"),
    [
        (HOUSE, "nothing tells which instances belong together"),
        (WITHOUT, "nothing tells which instances belong together"),
    ],
    ids=["parameters", "no anchor"],
)
def test_rules_that_no_log_tells_enough_for_are_named(tmp_path: Path, house: str, why: str) -> None:
    """Silence would be taken for a proof; the verdict is that of the parts."""
    report = checked(
        tmp_path,
        "nothing",
        "door a went from SHUT to OPEN",
        "door b went from SHUT to OPEN",
        house=house,
    )
    assert [row.text for row in report.unjudged] == [
        (tmp_path / "a.log").read_text("utf-8").splitlines()[1]
    ]
    rows = [
        (row.why.removeprefix("rules of "), row.count, row.place.line) for row in report.unjudged
    ]
    assert [(why_.partition(": ")[2], count, line) for why_, count, line in rows] == [(why, 1, 2)]
    assert report.verdict is sm.Verdict.HOLDS
    assert report.checked.unjudged == 1


def test_what_no_line_tells_of_is_named_once(tmp_path: Path) -> None:
    """A catalogue has many machines and systems, a log is of few: one row for all of them."""
    report = checked(tmp_path, "nothing of doors")
    nothing, unseen = report.unjudged
    assert nothing.why == "no line of the catalogue was observed"
    assert unseen.why == "not seen, no line tells a state or step of it: Door, House"
    assert [(row.rule, row.judged, row.verdict) for row in report.rules] == [
        (None, 0, None),
        (None, 0, None),
        ("someoneIsIn", 0, None),
        ("no deadlock", 0, None),
    ]


def test_what_is_told_at_a_quiet_level_is_named_with_its_logger(tmp_path: Path) -> None:
    """Who takes a green verdict for a proof finds the level to set instead."""
    quiet = DOOR.replace("level: INFO", "level: DEBUG")
    (tmp_path / "Door.yaml").write_text(quiet, "utf-8")
    (tmp_path / "a.log").write_text(
        "[2026-01-01 10:00:00,000] INFO nothing of doors (D)\n", "utf-8"
    )
    report = sm.check([tmp_path / "a.log"], specs=[tmp_path / "Door.yaml"], engine="local")
    assert [row.why for row in report.rules] == [
        "not seen, no line tells a state or step of it; steps of it are told by D at DEBUG"
    ]


def test_a_quiet_level_is_not_named_where_steps_are_told_at_a_shown_one(tmp_path: Path) -> None:
    """To set the level would show nothing: no step was made, or these are other logs."""
    line = ', {text: "door {door} stands in {state}", says: is, logger: D, level: DEBUG}]\n'
    (tmp_path / "Door.yaml").write_text(DOOR.rstrip().removesuffix("]") + line, "utf-8")
    (tmp_path / "a.log").write_text(
        "[2026-01-01 10:00:00,000] INFO nothing of doors (D)\n", "utf-8"
    )
    report = sm.check([tmp_path / "a.log"], specs=[tmp_path / "Door.yaml"], engine="local")
    assert [row.why for row in report.rules] == ["not seen, no line tells a state or step of it"]
