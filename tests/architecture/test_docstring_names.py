"""A docstring that sends its reader to a name sends them to one that is there."""

from __future__ import annotations

import builtins
import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.parsed import code_of

PACKAGE = Path(__file__).parents[2] / "statemachines"
MENTION = re.compile(r"`([A-Za-z_][\w.]*)`")
MODULE_NAME = re.compile(r"[a-z][A-Z]|[a-z]_[a-z]")
"""What is surely a name of ours and no word of a spec: `CheckPlan`, `machine_of`."""
RAISED = re.compile(r"^Raises:\n((?:    .*\n?|\n)+)", re.MULTILINE)
ERROR = re.compile(r"^ {4}([A-Z]\w+):", re.MULTILINE)
"""An exception that a docstring says is raised."""
OTHERS = {"to_transitions", "send_event", "to_B"}
"""Names of a library that is bridged to, and of examples."""


BUILT_IN = frozenset(dir(builtins))


@cache
def known_names() -> frozenset[str]:
    """Every word of the package's code, docstrings left out."""
    found = set[str]()
    for path in PACKAGE.rglob("*.py"):
        found.update(re.findall(r"\w+", re.sub(r'"""[\s\S]*?"""', "", path.read_text("utf-8"))))
    return frozenset(found)


def dead_mentions(text: str) -> list[str]:
    """The names in the docstrings of a module that no code has, and exceptions that are none."""
    docs = code_of(text).docstrings
    raised = [name for doc in docs for part in RAISED.findall(doc) for name in ERROR.findall(part)]
    dead = [name for doc in docs for name in MENTION.findall(doc) if is_dead(name)]
    return dead + [name for name in raised if name not in known_names() and name not in BUILT_IN]


def is_dead(name: str) -> bool:
    """Whether a part of a dotted name is written as ours are, and no code has it."""
    return name not in OTHERS and any(
        MODULE_NAME.search(part) and part not in known_names() for part in name.split(".")
    )


@pytest.mark.parametrize("room", sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))
def test_names_in_docstrings_are_there(room: str) -> None:
    """A function that was renamed is renamed where others speak of it."""
    paths = sorted((PACKAGE / room).rglob("*.py"))
    found = {str(path): dead_mentions(path.read_text("utf-8")) for path in paths}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_name_that_is_gone_is_seen() -> None:
    """A check that was never seen to fail is untested."""
    gone = 'def f():\n    """See `machine_that_was` and `machine_of`."""'
    assert dead_mentions(gone) == ["machine_that_was"]
    raising = 'def f():\n    """Do it.\n\n    Raises:\n        Gone: never.\n        OSError: then.\n    """'
    assert dead_mentions(raising) == ["Gone"]
