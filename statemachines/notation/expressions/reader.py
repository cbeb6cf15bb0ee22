"""A text to Python's syntax tree, with the places of the spec: nothing is judged here but whether it can be read at all."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from attrs import field, frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.places import Span

MOST_CHARACTERS = 5_000
DEEPEST = 60
_OTHER_LANGUAGES = {"&&": "and", "||": "or", "<>": "!="}
_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")


@frozen
class Written:
    """An expression or a type as it stands in a spec."""

    text: str
    span: Span = field(eq=False)
    """Of the whole scalar, quotes included."""
    quoted: bool = False
    raw: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """The lines of the file, from the scalar's first character on, where they are not the text itself."""
    begins: int = field(default=0, eq=False)
    """Where the text begins in the text of the whole scalar."""

    def place(self, start: int, length: int = 1) -> Span:
        """Return the place of some characters of the text."""
        if self.raw:
            return self._aligned(self.begins + min(start, max(len(self.text) - 1, 0)), length)
        if self.span.length != len(self.text) + 2 * self.quoted:
            return self.span
        column = self.span.column + self.quoted + min(start, max(len(self.text) - 1, 0))
        return Span(self.span.file, self.span.line, column, max(length, 1))

    def _aligned(self, start: int, length: int) -> Span:
        """Find the characters in a scalar with escapes or several lines; a place ends with its line."""
        places = aligned(self.raw, start + max(length, 1))
        if start >= len(places):
            return self.span
        line, column = places[start]
        last = max((one for one in places[start : start + length] if one[0] == line), default=(line, column))
        first_column = self.span.column if line == 0 else 1
        return Span(self.span.file, self.span.line + line, first_column + column, last[1] - column + 1)

    def part(self, start: int, end: int) -> Written:
        """Cut a part out, blanks taken off."""
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        if self.raw:
            return Written(text, self.span, False, self.raw, self.begins + start)
        return Written(text, self.place(start, len(text)))

    def of(self, node: ast.AST) -> Span:
        """Return the place of a node."""
        start, end = self.offsets(node)
        return self.place(start, end - start)

    def source(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.offsets(node)
        return self.text[start:end]

    def offsets(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node begins and ends in the text, in characters."""
        lead = len(self.text) - len(self.text.lstrip())
        data = self.text[lead:].encode()
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
        first = len(data[:start].decode(errors="replace"))
        last = len(data[: end if end is not None else start + 1].decode(errors="replace"))
        return lead + first, lead + last


def aligned(raw: tuple[str, ...], wanted: int) -> list[tuple[int, int]]:
    """Return where the first characters of a scalar's text stand: line from 0, column from 0 within that line.

    Args:
        raw: the scalar's lines, from its first character on.
        wanted: how many characters.

    >>> aligned(("'a''b'",), 3)
    [(0, 1), (0, 2), (0, 4)]
    >>> aligned((">-", "  a", "  b"), 3)
    [(1, 2), (1, 3), (2, 2)]
    """
    first, places = raw[0][:1], list[tuple[int, int]]()
    written = [(number, line) for number, line in enumerate(raw) if line.strip() and not (number == 0 and first in ("|", ">"))]
    indent = len(written[0][1]) - len(written[0][1].lstrip()) if written and first in ("|", ">") else None
    before = None
    for number, line in written:
        if before is not None:
            breaks = number - before
            places += [(before, len(raw[before].rstrip()))] * (breaks if first == "|" else max(1, breaks - 1))
        before = number
        start = len(line) - len(line.lstrip()) if indent is None else indent
        places += _aligned_line(line.rstrip(), number, start if number else int(first in ("'", '"')), first)
        if len(places) >= wanted:
            break
    return places[:wanted]


def _aligned_line(line: str, number: int, place: int, quote: str) -> Iterator[tuple[int, int]]:
    """Yield where the characters of one line's text stand: what is escaped takes two."""
    while place < len(line):
        yield number, place
        doubled = quote == "'" and line[place : place + 2] == "''"
        place += 2 if doubled or (quote == '"' and line[place] == "\\") else 1


def parse(written: Written) -> ast.expr | Diagnostic:
    """Read a text as a Python expression.

    Returns:
        The syntax tree, or what is wrong with the text.
    """
    text = re.sub(r"[\t\r\n]", " ", written.text)
    refused = _refused(written, text)
    if refused is not None:
        return refused
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(text.lstrip(), mode="eval").body
    except SyntaxError as error:
        return _syntax(written, text, error)
    except (ValueError, MemoryError, RecursionError):
        return _too_large("this expression is too large to be read", written)
    return _too_large(f"this expression is nested deeper than {DEEPEST}", written) if _is_deep(tree) else tree


def _too_large(message: str, written: Written) -> Diagnostic:
    return Diagnostic("SM317", message, written.span, "name parts of it with `let` or `define`")


def _refused(written: Written, text: str) -> Diagnostic | None:
    """Say what is wrong before Python's parser sees the text."""
    if not text.strip():
        return Diagnostic("SM301", "an expression is missing here", written.span, "the empty text is `\"''\"`" if written.quoted else "")
    if len(text) > MOST_CHARACTERS:
        return _too_large(f"this expression has {len(text):,} characters; the most is {MOST_CHARACTERS:,}", written)
    hidden = _STRING.sub(lambda found: "_" * len(found.group()), text)
    if "#" in hidden:
        return Diagnostic("SM301", "a comment inside an expression", written.place(hidden.index("#")), "write it into `doc:`")
    for sign, word in _OTHER_LANGUAGES.items():
        if sign in hidden:
            return Diagnostic("SM301", f"`{sign}` is no operator", written.place(hidden.index(sign), len(sign)), f"write `{word}`")
    return None


def _syntax(written: Written, text: str, error: SyntaxError) -> Diagnostic:
    """Say where Python's parser stopped."""
    said = (error.msg or "invalid syntax").split(". Maybe")[0].split(". Perhaps")[0]
    if not error.offset:
        place = written.place(max(len(text.rstrip()) - 1, 0))
        hint = "" if written.quoted else "put quotes around it: YAML takes ` #` for a comment"
        return Diagnostic("SM301", "this expression ends too early", place, hint)
    start = len(text) - len(text.lstrip()) + error.offset - 1
    length = (error.end_offset or 0) - error.offset if error.end_lineno in (None, error.lineno) else 1
    return Diagnostic("SM301", f"this is no expression: {said}", written.place(start, length), _hint(text, start))


def _hint(text: str, start: int) -> str:
    """Guess what was meant."""
    if re.search(r"(?<![=!<>:])=(?!=)", text) and "(" not in text:
        return "`==` compares"
    if text[start : start + 1] == "!":
        return "write `not`"
    if text[start:].startswith("implies "):
        return "write `implies(a, b)`"
    return "expressions are Python's: `a and b`, `x in s`, `y if c else z`, `{t for t in s if c}`"


def _is_deep(tree: ast.AST) -> bool:
    """Tell whether a tree is nested too deep to be walked by recursion."""
    level = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
