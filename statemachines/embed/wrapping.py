"""Long lines of Python, broken where common formatters break them: a formatter leaves the result alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from statemachines.embed.operands import OnOneLine

WIDTH = 88
"""Characters a line: what formatters take where nobody tells them otherwise."""
STEP = "    "


def wrapped(indent: str, lead: str, source: str, tail: str = "") -> list[str]:
    """Return the lines of a statement that ends in an expression; one line where it fits.

    Args:
        indent: blanks before it.
        lead: what stands before the expression, such as `return `.
        source: the expression, on one line.
        tail: what stands behind it, such as `:`.

    >>> print(*wrapped("", "return ", f"{'a' * 50} and {'b' * 50}"), sep="\\n")
    return (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    )
    """
    if len(indent) + len(lead) + len(source) + len(tail) <= WIDTH:
        return [f"{indent}{lead}{source}{tail}"]
    return _Page(source.encode()).statement(ast.parse(source, mode="eval").body, indent, lead, tail)


class _Page(OnOneLine):
    """Lays an expression out on several lines."""

    def statement(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return the lines of what stands in no bracket: one is put around it where nothing inside can be opened."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self.in_parentheses(node.operand):
            return self.opened(node, indent, lead, tail)
        if isinstance(node, ast.Name | ast.Attribute):
            return [f"{indent}{lead}(", f"{indent}{STEP}{self.flat(node)}", f"{indent}){tail}"]
        if not isinstance(node, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp | ast.UnaryOp):
            return self.opened(node, indent, lead, tail)
        if self.opens_itself(node):
            lines = self._in_its_brackets(node, indent, lead, tail)
            if all(len(line) <= WIDTH for line in lines):
                return lines
        return [f"{indent}{lead}(", *self.inside(node, indent + STEP), f"{indent}){tail}"]

    def _in_its_brackets(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return it with those brackets opened, from left to right, behind which the line would be too long."""
        lines, now, place = list[str](), indent + lead, node.col_offset
        brackets = list(self.brackets(node))
        for number, bracket in enumerate(brackets):
            begin, end = self.extent(bracket)
            now += self.source[place:begin].decode()
            last = number + 1 == len(brackets)
            until = self.source[end : node.end_col_offset if last else self.opening(brackets[number + 1])].decode()
            flat = self.source[begin:end].decode()
            if len(now) + len(flat) + len(until) + (len(tail) if last else 0) <= WIDTH:
                now += flat
            else:
                *more, now = self.opened(bracket, indent, now[len(indent) :] if not lines else now.lstrip(), "")
                lines += more
            place = end
        return [*lines, now + self.source[place : node.end_col_offset].decode() + tail]

    def line(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return an operand or element: on one line where it fits, else opened."""
        text = f"{indent}{lead}{self.flat(node)}{tail}"
        return [text] if len(text) <= WIDTH else self.opened(node, indent, lead, tail)

    def opened(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return a part whose brackets are opened; what has none is split at its operators."""
        if self.in_parentheses(node):
            return [f"{indent}{lead}(", *self.inside(node, indent + STEP), f"{indent}){tail}"]
        return self.own(node, indent, lead, tail)

    def own(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return a part whose own brackets are opened, whatever stands around it."""
        inner = indent + STEP
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
                return self.opened(value, indent, lead, f".{name}(){tail}")
            case ast.Call():
                return [f"{indent}{lead}{self.flat(node.func)}(", *self.arguments(node, inner), f"{indent}){tail}"]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                signs = "[]" if isinstance(node, ast.ListComp) else "()" if isinstance(node, ast.GeneratorExp) else "{}"
                return [f"{indent}{lead}{signs[0]}", *self.clauses(node, inner), f"{indent}{signs[1]}{tail}"]
            case ast.List(elts=items) | ast.Set(elts=items) | ast.Tuple(elts=items):
                signs = {ast.List: "[]", ast.Set: "{}"}.get(type(node), "()")
                lines = [line for item in items for line in self.line(item, inner, "", ",")]
                return [f"{indent}{lead}{signs[0]}", *lines, f"{indent}{signs[1]}{tail}"]
            case ast.Dict():
                pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
                lines = [line for key, value in pairs for line in self.line(value, inner, f"{self.flat(key)}: ", ",")]
                return [f"{indent}{lead}{{", *lines, f"{indent}}}{tail}"]
            case ast.Subscript():
                return [f"{indent}{lead}{self.flat(node.value)}[", *self.inside(node.slice, inner), f"{indent}]{tail}"]
            case ast.UnaryOp(op=ast.Not()):
                return self.opened(node.operand, indent, f"{lead}not ", tail)
        return self.split(node, indent, lead, tail)

    def inside(self, node: ast.expr, indent: str) -> list[str]:
        """Return what stands alone in a bracket."""
        text = self.source[node.col_offset : node.end_col_offset].decode()
        if len(indent) + len(text) <= WIDTH:
            return [indent + text]
        if isinstance(node, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp):
            return self.split(node, indent, "", "")
        return self.own(node, indent, "", "")

    def split(self, node: ast.expr, indent: str, lead: str, tail: str) -> list[str]:
        """Return an operation with an operand a line."""
        operands = list(self.operands(node))
        if len(operands) == 1:
            return [f"{indent}{lead}{self.flat(node)}{tail}"]
        lines = list[str]()
        for place, (sign, operand) in enumerate(operands):
            before = f"{lead}{sign}" if place == 0 else f"{sign} "
            lines += self.line(operand, indent, before, tail if place + 1 == len(operands) else "")
        return lines

    def arguments(self, node: ast.Call, indent: str) -> list[str]:
        """Return what stands between a call's parentheses: on one line where it fits, a lone argument without a comma."""
        if len(node.args) == 1 and not node.keywords:
            only = node.args[0]
            return self.clauses(only, indent) if isinstance(only, ast.GeneratorExp) else self.inside(only, indent)
        texts = [*map(self.flat, node.args), *(f"{each.arg}={self.flat(each.value)}" for each in node.keywords)]
        together = indent + ", ".join(texts)
        if len(together) <= WIDTH:
            return [together]
        lines = [line for item in node.args for line in self.line(item, indent, "", ",")]
        return lines + [line for each in node.keywords for line in self.line(each.value, indent, f"{each.arg}=", ",")]

    def clauses(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, indent: str) -> list[str]:
        """Return a comprehension with each `for` and `if` on a line of its own."""
        text = self.source[node.col_offset + 1 : (node.end_col_offset or 0) - 1].decode().strip()
        if len(indent) + len(text) <= WIDTH:
            return [indent + text]
        if isinstance(node, ast.DictComp):
            lines = self.line(node.value, indent, f"{self.flat(node.key)}: ", "")
        else:
            lines = self.line(node.elt, indent, "", "")
        for clause in node.generators:
            lines += self.line(clause.iter, indent, f"for {_target(clause.target)} in ", "")
            lines += [line for asked in clause.ifs for line in self.line(asked, indent, "if ", "")]
        return lines


def _target(node: ast.expr) -> str:
    return ", ".join(ast.unparse(each) for each in node.elts) if isinstance(node, ast.Tuple) else ast.unparse(node)


def rewrapped(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of a module, long statements broken; what is no statement that ends in an expression stays as it is.

    >>> list(rewrapped(["short = 1"]))
    ['short = 1']
    """
    for line in lines:
        yield from [line] if len(line) <= WIDTH else _broken(line)


def _broken(line: str) -> list[str]:
    text = line.lstrip()
    indent, tail = line[: len(line) - len(text)], ":" if text.startswith("if ") and text.endswith(":") else ""
    try:
        [statement] = ast.parse(f"{text} pass" if tail else text).body
    except (SyntaxError, ValueError):
        return [line]
    value = _value(statement)
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.annotation, ast.Subscript) and _is_empty(value):
        kind, inner = ast.unparse(statement.annotation.value), ast.unparse(statement.annotation.slice).strip("()")
        assert value is not None
        return [
            f"{indent}{ast.unparse(statement.target)}: {kind}[",
            f"{indent}{STEP}{inner}",
            f"{indent}] = {ast.unparse(value)}",
        ]
    if value is None or len(text) != len(text.encode()):
        return [line]
    begin = value.col_offset
    while text[:begin].rstrip().endswith("(") and not isinstance(value, ast.Tuple | ast.GeneratorExp):
        begin = text[:begin].rstrip().rindex("(")
    return wrapped(indent, text[:begin], text[begin : len(text) - len(tail)], tail)


def _is_empty(value: ast.expr | None) -> bool:
    match value:
        case ast.Dict():
            return not value.keys
        case ast.Call():
            return not (value.args or value.keywords)
    return isinstance(value, ast.Tuple) and not value.elts


def _value(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.If(test=value):
            return value
        case ast.Return(value=value) | ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Raise(exc=value):
            return value
    return None
