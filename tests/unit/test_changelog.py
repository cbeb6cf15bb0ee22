"""The list of changes is text that people read in a terminal, and merge by hand."""

from __future__ import annotations

from pathlib import Path

CHANGES = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


def test_lines_fit_a_terminal() -> None:
    """A line of more than 100 columns is broken somewhere else by each reader."""
    lines = CHANGES.read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 100] == []


def test_each_change_is_a_sentence() -> None:
    """A change that ends without a full stop was cut off, as by a merge."""
    text = CHANGES.read_text("utf-8")
    changes = [change.strip() for change in text.split("\n- ")[1:]]
    first = [change.split("\n\n")[0] for change in changes]
    assert [change for change in first if change[-1] not in ".:)`"] == []
