"""Incidents that follow others through a third machine: whose part it is decides whose effect.

Covers: statemachines.conform.incidents.incident_causes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.notation import lint
from statemachines.report.text.document import to_text

CRANE = """
notation: 1
machine: Crane
states: {WORKING: {initial: true}, BROKEN: {}}
transitions: [{from: WORKING, to: BROKEN}, {from: BROKEN, to: WORKING}]
log:
  instance: [crane]
  patterns: {crane: '[0-9]+'}
  called: "crane {crane}"
  level: INFO
  logger: harbour
  lines: [{text: "crane {crane} goes from {from} to {to}", says: step}]
  incidents: {crane-broken: {of: broken}}
  episodes: {broken: {while: "state == 'BROKEN'", title: "crane {crane} is broken"}}
"""
BERTH = """
notation: 1
machine: Berth
states: {FREE: {initial: true}, TAKEN: {}}
transitions: [{from: FREE, to: TAKEN}]
log:
  instance: [berth, crane]
  patterns: {crane: '[0-9]+', berth: '[0-9]+'}
  level: INFO
  logger: harbour
  lines: [{text: "berth {berth} has crane {crane} and is {state}", says: is}]
"""
SHIP = """
notation: 1
machine: Ship
states: {SERVED: {initial: true}, WAITING: {}}
transitions: [{from: SERVED, to: WAITING}, {from: WAITING, to: SERVED}]
log:
  instance: [ship, berth]
  patterns: {berth: '[0-9]+'}
  level: INFO
  logger: harbour
  lines: [{text: "ship {ship} at {berth} goes from {from} to {to}", says: step}]
  incidents:
    ship-waits: {of: waits, harm: outage, follows: {crane-broken: {crane: crane}}, through: Berth}
  episodes: {waits: {while: "state == 'WAITING'", title: "ship {ship} waits"}}
"""
BROKEN = ("crane 1 goes from WORKING to BROKEN", "crane 2 goes from WORKING to BROKEN")
WAITS = "ship Ada at 2 goes from SERVED to WAITING"


def effects(folder: Path, *told: str, ship: str = SHIP) -> tuple[dict[str, list[str]], str]:
    """Judge lines, a second apart; return what each incident brought about, and the first line."""
    for name, text in (("Crane", CRANE), ("Berth", BERTH), ("Ship", ship)):
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    lines = (f"2026-11-21 08:00:{at:02},000 INFO {one} (harbour)\n" for at, one in enumerate(told))
    (folder / "harbour.log").write_text("".join(lines), "utf-8")
    specs = [folder / f"{name}.yaml" for name in ("Crane", "Berth", "Ship")]
    report = sm.check([folder / "harbour.log"], specs=specs)
    found = {one.title: [effect.title for effect in one.effects] for one in report.incidents}
    return found, next(iter(to_text(report)))


@pytest.mark.parametrize(("whose", "others"), [(1, 2), (2, 1)])
def test_an_effect_goes_to_whom_it_is_linked_with(tmp_path: Path, whose: int, others: int) -> None:
    """Two cranes break at once: the ship waits for the one of its berth, and the first line says so.

    The berth has the number of a crane: that makes it no part of that crane.
    """
    found, first = effects(tmp_path, f"berth 2 has crane {whose} and is TAKEN", *BROKEN, WAITS)
    assert found == {
        f"crane {whose} is broken": ["ship Ada waits"],
        f"crane {others} is broken": [],
    }
    assert first.startswith(f"ILL   crane {whose} is broken")
    assert first.endswith("→ ship Ada waits")


def test_of_several_links_any_may_be_the_cause(tmp_path: Path) -> None:
    """A berth with two cranes waits for the one that broke last."""
    berths = (f"berth 2 has crane {number} and is TAKEN" for number in (1, 2))
    found, _ = effects(tmp_path, *berths, *BROKEN, WAITS)
    assert found == {"crane 2 is broken": ["ship Ada waits"], "crane 1 is broken": []}


def test_whoever_is_linked_with_another_is_nobodys_effect(tmp_path: Path) -> None:
    """Its own crane works: it waits for something that no line tells."""
    found, _ = effects(tmp_path, "berth 2 has crane 3 and is TAKEN", *BROKEN, WAITS)
    assert found == {"crane 1 is broken": [], "crane 2 is broken": [], "ship Ada waits": []}


def test_where_no_line_tells_of_links_the_time_decides(tmp_path: Path) -> None:
    """A quieter log names no links: the latest cause is still the likeliest."""
    found, _ = effects(tmp_path, *BROKEN, WAITS)
    assert found == {"crane 2 is broken": ["ship Ada waits"], "crane 1 is broken": []}


@pytest.mark.parametrize(
    ("right", "wrong", "hint"),
    [("through: Berth", "through: Birth", "Berth"), ("{crane: crane}", "{cran: crane}", "crane")],
)
def test_a_link_names_what_there_is(tmp_path: Path, right: str, wrong: str, hint: str) -> None:
    """A link that no instance can have would leave every effect alone, and nobody would know why."""
    (tmp_path / "Crane.yaml").write_text(CRANE, "utf-8")
    (tmp_path / "Berth.yaml").write_text(BERTH, "utf-8")
    (tmp_path / "Ship.yaml").write_text(SHIP.replace(right, wrong), "utf-8")
    [found] = [one for one in lint(tmp_path / "Ship.yaml") if one.code == "SM524"]
    assert hint in (found.hint or "")
