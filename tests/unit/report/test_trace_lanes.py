"""A run of a system by its parts: a lane each, and in it only what happens there.

Covers: statemachines.report.exploration.trace_lanes, statemachines.report.exploration.lane_forms.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner

from statemachines.cli.root import program
from statemachines.explore.exploration import explore
from statemachines.report.exploration.lane_forms import lanes_html, lanes_svg, lanes_text
from statemachines.report.exploration.trace_lanes import TraceLanes, first_lanes
from tests.machines import TURNSTILE
from tests.systems import house, written

RULES = """
variables: {opened: "0..3 = 0"}
channels: {wire: {holds: 1, may: [lose, repeat]}}
links:
  - {on: door, enters: OPEN, effect: {opened: "min(opened + 1, 3)"}}
  - {on: door, enters: OPEN, guard: opened == 1, send: lamps.press, args: {hard: "False"}}
  - {on: lamps, enters: BROKEN, send: alarm.to_OPEN, through: wire}
scope: {Room: 1}
RULE
"""
RINGS = "always:\n  quiet: \"alarm is None or alarm.state == 'SHUT' or opened == 0\""


def lanes(rule: str) -> TraceLanes:
    """The first run that exploring the house with a rule shows."""
    found = first_lanes(explore(house(RULES.replace("RULE", rule))))
    assert found is not None
    return found


def test_a_lane_says_only_what_changed_there() -> None:
    """What a link sent at once stands in the row below its sender's; what waits has a lane."""
    assert lanes_text(lanes(RINGS)).splitlines() == [
        "always quiet: does not hold here",
        "",
        "          door               lamps['Room1']                      alarm                       shared     under way",
        "  begins  SHUT               OFF switched=0                      SHUT                        opened=0",
        "  1       to_OPEN() → OPEN                                                                   opened=1",
        "                             press(hard=False) → ON switched=1",
        "  2                          to_BROKEN() → BROKEN                                                       alarm.to_OPEN()",
        "  3                                                              arrives: to_OPEN() → OPEN",
        "just before  opened=1  door OPEN  lamps['Room1'] BROKEN switched=1  alarm SHUT  under way: alarm.to_OPEN(); led out by  delivered: alarm.to_OPEN()",
    ]


def test_what_is_sent_has_an_arrow_in_the_picture() -> None:
    """From the lane of its sender; the picture is well-formed, whatever names stand in it."""
    picture = ElementTree.fromstring(lanes_svg(lanes(RINGS)))
    paths = [one.get("d", "") for one in picture.iter() if one.tag.endswith("path")]
    assert sum("H" in path for path in paths) == 1
    texts = [one.text for one in picture.iter() if one.tag.endswith("text")]
    assert "to_BROKEN() → BROKEN" in texts


def test_the_page_has_all_of_a_cell_and_no_markup_of_its_own() -> None:
    """Texts are escaped, and nothing is cut."""
    one = lanes(RINGS)
    odd = TraceLanes("<b>", "a & b", one.lanes, one.rows, "and again from step 1")
    page = lanes_html(odd)
    assert "<b>" not in page
    assert "&lt;b&gt;: a &amp; b" in page
    assert "and again from step 1" in page
    assert page.count("<tr>") == 1 + len(one.rows)


def test_a_machine_has_no_lanes() -> None:
    """It is one part."""
    assert first_lanes(explore(TURNSTILE)) is None


@pytest.mark.parametrize("ending", ["txt", "svg", "html"])
def test_the_command_writes_the_first_trace(tmp_path: Path, ending: str) -> None:
    """In the form that the ending names."""
    file = tmp_path / f"run.{ending}"
    path = written(RULES.replace("RULE", RINGS))
    done = CliRunner().invoke(program, ["explore", str(path), "--lanes", str(file)])
    assert "VIOLATED" in done.output
    assert "does not hold here" in file.read_text("utf-8")


def test_other_endings_and_machines_are_refused(tmp_path: Path) -> None:
    """Before anything is explored."""
    path = written(RULES.replace("RULE", RINGS))
    done = CliRunner().invoke(program, ["explore", str(path), "--lanes", str(tmp_path / "run.png")])
    assert "known are .txt, .svg, .html" in str(done.output) + str(done.exception)
    machine = str(path.parent / "Door.yaml")
    done = CliRunner().invoke(program, ["explore", machine, "--lanes", str(tmp_path / "run.svg")])
    assert "lanes are those of a system's parts" in str(done.output) + str(done.exception)
