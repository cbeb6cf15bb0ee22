"""Systems as pictures: parts, links between them, rules.

Covers: statemachines.api.system, statemachines.draw.forms.system_markdown,
statemachines.draw.graphs.system_graph.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from statemachines.api.queries.pictures import CannotDraw, system_picture
from statemachines.api.system import System as ApiSystem
from statemachines.draw import (
    system_graph,
    system_markdown,
    to_dot,
    to_mermaid,
    to_plantuml,
    to_svg,
)
from tests.systems import house

LINKS = """
variables: {opened: "0..9 = 0"}
define: {allDark: "all(lamp.state != 'ON' for lamp in lamps.values())"}
links:
  - {on: door, enters: OPEN, send: lamps.to_ON, later: true, doc: Somebody comes.}
  - {on: door, enters: OPEN, guard: opened < 9, effect: {opened: opened + 1}}
  - {on: lamps, enters: BROKEN, guard: alarm is not None, send: alarm.to_OPEN}
  - {on: door, enters: SHUT, only if: allDark, doc: The last one turns off the light.}
always:
  dark: {holds: "implies(door.state == 'SHUT', allDark)", doc: No light in an empty house.}
sometimes:
  light: not allDark
"""


def test_every_part_is_a_box_and_every_link_is_on_an_arrow() -> None:
    """Who sends what to whom, on which condition; what a part needs of another, through definitions too."""
    graph = system_graph(house(LINKS))
    assert [(node.text, node.lines) for node in graph.nodes] == [
        ("door", ("Door",)),
        ("lamps", ("Lamp", "one for each Room")),
        ("alarm", ("Door", "may be absent")),
        ("shared", ("opened: 0..9",)),
        ("rules", ("always dark", "sometimes light")),
    ]
    arrows = [(edge.source, edge.target, edge.is_requirement, edge.labels) for edge in graph.edges]
    assert arrows == [
        ("door", "lamps", False, ("enters OPEN / later to_ON",)),
        ("door", "shared data", False, ("enters OPEN [opened < 9] / opened = opened + 1",)),
        ("lamps", "alarm", False, ("enters BROKEN [alarm is not None] / to_OPEN",)),
        ("door", "lamps", True, ("enters SHUT only if allDark",)),
    ]


def test_the_alt_text_says_the_same() -> None:
    """For those who cannot see it."""
    told = system_graph(house(LINKS)).description
    for said in (
        "3 parts",
        "door sends to lamps: enters OPEN / later lamps.to_ON",
        "door needs of lamps",
        "Rules: always dark, sometimes light.",
    ):
        assert said in told


def test_two_arrows_between_the_same_parts_are_both_drawn() -> None:
    """What is sent, and what is needed."""
    svg = to_svg(system_graph(house(LINKS)))
    arrows = [
        each
        for each in ElementTree.fromstring(svg).iter()
        if each.get("data-from") == "door" and each.get("data-to") == "lamps"
    ]
    assert ["needs" in (each.get("class") or "").split() for each in arrows] == [False, True]
    assert (
        len({each.find("{*}path").get("d") for each in arrows if each.find("{*}path") is not None})
        == 2
    )
    assert "allowed only if" in svg
    assert svg == to_svg(system_graph(house(LINKS)))


def test_every_form_has_the_parts_and_the_conditions() -> None:
    """Mermaid, PlantUML, DOT and tables."""
    graph = system_graph(house(LINKS))
    for text in (
        to_mermaid(graph),
        to_plantuml(graph),
        to_dot(graph),
        system_markdown(house(LINKS)),
    ):
        assert all(part in text for part in ("door", "lamps", "alarm"))
        assert "allDark" in text
    assert "shared_data" in to_mermaid(graph)


def test_tables_have_links_definitions_and_rules() -> None:
    """Whole, where the picture has to be short."""
    told = system_markdown(house(LINKS))
    assert "| `door` | enters SHUT |  |  | `allDark` | The last one turns off the light. |" in told
    assert "| `door` | enters OPEN |  | `later lamps.to_ON` |  | Somebody comes. |" in told
    assert "| `allDark` | `all(lamp.state != 'ON' for lamp in lamps.values())` |  |" in told
    assert (
        "| always dark | `implies(door.state == 'SHUT', allDark)` | No light in an empty house. |"
        in told
    )


def test_a_system_without_links_is_a_picture_too() -> None:
    """Its parts."""
    assert len(system_graph(house()).nodes) == 3
    assert "| `door` |" in system_markdown(house())


def test_what_cannot_be_drawn_is_said() -> None:
    """With the forms that can."""
    with pytest.raises(CannotDraw, match="scxml has no word for a system; svg, png"):
        system_picture(house(), "scxml")
    with pytest.raises(CannotDraw, match="markdown shows the system alone"):
        system_picture(house(), "markdown", since=house())


def test_changes_between_releases_are_marked() -> None:
    """A link that came is green, the alt text is that of the newer one."""
    svg = system_picture(house(LINKS), "svg", since=house()).decode()
    assert 'class="arrow course added"' in svg
    assert "A system of 3 parts" in svg


def test_notebooks_show_the_picture() -> None:
    """As they do for machines."""
    shown = ApiSystem(house(LINKS))._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["text/plain"].startswith("<system ")
