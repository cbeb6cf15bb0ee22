"""Pages and specs are read beside the code: their lines are about as long as its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
WIDEST = 100
"""As wide as code is."""
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


WIDEST_IN_SPECS = 120
WHOLE_TEXT = re.compile(r"^ *(- |\w+: )?\"[^\"]*\"$|^ *- [^\s\"]+$")
"""A text that has its line for itself: the address of a source, the message of a line."""


def wide_spec_lines(text: str) -> Iterator[int]:
    """Yield the 1-based numbers of lines of a spec that are too long and could be cut."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDEST_IN_SPECS and not WHOLE_TEXT.match(line):
            yield number


@pytest.mark.parametrize("family", sorted((CHECKOUT / "specs").iterdir()))
def test_specs_are_read_without_scrolling(family: Path) -> None:
    """Who reviews a spec has it beside the source that it is about."""
    paths = family.rglob("*.yaml") if family.is_dir() else ()
    wide = {path.name: [*wide_spec_lines(path.read_text("utf-8"))] for path in paths}
    assert {name: numbers for name, numbers in wide.items() if numbers} == {}


@pytest.mark.parametrize("page", pages())
def test_prose_is_as_wide_as_code(page: str) -> None:
    """A longer line is cut by an editor and by a page of changes."""
    assert [*wide_lines((CHECKOUT / page).read_text("utf-8"))] == []


def test_a_wide_line_is_found() -> None:
    """A check that was never seen to fail is untested."""
    link = f"[a page]({'x' * WIDEST})"
    row, code = f"| {'x ' * WIDEST}|", f"```\n{'x ' * WIDEST}\n```"
    assert [*wide_lines("\n".join(["x", "x " * WIDEST, link, f"see {link}", row, code]))] == [2, 4]
    address, case = f'  - "{link}{link}"', f"  - {{when: {'x ' * WIDEST}}}"
    assert [*wide_spec_lines(f"{address}\n{case}")] == [2]
