"""A line that names things of every kind tells only of those that another line has told of (`known`)."""

from __future__ import annotations

from statemachines.model.evidence.verdicts import Verdict
from tests.doors import DOOR, VERSION, House, moves

LINE = """\
    - {text: "Cleared away: {all}", says: step, to: GONE, each: {all: "{door}"}, known: true, logger: house.Yard, level: INFO, samples: ["Cleared away: d, window"]}
"""
CLEARED = "Cleared away: d, window"


def cleared(house: House) -> None:
    """Write the spec with a line that clears away doors and windows alike."""
    house.spec.write_text(DOOR.replace("  lines:\n", f"  lines:\n{LINE}", 1), "utf-8")


def test_it_tells_of_what_another_line_has_told_of(house: House) -> None:
    """The window is nobody's door."""
    cleared(house)
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", CLEARED)
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("CLOSED", "OPEN", "told"), ("OPEN", "GONE", "told")]
    assert [row.instances for row in report.machines if row.machine.endswith("Door")] == [1]


def test_it_makes_no_instance(house: House) -> None:
    """Where nothing was told before, nothing is known, and nothing is said."""
    cleared(house)
    report = house.judge(VERSION, CLEARED, "Door e goes from CLOSED to OPEN")
    assert moves(report) == [("CLOSED", "OPEN", "told")]
    assert [row.instances for row in report.machines if row.machine.endswith("Door")] == [1]


def test_a_life_that_is_over_is_not_known(house: House) -> None:
    """What is cleared away later under the same name may be a window."""
    cleared(house)
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", CLEARED, CLEARED)
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("CLOSED", "OPEN", "told"), ("OPEN", "GONE", "told")]
