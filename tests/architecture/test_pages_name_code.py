"""The pages that lead into the code name what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import statemachines as sm
from tests.architecture.parsed import code_of

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "statemachines"
ROW = re.compile(r"`(\w+)` in `([a-z_/]+\.py)`")
"""A row of "Where is …?": a name and the file that has it."""


def defined_names(path: Path) -> set[str]:
    """The classes, functions and types that a module gives names to."""
    return {*code_of(path.read_text("utf-8")).defined}


def misplaced(page: str) -> list[str]:
    """Rows of a page that name something which its file does not define."""
    return [
        f"{name} in {file}"
        for name, file in ROW.findall(page)
        if not (PACKAGE / file).is_file() or name not in defined_names(PACKAGE / file)
    ]


def test_where_things_are_is_where_the_page_says() -> None:
    """A newcomer who looks something up there opens the right file."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert misplaced(page) == []
    assert len(ROW.findall(page)) > 20


def test_a_thing_that_has_moved_is_seen() -> None:
    """A check that was never seen to fail is untested."""
    assert misplaced("`step` in `api/machine.py`; `step` in `semantics/machine/step.py`") == [
        "step in api/machine.py"
    ]


@pytest.fixture(scope="module")
def all_names() -> set[str]:
    """What any module of the package defines."""
    return {name for path in PACKAGE.rglob("*.py") for name in defined_names(path)}


def test_the_glossary_names_what_is_in_the_code(all_names: set[str]) -> None:
    """A word of the glossary leads to the class that has it."""
    rows = (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
    named = [
        name for row in rows if row.count("|") > 3 for name in CODE_NAME.findall(row.split("|")[3])
    ]
    ours = {*all_names, *(f"sm.{name}" for name in sm.__all__), "batch"}
    assert len(named) > 40
    assert [name for name in named if name not in ours] == []


CODE_NAME = re.compile(r"`([\w.]+)`")
