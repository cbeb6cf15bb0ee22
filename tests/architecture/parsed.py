"""What the checks of the code ask of a file: it is parsed and walked once for all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache

Function = ast.FunctionDef | ast.AsyncFunctionDef
Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """A function wherever it stands, and how long it is."""

    name: str
    line: int
    lines: int
    docstring_lines: int


@dataclass(frozen=True, slots=True)
class Code:
    """A file without its tree: that of a whole package is too large to be kept."""

    imports: tuple[Import, ...]
    functions: tuple[FunctionSize, ...]
    docstring: str
    """The one at its head."""
    docstrings: tuple[str, ...]
    classes: tuple[str, ...]
    """Those of the file itself, not of a class or a function in it."""
    defined: Set[str]
    """What the file itself gives a name to."""
    formatted: tuple[str, ...]
    """Formatted strings, with `{}` where a value stands."""
    bound: tuple[Set[str], ...]
    """Names that are bound, of each statement and of each method."""


@cache
def code_of(text: str) -> Code:
    """Parse a file's text."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = (part for node in classes for part in node.body)
    statements = (node for node in tree.body if not isinstance(node, ast.ClassDef))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return Code(
        imports=tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)),
        functions=tuple(_size(node) for node in nodes if isinstance(node, Function)),
        docstring=ast.get_docstring(tree) or "",
        docstrings=tuple(
            ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)
        ),
        classes=tuple(node.name for node in classes),
        defined=frozenset(_defined(tree.body)),
        formatted=tuple(_formatted(node) for node in nodes if isinstance(node, ast.JoinedStr)),
        bound=(
            *(frozenset(_bound(ast.walk(node))) for node in (*statements, *methods)),
            frozenset(node.name for node in classes),
        ),
    )


def _size(node: Function) -> FunctionSize:
    documented = ast.get_docstring(node, clean=False) is not None
    docstring_lines = _lines(node.body[0]) if documented else 0
    return FunctionSize(node.name, node.lineno, _lines(node), docstring_lines)


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name), *_]):
                yield name


def _formatted(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
    )


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Variables, arguments, attributes, functions and classes."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
