"""Puzzles of precedence: what is one, what is none, and the catalogue is without.

Covers: statemachines.notation.document.key_shapes,
statemachines.notation.expressions.expression_parser,
statemachines.notation.linting.precedence_puzzles.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.diagnosis.diagnostics import Span
from statemachines.notation.document.yaml_nodes import YamlMapping
from statemachines.notation.document.yaml_reader import read_yaml
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.linting.precedence_puzzles import (
    expression_puzzles,
    precedence_puzzles,
)

SPECS = Path(__file__).parents[3] / "specs"
KINDS = ("machine", "system", "library", "extends")


def hints(text: str) -> list[str]:
    written = SourceText(text, Span("here", 1, 1, len(text)))
    return [found.hint for found in expression_puzzles(written)]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a - b | c & d", ["write `(a - b)`", "write `(c & d)`"]),
        ("a | b & c", ["write `(b & c)`"]),
        ("a + [b] | c", ["write `(a + [b])`"]),
        ("not a in b and c or d", ["write `(not a in b and c)`", "write `a not in b`"]),
        ("not a == b", ["write `a != b`"]),
        ("not a <= b", ["write `not (a <= b)`"]),
        ("a or b and c", ["write `(b and c)`"]),
        ("a if c else b or d", ["write `(b or d)`"]),
        ("any(x or y and z for x in s)", ["write `(y and z)`"]),
    ],
)
def test_a_puzzle_is_told_with_what_to_write(text: str, right: list[str]) -> None:
    """The advice is the code that means the same."""
    assert hints(text) == right


@pytest.mark.parametrize(
    "text",
    [
        "(a - b) | (c & d)", "a | b | c", "a - b - c", "a + b - c", "a * b + c", "a - b <= c",
        "a not in b", "not (a in b)", "not a and b", "(a and b) or c", "a and b and c",
        "a if b or c else d", "a if b else c if d else e", "a if b else (c or d)", "f(a | b, c & d)",
        "0..5 = 0", "set[Task] = set()",
    ],
)  # fmt: skip
def test_what_nobody_misreads_is_no_puzzle(text: str) -> None:
    """A warning that is about nothing teaches people to pass over warnings."""
    assert hints(text) == []


NAMES = st.sampled_from("abcd")
EXPRESSIONS = st.recursive(
    NAMES,
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from(["|", "&", "-", "and", "or", "in"]), part).map(" ".join),
        part.map("(not {})".format),
        part.map("({})".format),
        st.tuples(part, part, part).map(lambda each: "({} if {} else {})".format(*each)),
    ),
    max_leaves=6,
)


@given(text=EXPRESSIONS)
def test_who_writes_all_parentheses_hears_nothing(text: str) -> None:
    """Whatever the expression: there is a way of writing it that is no puzzle."""
    assert hints(in_parentheses(ast.parse(text, mode="eval").body)) == []


def in_parentheses(node: ast.AST) -> str:
    for operand in ast.iter_child_nodes(node):
        if isinstance(operand, ast.expr) and not isinstance(operand, ast.Name):
            text = ast.Name(f"({in_parentheses(operand)})")
            for field, value in ast.iter_fields(node):
                if value is operand:
                    setattr(node, field, text)
                elif isinstance(value, list) and operand in value:
                    value[value.index(operand)] = text
    return ast.unparse(node)


@pytest.mark.parametrize("path", sorted(SPECS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_the_catalogue_is_without_puzzles(path: Path) -> None:
    """Who reads a spec beside the program's source should not have to know two tables of operators."""
    root, _ = read_yaml(path.read_bytes(), path.name)
    assert isinstance(root, YamlMapping)
    kind = next((kind for kind in KINDS if root.get(kind) is not None), "family")
    assert precedence_puzzles(root, kind) == []
