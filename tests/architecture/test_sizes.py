"""Functions and files stay short enough to be read at once.

A docstring does not count: what it says of arguments and results is there to be looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.parsed import code_of

PACKAGE = Path(__file__).parents[2] / "statemachines"
LONGEST_FUNCTION = 50
LONGEST_FILE = 385
"""Docstrings of functions aside."""


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield functions with too many lines, and how many they have."""
    for function in code_of(source).functions:
        lines = function.lines - function.docstring_lines
        if lines > LONGEST_FUNCTION:
            yield function.name, lines


def long_files(package: Path) -> set[str]:
    """Find the files with too many lines."""
    return {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if file_lines(path.read_text("utf-8")) > LONGEST_FILE
    }


def file_lines(source: str) -> int:
    """Count the lines of a file, docstrings of its functions left out."""
    functions = code_of(source).functions
    return len(source.splitlines()) - sum(function.docstring_lines for function in functions)


@pytest.mark.parametrize("room", sorted(path for path in PACKAGE.iterdir() if path.is_dir()))
def test_a_function_can_be_read_at_once(room: Path) -> None:
    """Who looks for a fault sees the whole of a function on one screen."""
    long = {
        f"{path.relative_to(PACKAGE)}:{name}": lines
        for path in room.rglob("*.py")
        for name, lines in long_functions(path.read_text("utf-8"))
    }
    assert long == {}


def test_a_file_is_about_one_thing() -> None:
    """A longer one is cut by what it is about."""
    assert long_files(PACKAGE) == set()


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    """A check that was never seen to fail is untested."""
    body = "    pass\n" * LONGEST_FUNCTION
    assert [*long_functions(f"def f():\n{body}")] == [("f", LONGEST_FUNCTION + 1)]
    assert [*long_functions(f'def f():\n    """Said\n    of it."""\n{body[9:]}')] == []
    (tmp_path / "long.py").write_text("x = 1\n" * (LONGEST_FILE + 1))
    (tmp_path / "short.py").write_text("x = 1\n" * LONGEST_FILE)
    documented = 'def f():\n    """Said\n    of it."""\n' + "x = 1\n" * (LONGEST_FILE - 1)
    (tmp_path / "documented.py").write_text(documented)
    assert long_files(tmp_path) == {"long.py"}
