"""No module imports another that needs it: neither at its head, nor inside a function, nor for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.architecture.parsed import code_of

PACKAGE = Path(__file__).parent.parent.parent / "statemachines"
Imports = Mapping[str, frozenset[str]]
"""Module and the modules of ours that it imports anywhere."""


def module_name(path: Path, package: Path = PACKAGE) -> str:
    """Return the name by which a file is imported."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports_of(text: str, modules: frozenset[str]) -> Iterator[str]:
    """Yield the modules that a file's text imports, wherever in it; of a package's names the module."""
    for node in code_of(text).imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        else:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module or ""


def imports_of_all(texts: Mapping[str, str]) -> Imports:
    """Return what each of some modules imports of the others."""
    names = frozenset(texts)
    return {
        name: frozenset(imports_of(text, names)) & names - {name} for name, text in texts.items()
    }


def in_circles(imports: Imports) -> dict[str, frozenset[str]]:
    """Return the modules that need themselves through others, with those that they import there."""
    left = dict(imports)
    while True:
        needed = frozenset().union(*left.values())
        ends = {name for name, used in left.items() if not used or name not in needed}
        if not ends:
            return left
        left = {name: used - ends for name, used in left.items() if name not in ends}


def test_no_module_needs_itself_through_others() -> None:
    """What stands in a circle can only be understood, tested and moved as a whole."""
    texts = {module_name(path): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    found = in_circles(imports_of_all(texts))
    assert [f"{name} imports {', '.join(sorted(used))}" for name, used in found.items()] == []


def test_a_circle_is_seen_wherever_the_import_stands() -> None:
    """A checker that was never seen to fail is untested."""
    texts = {
        "p.door": "def open():\n    from p.lock import turn\n",
        "p.lock": "from p.key import key\n",
        "p.key": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.door\n",
        "p.house": "import p.door\n",
        "p.wall": "",
    }
    assert sorted(in_circles(imports_of_all(texts))) == ["p.door", "p.key", "p.lock"]
    texts["p.key"] = ""
    assert in_circles(imports_of_all(texts)) == {}
