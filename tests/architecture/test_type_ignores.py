"""Where types are not checked, the line says which check is left out and why."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "statemachines"
MOST = 14
"""How many there are; one more needs a better reason than that types are a nuisance there."""


def unexplained(text: str) -> list[str]:
    """Find the lines that leave out a check and do not say which, or not why."""
    lines = [line.strip() for line in text.splitlines() if "type: ignore" in line]
    return [line for line in lines if not re.search(r"type: ignore\[[a-z, -]+\]  # \w", line)]


def test_a_check_of_types_is_left_out_for_a_reason() -> None:
    """Whoever reads it knows whether the reason still holds."""
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    wrong = {path.name: unexplained(text) for path, text in texts.items() if unexplained(text)}
    assert wrong == {}
    assert sum(text.count("type: ignore") for text in texts.values()) <= MOST


def test_nothing_is_left_out_where_types_are_not_checked() -> None:
    """Tests are run, not type-checked: such a comment there would speak to nobody."""
    texts = {path: path.read_text("utf-8") for path in Path(__file__).parents[1].rglob("*.py")}
    left_out = re.compile(r"\S  # type: ignore")
    found = [path.name for path, text in texts.items() if left_out.search(text)]
    assert found in ([], [Path(__file__).name])


def test_one_without_a_reason_is_found() -> None:
    """A check that was never seen to fail is untested."""
    assert unexplained("x = y  # type: ignore") == ["x = y  # type: ignore"]
    assert unexplained("x = y  # type: ignore[misc]") == ["x = y  # type: ignore[misc]"]
    assert unexplained("x = y  # type: ignore[misc]  # a slot") == []
