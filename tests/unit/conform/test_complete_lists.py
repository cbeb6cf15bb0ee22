"""A list that is complete says of those whom it does not name that they are elsewhere.

Covers: statemachines.conform.observe.observer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.notation import lint

SHIP = r"""
notation: 1
machine: Ship
states: {AWAY: {initial: true}, MOORED: {initial: true}}
transitions:
  - {from: "*", to: MOORED}
  - {from: "*", to: AWAY}
log:
  instance: [ship]
  shared: true
  patterns: {ship: '\d+', ships: '.*'}
  logger: coast.Harbour
  level: INFO
  lines:
    - {text: "the harbour master sees ship {ship} moor", says: step, to: MOORED}
    - {text: "the harbour master sees these ships: {ships}", SAYS, each: {ships: "{ship}"}OTHERS}
  episodes:
    away: {while: "state == 'AWAY'", title: "ship {ship} is away", was: "ship {ship} was away"}
"""
STEP, IS = "says: step, to: MOORED", "says: is, state: MOORED"


def judged(folder: Path, says: str, others: str, **logs: list[tuple[int, str]]) -> Report:
    """Judge the logs of harbour masters, whose lines have a second each."""
    spec = folder / "Ship.yaml"
    spec.write_text(SHIP.replace("SAYS", says).replace("OTHERS", others), "utf-8")
    for name, lines in logs.items():
        text = "".join(
            f"[2026-01-01 10:00:{at:02},000] INFO the harbour master sees {line} (coast.Harbour)\n"
            for at, line in lines
        )
        (folder / f"{name}.log").write_text(text, "utf-8")
    return sm.check([folder / f"{name}.log" for name in logs], specs=[spec], engine="local")


def states(report: Report) -> dict[object, str]:
    """Return where each ship is at the end."""
    return {dict(row.subject)["ship"]: "".join(row.state) for row in report.now}


TOLD = {
    "one": [(1, "ship 1 moor"), (2, "ship 2 moor"), (3, "ship 3 moor")],
    "two": [(9, "these ships: 2, 4")],
}


@pytest.mark.parametrize("says", [STEP, IS])
def test_whom_a_complete_list_does_not_name_is_elsewhere(tmp_path: Path, says: str) -> None:
    """A harbour master who takes over lists the ships: those that left in between are not there."""
    report = judged(tmp_path, says, ", others: AWAY", **TOLD)
    assert states(report) == {1: "AWAY", 2: "MOORED", 3: "AWAY", 4: "MOORED"}


def test_a_list_that_is_not_complete_says_nothing_of_others(tmp_path: Path) -> None:
    """The fault that the key is for: without it ships that left are taken for moored."""
    report = judged(tmp_path, STEP, "", **TOLD)
    assert states(report) == {1: "MOORED", 2: "MOORED", 3: "MOORED", 4: "MOORED"}


def test_an_empty_list_is_complete_too(tmp_path: Path) -> None:
    """Nobody is there."""
    report = judged(
        tmp_path, STEP, ", others: AWAY", one=[(1, "ship 1 moor"), (5, "these ships: ")]
    )
    assert states(report) == {1: "AWAY"}


def test_a_list_is_about_those_who_were_known_before(tmp_path: Path) -> None:
    """What moors later was not looked for, whatever file tells of it first."""
    later = {"one": [(5, "these ships: 2")], "two": [(7, "ship 3 moor")]}
    assert states(judged(tmp_path, STEP, ", others: AWAY", **later)) == {2: "MOORED", 3: "MOORED"}


def test_what_a_list_leaves_out_opens_an_episode_at_its_line(tmp_path: Path) -> None:
    """The line to look at is the list, and the episode ends where the ship is seen again."""
    report = judged(
        tmp_path,
        STEP,
        ", others: AWAY",
        one=[*TOLD["one"], (9, "these ships: 2, 3"), (12, "ship 1 moor")],
    )
    (episode,) = report.episodes
    assert (episode.displayed_title, episode.blame.place.line, episode.open) == (
        "ship 1 was away",
        4,
        False,
    )


def test_others_need_a_list(tmp_path: Path) -> None:
    """Without `each` nobody is named, and a note says nothing of states."""
    spec = tmp_path / "Ship.yaml"
    text = SHIP.replace("SAYS", "says: note").replace("OTHERS", ", others: LOST")
    spec.write_text(text, "utf-8")
    assert {one.code for one in lint([spec])} == {"SM517", "SM204"}
