"""Modules of machines put together into one: what has one name and differs gets another one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from attrs import define, field, frozen

from statemachines.embed.code_generation.python_text import safe_name

_COMMON = {"NotAllowed", "ArgumentsError", "MACHINE", "RELEASE"}
"""What every module of a machine has, and the system's has for all of them."""


@frozen
class _Statement:
    """A definition at the top of a module, with the text that documents it."""

    node: ast.stmt
    name: str
    last: int
    """Its last line, 1-based."""


@define
class ModuleSections:
    """What a module that is put together holds so far."""

    taken: set[str]
    """Names that are in use."""
    texts: dict[str, str] = field(factory=dict)
    """Name of a type or an error to the lines that define it, for modules that have the same."""
    imports: dict[str, None] = field(factory=dict)
    lines: list[str] = field(factory=list)

    def add(self, text: str, title: str) -> dict[str, str]:
        """Take in a module: types and errors that are there already once, all else with names of
        its own.

        Args:
            text: of a generated module.
            title: name of the class that it is about; private names are told apart by it.

        Returns:
            What each name of the module is called now.
        """
        source, added = text.splitlines(), list[str]()
        renames = {name: name for name in _COMMON}
        for statement in self._statements(ast.parse(text), source):
            first = _first_line(statement.node)
            own = source[first - 1 : statement.last]
            if _may_be_shared(statement.node) and self.texts.get(statement.name) == "\n".join(own):
                renames[statement.name] = statement.name
                continue
            renames[statement.name] = self._new_name(statement, title, "\n".join(own))
            blank = ["", ""] if isinstance(statement.node, ast.ClassDef) else []
            added += [*blank, *own]
        changed = {old: new for old, new in renames.items() if old != new}
        self.lines += _renamed(added, changed)
        return renames

    def _statements(self, module: ast.Module, source: list[str]) -> Iterator[_Statement]:
        """Yield what a module defines; keep what it imports."""
        nodes = module.body
        for node, following in pairwise([*nodes, ast.Pass()]):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports[ast.unparse(node)] = None
            name = _defined_name(node)
            if name and name not in _COMMON:
                documented = following if isinstance(following, ast.Expr) else node
                yield _Statement(node, name, documented.end_lineno or len(source))

    def _new_name(self, statement: _Statement, title: str, text: str) -> str:
        name = statement.name
        if _may_be_shared(statement.node):
            self.texts.setdefault(name, text)
        elif name != title:
            capitals = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title).upper()
            private = f"_{capitals}{name}" if name.startswith("_") else f"{capitals}_{name}"
            name = f"{title}State" if name == "State" else private
        elif name in self.taken:
            name = f"{name}Machine"
        if name in self.taken:
            name = safe_name(f"{title}{name}", self.taken)
        self.taken.add(name)
        return name


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _defined_name(node: ast.stmt) -> str:
    """Return the name that a statement defines; empty where it defines none."""
    match node:
        case ast.ClassDef():
            return node.name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _may_be_shared(node: ast.stmt) -> bool:
    """Tell whether a definition means the same wherever it stands: a type, or an error."""
    if isinstance(node, ast.ClassDef):
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
        return bool(node.decorator_list or bases & {"NotAllowed", "Exception"})
    return isinstance(node, ast.Assign)


def _renamed(lines: list[str], names: dict[str, str]) -> list[str]:
    """Return lines of Python in which some names of the module are others."""
    encoded, tree = [line.encode() for line in lines], ast.parse("\n".join(lines))
    places = [
        (node.lineno, node.col_offset, node.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in names
    ]
    places += [
        (node.lineno, len("class "), node.name)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in names
    ]
    for number, column, name in sorted(places, reverse=True):
        line = encoded[number - 1]
        end = column + len(name.encode())
        encoded[number - 1] = line[:column] + names[name].encode() + line[end:]
    return [line.decode() for line in encoded]


def renamed_annotation(source: str, names: dict[str, str]) -> str:
    """Return an expression of one module as the module that it is put into has it.

    Args:
        source: Python, on one line.
        names: what each name of its module is called now.

    Returns:
        Python, on one line.
    """
    return _renamed([source], names)[0]
