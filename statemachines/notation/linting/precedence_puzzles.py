"""Expressions that people read in another way than they are read: which operator binds closer is a
puzzle that two parentheses solve.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.notation.document.key_shapes import (
    ExpressionShape,
    ListShape,
    MappingShape,
    NamesShape,
    Shape,
)
from statemachines.notation.document.notation_keys import SHAPES_BY_FILE_KIND
from statemachines.notation.document.shape_checker import chosen_shape
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.expressions.expression_parser import SourceText, parse_expression
from statemachines.notation.releases.release_selection import source_text

SET_OPERATORS = {ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.Sub: "-", ast.Add: "+"}
_COMPARISONS = {
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
}
"""Comparisons with the operator that says the opposite; an order of sets has none."""


def precedence_puzzles(root: YamlMapping, kind: str) -> list[Diagnostic]:
    """Warn of operators side by side of which few know the one that binds closer.

    Args:
        root: the document.
        kind: of file, as `SHAPES_BY_FILE_KIND` has them.

    Returns:
        Warnings, in the order of the document.
    """
    shape = SHAPES_BY_FILE_KIND[kind]
    return [
        wrong
        for scalar in _expression_scalars(root, shape)
        for wrong in expression_puzzles(source_text(scalar))
    ]


def expression_puzzles(written: SourceText) -> Iterator[Diagnostic]:
    """Yield a warning for each puzzle of an expression, with what to write; none for a text that is
    no expression.

    Args:
        written: the text with its place.

    Yields:
        Warnings, in the order of the text.
    """
    tree = parse_expression(written)
    if isinstance(tree, Diagnostic):
        return
    for node in ast.walk(tree):
        for operand in ast.iter_child_nodes(node):
            message = _puzzle(written, node, operand)
            if message and not _is_in_parentheses(written, operand):
                yield Diagnostic(
                    "SM340", message[0], written.node_span(node), message[1], Severity.WARNING
                )


def _puzzle(written: SourceText, node: ast.AST, operand: ast.AST) -> tuple[str, str] | None:
    """Say what is hard to read in an operand that stands without parentheses, and what to write."""
    text = written.node_text(operand)
    match node, operand:
        case ast.BinOp(), ast.BinOp() if _are_mixed_sets(node, operand):
            inner, outer = SET_OPERATORS[type(operand.op)], SET_OPERATORS[type(node.op)]
            return f"`{inner}` beside `{outer}` without parentheses", f"write `({text})`"
        case ast.BoolOp(), ast.BoolOp():
            return "`and` beside `or` without parentheses", f"write `({text})`"
        case ast.UnaryOp(op=ast.Not()), ast.Compare():
            return f"`not` before `{text}` without parentheses", _opposite(written, operand)
        case ast.IfExp(), ast.BoolOp() if operand is not node.test:
            word = "and" if isinstance(operand.op, ast.And) else "or"
            return f"`{word}` beside `if` without parentheses", f"write `({text})`"
        case ast.IfExp(), ast.IfExp() if operand is not node.orelse:
            return "`if` within `if` without parentheses", f"write `({text})`"
    return None


def _are_mixed_sets(node: ast.BinOp, operand: ast.BinOp) -> bool:
    """Tell whether two different operators meet, of which one is of sets only."""
    both = {type(node.op), type(operand.op)}
    return len(both) == 2 and both <= SET_OPERATORS.keys() and both != {ast.Add, ast.Sub}


def _opposite(written: SourceText, compared: ast.Compare) -> str:
    """Write the opposite of a comparison."""
    sign = _COMPARISONS.get(type(compared.ops[0])) if len(compared.ops) == 1 else None
    if sign is None:
        return f"write `not ({written.node_text(compared)})`"
    left, right = map(written.node_text, (compared.left, compared.comparators[0]))
    return f"write `{left} {sign} {right}`"


def _is_in_parentheses(written: SourceText, node: ast.AST) -> bool:
    start, end = written.node_offsets(node)
    return written.text[:start].rstrip().endswith("(") and written.text[end:].lstrip().startswith(
        ")"
    )


def _expression_scalars(node: YamlNode, shape: Shape) -> Iterator[YamlScalar]:
    """Yield what the notation takes for expressions and types in a document of a known shape."""
    match node, chosen_shape(node, shape):
        case YamlScalar(), ExpressionShape():
            yield node
        case YamlSequence(), ExpressionShape():
            for entry in node:
                value = entry.get("is") if isinstance(entry, YamlMapping) else None
                if value is not None:
                    yield from _expression_scalars(value, ExpressionShape())
        case YamlMapping(), MappingShape() as known:
            for name, value in node.entries:
                key = known.key_named(name.text)
                if key is not None:
                    yield from _expression_scalars(value, key.shape)
        case YamlMapping(), NamesShape(value=inner):
            for _, value in node.entries:
                yield from _expression_scalars(value, inner)
        case YamlSequence(), ListShape(item=inner):
            for item in node:
                yield from _expression_scalars(item, inner)
