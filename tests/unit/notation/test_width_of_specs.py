"""No line of a shipped spec is wider than an editor shows.

Covers: statemachines.notation.formatting.text_folding, statemachines.notation.formatting.spec_formatting.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.notation.formatting.spec_formatting import HARD_WIDTH
from statemachines.notation.formatting.text_folding import fold_expression, fold_prose

SPECS = Path(__file__).parents[3] / "specs"


def wide_lines(text: str) -> list[str]:
    """Return the lines that are too wide, but for words that nothing can break (an address)."""
    return [
        line
        for line in text.splitlines()
        if len(line) > HARD_WIDTH and " " in line.strip().removeprefix("- ")
    ]


@pytest.mark.parametrize("path", sorted(SPECS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_no_line_of_a_spec_is_too_wide(path: Path) -> None:
    """Who reads a spec beside the source that it tells of has both on one screen: `statemachines format` folds what is wider."""
    assert wide_lines(path.read_text("utf-8")) == []


def test_a_wide_line_is_seen() -> None:
    """A checker that was never seen to fail is untested."""
    wide = "doc: " + "door " * 30
    assert wide_lines(f"machine: Door\n{wide}\n- https://{'x' * 130}") == [wide]


@pytest.mark.parametrize("fold", [fold_expression, fold_prose])
def test_what_is_folded_is_the_text_again(fold: object) -> None:
    """Lines are joined by one blank; wide gaps and long words stay."""
    text = "a in b and (c  or d in {e for e in f}) or " + "x" * 50 + " is not None"
    for width in range(5, 80):
        lines = (fold_expression if fold is fold_expression else fold_prose)(text, width)
        assert " ".join(lines) == text
        assert all(len(line) <= width or " " not in line.replace("  ", "") for line in lines)
