"""Pages are read beside the code: their lines are no longer than its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
WIDEST = 100
MADE_BY_ENTRIES = ("docs/kafka/mutants.md", "docs/kafka/history/")
"""Pages that are made, with an entry a line: which of them changed is seen line by line."""
WHOLE = re.compile(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`")
"""What is not cut: a link, a picture, code."""


def pages() -> list[str]:
    """The pages that people write."""
    found = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")]
    names = (path.relative_to(CHECKOUT).as_posix() for path in found)
    return sorted(name for name in names if not name.startswith(MADE_BY_ENTRIES))


def wide_lines(text: str) -> Iterator[int]:
    """Yield the 1-based numbers of lines of prose that are too long and could be cut."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.startswith("```")
        is_prose = not is_code and not line.startswith(("|", "#", "<"))
        if len(line) > WIDEST and is_prose and " " in WHOLE.sub("x", line.strip()):
            yield number


@pytest.mark.parametrize("page", pages())
def test_prose_is_as_wide_as_code(page: str) -> None:
    """A longer line is cut by an editor and by a page of changes."""
    assert [*wide_lines((CHECKOUT / page).read_text("utf-8"))] == []


def test_a_wide_line_is_found() -> None:
    """A check that was never seen to fail is untested."""
    link = f"[a page]({'x' * WIDEST})"
    row, code = f"| {'x ' * WIDEST}|", f"```\n{'x ' * WIDEST}\n```"
    assert [*wide_lines("\n".join(["x", "x " * WIDEST, link, f"see {link}", row, code]))] == [2, 4]
