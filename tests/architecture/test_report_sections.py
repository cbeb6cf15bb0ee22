"""What a report says is computed once, in `report/sections`; its forms lay it out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from statemachines.model.evidence.durations import format_duration
from tests.architecture.parsed import code_of

PACKAGE = Path(__file__).parent.parent.parent / "statemachines"
REPORT = PACKAGE / "report"
LAYOUT = {"statemachines.report.text.text_columns", "statemachines.report.text.unjudged"}
"""What the page still takes from the text: the list of what was not judged, and its style."""
UNITS = re.compile(r"\{[^{}]*\} (?:ms|s|min|h|d)\b(?![-\w/:])")
"""A value with a unit of time behind it, in the text of a program."""


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports from."""
    return {
        node.module or ""
        for node in code_of(path.read_text("utf-8")).imports
        if isinstance(node, ast.ImportFrom)
    }


def test_the_page_computes_nothing_by_the_text() -> None:
    """Two forms that ask each other cannot be changed one by one."""
    used = set[str]().union(*(imports(path) for path in (REPORT / "html").rglob("*.py")))
    assert {name for name in used if name.startswith("statemachines.report.text")} == LAYOUT


def test_sections_know_no_form() -> None:
    """What is said does not depend on how it is shown."""
    used = set[str]().union(*(imports(path) for path in (REPORT / "sections").rglob("*.py")))
    forms = ("statemachines.report.text", "statemachines.report.html")
    assert {name for name in used if name.startswith(forms)} == set()


def hand_written_durations(text: str) -> list[str]:
    """Return the formatted texts of a program that put a unit of time behind a value."""
    return [written for written in code_of(text).formatted if UNITS.search(written)]


def test_durations_are_worded_in_one_place() -> None:
    """One page said 59.999 s as "60 s" and as "59 s": it was worded twice, and rounded twice."""
    folders = ("report", "draw", "cli")
    worded = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for folder in folders
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for text in hand_written_durations(path.read_text("utf-8"))
    ]
    assert worded == []
    assert format_duration(59_999) == "59 s"


def test_a_duration_that_is_worded_by_hand_is_noticed() -> None:
    """A checker that was never seen to fail is untested."""
    assert hand_written_durations('f"for {round(ms / 1000)} s"')
    assert hand_written_durations('f"{hours} h {minutes} min"')
    assert not hand_written_durations('f"{count} states, {name}s"')
