"""The parts of an expression of Python as they stand on one line: operands, brackets, which operator binds loosest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from attrs import define

LOOSE: dict[type[ast.operator], int] = {
    ast.Mult: 1,
    ast.FloorDiv: 1,
    ast.Mod: 1,
    ast.Add: 2,
    ast.Sub: 2,
    ast.BitAnd: 3,
    ast.BitXor: 4,
    ast.BitOr: 5,
}
"""Operator to how loosely it binds; looser are comparisons, then `and` and `or`, then conditionals."""
_COMPARISON, _LOGIC, _CONDITIONAL = 6, 7, 8
BRACKETED = (ast.List, ast.Set, ast.Dict, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@define
class OnOneLine:
    """One expression, as it stands on one line."""

    source: bytes

    def flat(self, node: ast.expr) -> str:
        """Return a part as it stands there, in parentheses where it has some."""
        text = self.source[node.col_offset : node.end_col_offset].decode()
        return f"({text})" if self.in_parentheses(node) else text

    def in_parentheses(self, node: ast.expr) -> bool:
        """Tell whether an operand stands in parentheses; a bracket's own are none."""
        if isinstance(node, ast.Tuple | ast.GeneratorExp):
            return False
        before, after = self.source[: node.col_offset].rstrip(), self.source[node.end_col_offset :].lstrip()
        opened = before.endswith(b"(") and not before[:-1][-1:].isalnum() and not before[:-1].endswith((b"_", b"]", b")"))
        return opened and after.startswith(b")")

    def brackets(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield the operands of an operation, however deep, that are in brackets or end in some."""
        for part in [node] if _pair(node) is None else [each for _, each in self.operands(node)]:
            if self.has_brackets(part):
                yield part
            elif part is not node and _pair(part) is not None:
                yield from self.brackets(part)
            elif isinstance(part, ast.UnaryOp):
                yield from self.brackets(part.operand)

    def extent(self, node: ast.expr) -> tuple[int, int]:
        """Return where a part begins and ends, its parentheses included."""
        extra = 1 if self.in_parentheses(node) else 0
        return node.col_offset - extra, (node.end_col_offset or 0) + extra

    def opening(self, node: ast.expr) -> int:
        """Return where a part's bracket is open."""
        inside = node.func.end_col_offset if isinstance(node, ast.Call) and not self.in_parentheses(node) else self.extent(node)[0]
        return (inside or 0) + 1

    def begins_with_bracket(self, node: ast.expr) -> bool:
        """Tell whether a part begins with brackets that hold something."""
        return self.in_parentheses(node) or (isinstance(node, BRACKETED) and self.has_brackets(node))

    def ends(self, node: ast.expr) -> Sequence[ast.expr]:
        """Return the first and the last operand of an operation."""
        first = last = node
        while (pair := _pair(first)) is not None and (first is node or not self.in_parentheses(first)):
            first = pair[0]
        while (pair := _pair(last)) is not None and (last is node or not self.in_parentheses(last)):
            last = pair[1]
        return first, last

    def opens_itself(self, node: ast.expr) -> bool:
        """Tell whether a bracket at one of its ends is opened rather than a new one put around it."""
        loosest, count, brackets = self.loosest(node)
        if not brackets:
            return False
        return count <= 1 and (loosest == 0 or self.begins_with_bracket(self.ends(node)[0]) or self.has_brackets(self.ends(node)[1]))

    def loosest(self, node: ast.expr) -> tuple[int, int, bool]:
        """Return the loosest operator outside brackets, how often it is there, and whether there are brackets."""
        own = _operator(node)
        if own is None:
            return 0, 0, isinstance(node, (*BRACKETED, ast.Call, ast.Subscript))
        strength, times, parts = own
        brackets = False
        for part in parts:
            if self.in_parentheses(part):
                brackets = True
                continue
            loose, count, inner = self.loosest(part)
            brackets |= inner
            if loose > strength:
                strength, times = loose, count
            elif loose == strength:
                times += count
        return strength, times, brackets

    def has_brackets(self, node: ast.expr) -> bool:
        """Tell whether a part ends in brackets that hold something."""
        if self.in_parentheses(node):
            return True
        match node:
            case ast.Call():
                return bool(node.args or node.keywords)
            case ast.List(elts=inside) | ast.Set(elts=inside) | ast.Tuple(elts=inside):
                return bool(inside)
            case ast.Dict():
                return bool(node.keys)
        return isinstance(node, (*COMPREHENSION, ast.Subscript))

    def operands(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield each operand behind its operator; a chain of one strength is one operation."""
        match node:
            case ast.BoolOp(op=op, values=values):
                for place, value in enumerate(values):
                    (_, first), *more = self._same(value, ast.BoolOp)
                    yield "" if place == 0 else "and" if isinstance(op, ast.And) else "or", first
                    yield from more
            case ast.IfExp():
                yield from (("", node.body), ("if", node.test))
                (_, first), *more = self._same(node.orelse, ast.IfExp)
                yield from (("else", first), *more)
            case ast.Compare(left=left, comparators=others):
                yield "", left
                for before, value in zip([left, *others], others, strict=False):
                    yield self._between(before, value), value
            case ast.BinOp(left=left, op=op, right=right):
                same = isinstance(left, ast.BinOp) and LOOSE[type(left.op)] == LOOSE[type(op)] and not self.in_parentheses(left)
                yield from self.operands(left) if same else [("", left)]
                yield self._between(left, right), right
            case _:
                yield "", node

    def _same(self, node: ast.expr, kind: type[ast.expr]) -> list[tuple[str, ast.expr]]:
        """Return the operands of an operand that is an operation of the same kind."""
        return list(self.operands(node)) if isinstance(node, kind) and not self.in_parentheses(node) else [("", node)]

    def _between(self, left: ast.expr, right: ast.expr) -> str:
        assert left.end_col_offset is not None
        return self.source[left.end_col_offset : right.col_offset].decode().strip(" ()")


def _operator(node: ast.expr) -> tuple[int, int, Sequence[ast.expr]] | None:
    """Return how loose an operation is, how often its operator is there, and its operands; None of what is none."""
    match node:
        case ast.BoolOp(values=values):
            return _LOGIC, len(values) - 1, values
        case ast.BinOp(left=left, op=op, right=right):
            return LOOSE[type(op)], 1, (left, right)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _COMPARISON, len(ops), (left, *others)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _CONDITIONAL, 2, (body, test, orelse)
        case ast.UnaryOp(operand=operand):
            return 0, 0, (operand,)
        case ast.Attribute(value=value):
            return 0, 0, (value,)
    return None


def _pair(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    match node:
        case ast.BoolOp(values=values):
            return values[0], values[-1]
        case ast.BinOp(left=left, right=right):
            return left, right
        case ast.Compare(left=left, comparators=others):
            return left, others[-1]
        case ast.UnaryOp(operand=operand):
            return operand, operand
    return None
