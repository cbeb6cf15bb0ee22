"""The reference has every key of the notation; every verb and every form of a report is on a page.

Covers: statemachines.notation.document.notation_keys, statemachines.notation.document.keys.value_shapes,
statemachines.notation.document.keys.behaviour_keys, statemachines.notation.document.keys.data_keys,
statemachines.notation.document.keys.property_keys, statemachines.notation.document.keys.line_keys,
statemachines.notation.document.keys.log_keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from statemachines.cli.root import VERB_NAMES
from statemachines.notation.document import notation_keys
from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    ListShape,
    MappingShape,
    NamesShape,
    Shape,
)
from statemachines.report.formats import FORM_WRITERS

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = ("reference.md", "reference-data.md", "reference-systems.md")


def all_keys(shape: Shape, seen: set[int]) -> Iterator[str]:
    """Every key that stands anywhere in a shape."""
    if id(shape) in seen:
        return
    seen.add(id(shape))
    if isinstance(shape, MappingShape):
        for key in shape.keys:
            yield key.name
            yield from all_keys(key.shape, seen)
    elif isinstance(shape, AlternativeShapes):
        for one in shape.shapes:
            yield from all_keys(one, seen)
    elif isinstance(shape, (ListShape, NamesShape)):
        inner = (
            getattr(shape, "shape", None)
            or getattr(shape, "item", None)
            or getattr(shape, "value", None)
        )
        if inner is not None:
            yield from all_keys(inner, seen)


@pytest.mark.parametrize("kind", ["machine", "family", "library", "system", "extends"])
def test_every_key_is_in_the_reference(kind: str) -> None:
    """A key that only the schema knows is one that nobody uses."""
    told = "\n".join((DOCS / page).read_text("utf-8") for page in PAGES)
    missing = [
        name
        for name in dict.fromkeys(all_keys(notation_keys.SHAPES_BY_FILE_KIND[kind], set()))
        if f"{name}:" not in told and f"`{name}`" not in told
    ]
    assert missing == []


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_every_verb_is_on_a_page(verb: str) -> None:
    """A verb that only `--help` knows is found by nobody who looks for what it does."""
    assert f"statemachines {verb}" in all_pages()


@pytest.mark.parametrize("form", FORM_WRITERS)
def test_every_form_of_a_report_is_on_a_page(form: str) -> None:
    """Who has a tool that reads a form looks for its name."""
    gate = (DOCS / "how-to" / "gate.md").read_text("utf-8")
    assert f"--format {form}" in all_pages() or f"`{form}`" in gate


def all_pages() -> str:
    """The text of the pages that people write."""
    written = (path for path in DOCS.rglob("*.md") if "history" not in path.parts)
    return "\n".join(path.read_text("utf-8") for path in written)
