"""One word, one thing: names are given once, and rooms can be looked over."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.architecture.parsed import code_of

PACKAGE = Path(__file__).parents[2] / "statemachines"
FAMILIES = {"__init__", "__main__", "plugin", "document", "findings", "current_state"}
"""Modules that are the same part of a family: of each form of a report, of each pytest plugin."""
MOST_MODULES = 15


def public_classes() -> dict[str, list[str]]:
    """Where each class of the package is defined."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in code_of(path.read_text("utf-8")).classes:
            found[name].append(str(path.relative_to(PACKAGE)))
    return found


def test_a_class_name_is_defined_once() -> None:
    """Who searches for a word finds one thing."""
    assert {name: homes for name, homes in public_classes().items() if len(homes) > 1} == {}


def test_a_modules_name_is_given_once() -> None:
    """A traceback names files: the same name twice sends its reader to the wrong one."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        found[path.stem].append(str(path.relative_to(PACKAGE)))
    assert {n: h for n, h in found.items() if len(h) > 1 and n not in FAMILIES} == {}


ROOMS = sorted({path.parent for path in PACKAGE.rglob("*.py")})


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_room_can_be_looked_over(room: Path) -> None:
    """At most fifteen modules, and a sentence that says what they are about."""
    modules = [path for path in room.glob("*.py") if path.stem != "__init__"]
    assert len(modules) <= MOST_MODULES
    assert code_of((room / "__init__.py").read_text("utf-8")).docstring


VAGUE = {"of", "_of", "_told", "_said", "_shown", "_worded", "_heard", "_look", "_beside", "_plain"}


def test_names_of_functions_say_what_they_give() -> None:
    """`of` and `_told` say nothing to who reads them in a traceback."""
    vague = [
        f"{path.relative_to(PACKAGE)}:{function.line} {function.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for function in code_of(path.read_text("utf-8")).functions
        if function.name in VAGUE
    ]
    assert vague == []


OLD_WORDS = {
    *("told", "heard", "turned", "way", "mark", "met", "meet", "look", "looked", "asked", "said"),
    *("worded", "arrow", "manner", "drawn", "gone", "kept", "one", "found", "each", "seen"),
}
"""Words that once named many things each; `docs/glossary.md` has the words for these things."""
WORDS_OF_USERS = {"model": {"each", "look"}, "notation": {"each"}, "explore": {"each", "said"}}
"""Keys of the notation (`each`, `look`) and of a report (`said`) name what stands below them."""
PARTNERS = {"other", "another", "two", "many"}
"""`one` is plain English beside its other."""


def old_words(text: str) -> set[str]:
    """Names of a module that are one of the old words and nothing more."""
    bound = code_of(text).bound
    words = {name.strip("_") for names in bound for name in names} & OLD_WORDS - {"one"}
    for names in bound:
        if "one" in names and not names & PARTNERS:
            words.add("one")
    return words


@pytest.mark.parametrize("room", sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))
def test_an_old_word_names_nothing(room: str) -> None:
    """`found` and `one` make a reader look up what was found, and one of what."""
    used = {
        f"{word} in {path.relative_to(PACKAGE)}"
        for path in (PACKAGE / room).rglob("*.py")
        for word in old_words(path.read_text("utf-8")) - WORDS_OF_USERS.get(room, set())
    }
    assert used == set()


def test_an_old_word_is_seen() -> None:
    """A check that was never seen to fail is untested."""
    text = "def _told(found):\n    one = found.kept\n    self.seen = [one for other in found]"
    assert old_words(text) == {"told", "found", "seen"}
    assert old_words("def first(rows):\n    return min(rows, key=lambda one: one.at)") == {"one"}


def test_the_page_on_architecture_names_every_room() -> None:
    """A folder that no page knows is where things get lost."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    below = [room.relative_to(PACKAGE).parts for room in ROOMS]
    unknown = [
        "/".join(parts)
        for parts in below
        if len(parts) > 1 and f"`{'/'.join(parts[1:])}/`" not in page
    ]
    assert unknown == []


def test_the_files_that_the_page_names_are_there() -> None:
    """A walk that leads to a file that has moved leads nowhere."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    known = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*") if path.is_file()}
    names = set(re.findall(r"`([a-z_/]+\.(?:py|yaml))`", page))
    assert len(names) > 30
    assert [n for n in names if not any(k == n or k.endswith(f"/{n}") for k in known)] == []
