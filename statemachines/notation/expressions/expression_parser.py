"""A text to Python's syntax tree, with the places of the spec: nothing is judged here but whether
it can be read at all.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

from attrs import field, frozen

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.document.yaml_nodes import MOST_DIGITS
from statemachines.notation.expressions.other_languages import FOREIGN_OPERATORS, syntax_hint

MOST_CHARACTERS = 5_000
DEEPEST = 60
_WRAPPING_LEVELS = 3
"""Levels of a tree that its text does not show: its root, a leaf, and how the leaf is used."""
_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_LONG_NUMBER = re.compile(rf"[0-9]{{{MOST_DIGITS + 1},}}")


@frozen
class SourceText:
    """An expression or a type as it stands in a spec."""

    text: str
    span: Span = field(eq=False)
    """Of the whole scalar, quotes included."""
    quoted: bool = False
    raw: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """The lines of the file, from the scalar's first character on, where they are not the text
    itself.
    """
    offset: int = field(default=0, eq=False)
    """Where the text begins in the text of the whole scalar."""

    def span_at(self, start: int, length: int = 1) -> Span:
        """Return the place of some characters of the text.

        Args:
            start: 0-based place in the text.
            length: in characters.

        Returns:
            File, line and column.
        """
        if self.raw:
            return self._aligned_span(self.offset + min(start, max(len(self.text) - 1, 0)), length)
        if self.span.length != len(self.text) + 2 * self.quoted:
            return self.span
        column = self.span.column + self.quoted + min(start, max(len(self.text) - 1, 0))
        return Span(self.span.file, self.span.line, column, max(length, 1))

    def _aligned_span(self, start: int, length: int) -> Span:
        """Find the characters in a scalar with escapes or several lines; a place ends with its
        line.
        """
        positions = _character_positions(self.raw)
        if start >= len(positions):
            return self.span
        line, column = positions[start]
        columns = [at for on, at in positions[start : start + length] if on == line]
        first_column = self.span.column if line == 0 else 1
        length = max(columns, default=column) - column + 1
        return Span(self.span.file, self.span.line + line, first_column + column, length)

    def part(self, start: int, end: int) -> SourceText:
        """Cut a part out, blanks taken off.

        Args:
            start: 0-based place in the text.
            end: place behind the part.

        Returns:
            The part, with its own place in the file.
        """
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        if self.raw:
            return SourceText(text, self.span, False, self.raw, self.offset + start)
        return SourceText(text, self.span_at(start, len(text)))

    def node_span(self, node: ast.AST) -> Span:
        """Return the place of a node.

        Args:
            node: of the syntax tree of this text.

        Returns:
            File, line and column.
        """
        start, end = self.node_offsets(node)
        return self.span_at(start, end - start)

    def node_text(self, node: ast.AST) -> str:
        """Return the text of a node.

        Args:
            node: of the syntax tree of this text.

        Returns:
            The text as it was written.
        """
        start, end = self.node_offsets(node)
        return self.text[start:end]

    def node_offsets(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node begins and ends in the text, in characters.

        Args:
            node: of the syntax tree of this text.

        Returns:
            0-based places, the second one behind the node.
        """
        lead = len(self.text) - len(self.text.lstrip())
        data = self.text[lead:].encode()
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
        first = len(data[:start].decode(errors="replace"))
        last = len(data[: end if end is not None else start + 1].decode(errors="replace"))
        return lead + first, lead + last


@lru_cache(maxsize=16)
def _character_positions(raw: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where the characters of a scalar's text stand: line from 0, column from 0 within that
    line; once for all nodes of its expression, which are read one after the other.

    Args:
        raw: the scalar's lines, from its first character on.

    >>> _character_positions(("'a''b'",))[:3]
    [(0, 1), (0, 2), (0, 4)]
    >>> _character_positions((">-", "  a", "  b"))
    [(1, 2), (1, 3), (2, 2)]
    """
    first, positions = raw[0][:1], list[tuple[int, int]]()
    written = [
        (number, line)
        for number, line in enumerate(raw)
        if line.strip() and not (number == 0 and first in ("|", ">"))
    ]
    indent = (
        len(written[0][1]) - len(written[0][1].lstrip())
        if written and first in ("|", ">")
        else None
    )
    before = None
    for number, line in written:
        if before is not None:
            breaks = number - before
            positions += [(before, len(raw[before].rstrip()))] * (
                breaks if first == "|" else max(1, breaks - 1)
            )
        before = number
        start = len(line) - len(line.lstrip()) if indent is None else indent
        positions += _line_positions(
            line.rstrip(), number, start if number else int(first in ("'", '"')), first
        )
    return positions


def _line_positions(line: str, number: int, column: int, quote: str) -> list[tuple[int, int]]:
    """Return where the characters of one line's text stand: what is escaped takes two."""
    positions = list[tuple[int, int]]()
    while column < len(line):
        positions.append((number, column))
        doubled = quote == "'" and line[column : column + 2] == "''"
        column += 2 if doubled or (quote == '"' and line[column] == "\\") else 1
    return positions


def parse_expression(written: SourceText) -> ast.expr | Diagnostic:
    """Read a text as a Python expression.

    Args:
        written: the text with its place.

    Returns:
        The syntax tree, or what is wrong with the text.
    """
    text = re.sub(r"[\t\r\n]", " ", written.text)
    refused = _preliminary_error(written, text)
    if refused is not None:
        return refused
    text = _with_as_operator(text)
    try:
        tree = _syntax_tree(text.lstrip())
    except SyntaxError as error:
        return _syntax_error(written, text, error)
    except (ValueError, MemoryError, RecursionError):
        return _too_large_error("this expression is too large to be read", written)
    if tree is None:
        return _too_large_error(f"this expression is nested deeper than {DEEPEST}", written)
    return tree


@lru_cache(maxsize=4096)
def _syntax_tree(text: str) -> ast.expr | None:
    """Read a text as Python, once: a spec is read in each of its releases, and nobody changes a
    tree.

    Args:
        text: what Python's parser is to see.

    Returns:
        The tree; None where it is nested too deep.

    Raises:
        SyntaxError, ValueError, MemoryError, RecursionError: as `ast.parse`, also for what it only
            warns of.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = ast.parse(text, mode="eval").body
    return None if _is_deep(text, tree) else tree


def _with_as_operator(text: str) -> str:
    """Write the word `with` as an operator that the language has no use for, in as many characters.

    >>> _with_as_operator("tasks[t] with {name: 'with'}")
    "tasks[t]  @   {name: 'with'}"
    """
    words = re.compile(rf"{_STRING.pattern}|\bwith\b")
    return words.sub(lambda match: " @  " if match.group() == "with" else match.group(), text)


def _too_large_error(message: str, written: SourceText) -> Diagnostic:
    return Diagnostic("SM317", message, written.span, "name parts of it with `let` or `define`")


def _preliminary_error(written: SourceText, text: str) -> Diagnostic | None:
    """Say what is wrong before Python's parser sees the text."""
    if not text.strip():
        return Diagnostic(
            "SM301",
            "an expression is missing here",
            written.span,
            "the empty text is `\"''\"`" if written.quoted else "",
        )
    if len(text) > MOST_CHARACTERS:
        return _too_large_error(
            f"this expression has {len(text):,} characters; the most is {MOST_CHARACTERS:,}",
            written,
        )
    hidden = _STRING.sub(lambda match: "_" * len(match.group()), text)
    if long := _LONG_NUMBER.search(hidden):
        return Diagnostic(
            "SM317",
            f"a number of {len(long.group()):,} digits; the most is {MOST_DIGITS:,}",
            written.span_at(long.start()),
        )
    if "#" in hidden:
        return Diagnostic(
            "SM301",
            "a comment inside an expression",
            written.span_at(hidden.index("#")),
            "write it into `doc:`",
        )
    for sign, word in FOREIGN_OPERATORS.items():
        if sign in hidden:
            return Diagnostic(
                "SM301",
                f"`{sign}` is not an operator",
                written.span_at(hidden.index(sign), len(sign)),
                f"write {word}",
            )
    return None


def _syntax_error(written: SourceText, text: str, error: SyntaxError) -> Diagnostic:
    """Say where Python's parser stopped."""
    message = (error.msg or "invalid syntax").split(". Maybe")[0].split(". Perhaps")[0]
    if not error.offset:
        span = written.span_at(max(len(text.rstrip()) - 1, 0))
        hint = "" if written.quoted else "put quotes around it: YAML takes ` #` for a comment"
        return Diagnostic("SM301", "this expression ends too early", span, hint)
    start = len(text) - len(text.lstrip()) + error.offset - 1
    length = (
        (error.end_offset or 0) - error.offset if error.end_lineno in (None, error.lineno) else 1
    )
    return Diagnostic(
        "SM301",
        f"this is not an expression: {message}",
        written.span_at(start, length),
        _syntax_hint(text, start, message),
    )


def _syntax_hint(text: str, start: int, message: str) -> str:
    """Guess what was meant."""
    if any(map(_can_be_read, _with_each_comparison(text))):
        return "`==` compares"
    if "was never closed" in message or "unmatched" in message or "does not match" in message:
        return "each bracket that opens is closed, the last one first"
    if text[start : start + 1] == "!":
        return "write `not`"
    return syntax_hint(text)


def _with_each_comparison(text: str) -> Iterator[str]:
    """Yield the text with one `=` after the other, and with all, being `==`."""
    signs = list(re.finditer(r"(?<![=!<>:])=(?!=)", text))
    for match in signs:
        yield f"{text[: match.start()]}=={text[match.end() :]}"
    if len(signs) > 1:
        yield re.sub(r"(?<![=!<>:])=(?!=)", "==", text)


def _can_be_read(text: str) -> bool:
    try:
        return _syntax_tree(text.lstrip()) is not None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False


def _is_deep(text: str, tree: ast.AST) -> bool:
    """Tell whether a tree is nested too deep to be walked by recursion."""
    if len(text) + _WRAPPING_LEVELS <= DEEPEST:  # a level takes a character at least
        return False
    level = [tree]
    for _ in range(DEEPEST):
        level = child_nodes(level)
        if not level:
            return False
    return True


def child_nodes(level: list[ast.AST]) -> list[ast.AST]:
    """Return what stands directly in some nodes of a syntax tree, in its order.

    Args:
        level: the nodes.

    Returns:
        What `ast.iter_child_nodes` gives of each, in one call for all.
    """
    below = list[ast.AST]()
    for node in level:
        for name in node._fields:
            value = getattr(node, name, None)
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, ast.AST):
                    below.append(part)
    return below


def walk_tree(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a syntax tree, level by level.

    Args:
        tree: its root.

    Returns:
        What `ast.walk` yields, in the same order.
    """
    nodes, level = list[ast.AST](), [tree]
    while level:
        nodes += level
        level = child_nodes(level)
    return nodes
