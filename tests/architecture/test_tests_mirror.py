"""Who changes a module finds its tests: at its path below `tests/unit`, or where a test file says at its head that it covers it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.architecture.parsed import code_of

TESTS = Path(__file__).parents[1]
PACKAGE = TESTS.parent / "statemachines"
COVERS = re.compile(r"^Covers:.*?(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
"""A paragraph of a head that names modules: `Covers: statemachines.logs.search.scanner, statemachines.api.spec.`"""
MODULE = re.compile(r"\bstatemachines\.(\w+(?:\.\w+)*)")
REMEDY = "test it, and name it at the head of its tests: `Covers: statemachines.that.module.`"


def modules() -> set[str]:
    """Every module that has code of its own, as `room.module`."""
    paths = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    return {
        ".".join(path.with_suffix("").parts) for path in paths if not path.stem.startswith("__")
    }


def mirrored(tests: Iterable[Path]) -> set[str]:
    """The modules at whose path below `tests/unit` a test file stands."""
    below = (path.relative_to(TESTS / "unit") for path in tests if TESTS / "unit" in path.parents)
    return {".".join((*path.parent.parts, path.stem.removeprefix("test_"))) for path in below}


def named(head: str) -> list[str]:
    """The modules that the head of a test file names."""
    return [name for paragraph in COVERS.findall(head) for name in MODULE.findall(paragraph)]


def heads() -> dict[Path, str]:
    """The head of each test file."""
    return {
        path: code_of(path.read_text("utf-8")).docstring
        for path in sorted(TESTS.rglob("test_*.py"))
    }


def test_every_module_has_tests_that_name_it() -> None:
    """A module that no test names is changed by people who do not know what to run."""
    found = heads()
    known = mirrored(found) | {name for head in found.values() for name in named(head)}
    assert sorted(modules() - known) == [], REMEDY


def test_heads_name_modules_that_are_there() -> None:
    """A module that has moved takes its name along."""
    there = modules()
    gone = defaultdict(list)
    for path, head in heads().items():
        for name in named(head):
            if name not in there:
                gone[str(path.relative_to(TESTS))].append(name)
    assert dict(gone) == {}


def test_a_folder_of_unit_tests_is_a_room_of_the_package() -> None:
    """`tests/unit` is looked up by the path of what is tested."""
    folders = {path.parent.relative_to(TESTS / "unit") for path in heads() if "unit" in path.parts}
    assert [str(folder) for folder in sorted(folders) if not (PACKAGE / folder).is_dir()] == []


def test_a_head_is_read_as_it_is_written() -> None:
    """Over several lines, and a sentence like any other is none."""
    head = "A law.\n\nIt covers: statemachines.no.\n\nCovers: statemachines.logs.search.scanner,\nstatemachines.api.spec."
    assert named(head) == ["logs.search.scanner", "api.spec"]
    assert named(
        "Covers: what `statemachines.api.spec` says.\n\nNot statemachines.api.machine."
    ) == ["api.spec"]
    assert mirrored([TESTS / "unit" / "logs" / "search" / "test_scanner.py"]) == {
        "logs.search.scanner"
    }


def test_what_tests_import_of_tests_is_there() -> None:
    """A helper that has moved takes along those who import it."""
    imported = {
        f"{path.relative_to(TESTS)}: {node.module}"
        for path in sorted(TESTS.rglob("*.py"))
        for node in code_of(path.read_text("utf-8")).imports
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.")
        if not _is_module(node.module or "")
    }
    assert imported == set()


def _is_module(name: str) -> bool:
    path = TESTS.parent / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or path.is_dir()
