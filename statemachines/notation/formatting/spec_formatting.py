"""A spec's text as every spec is written: top keys in one order, an entry on one line where it
fits, else one line a key, and long texts folded. Comments stay.

What is read from the text stays the same, or it is not formatted: that is looked at each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.extras import install_command
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    is_null,
)
from statemachines.notation.document.yaml_reader import read_yaml
from statemachines.notation.formatting.text_folding import fold_expression, fold_prose

WIDTH = 100
"""Columns that a line has where it can be kept to them."""
HARD_WIDTH = 120
"""Columns that a text which people look for may have before it is folded as well."""
TOP_KEYS = (
    *("notation", "machine", "system", "library", "extends", "family", "in", "eras"),
    *("source", "doc", "use", "releases", "aliases", "suffixes"),
    *("types", "errors", "parameters", "where", "variables", "initially", "states", "predicates"),
    *("parts", "same", "channels", "define", "cases"),
    *("events", "transitions", "otherwise", "links"),
    *("always", "each step", "sometimes", "leads to"),
    *("always eventually", "eventually always", "until", "refines"),
    *("no deadlock", "final", "texts", "scope"),
    "log",
)
"""The order of a file's keys; others keep theirs, before `log`."""
_WHOLE_TEXTS = frozenset(
    {"text", "samples", "line", "prefix", "patterns", "each", "rest", "thread"}
)
"""Keys below which a text stays on its line as long as that is not too long: people look for it as
it stands in a log.
"""
_PROSE = _WHOLE_TEXTS | {"doc", "source", "title", "was", "mark"}
"""Keys whose texts are no expressions, which are folded where they can be read apart."""
_SHORT_WORD = 40
"""Letters of what is still a word of a list that is filled up like prose."""
MOST_ROUNDS = 4


class CannotFormat(ValueError):
    """A text is not formatted; the message says why."""


def format_spec(text: str, file: str) -> str:
    """Return a spec's text in the form of all specs.

    Args:
        text: the file.
        file: its name in messages.

    Returns:
        The text; formatting it again gives the same.

    Raises:
        SpecError: it is no YAML that a spec may be.
        CannotFormat: the library that keeps comments is missing, or would lose something.

    >>> print(format_spec("machine: Door   # of a shed\\nnotation:   1\\n", "Door.yaml"), end="")
    notation: 1
    machine: Door   # of a shed
    """
    before = _read_mapping(text, file)
    formatted = _laid_out(_in_key_order(text, before), file)
    for _ in range(MOST_ROUNDS):
        again = _laid_out(formatted, file)
        if again == formatted:
            _refuse_losses(text, formatted, file)
            return formatted
        formatted = again
    raise CannotFormat(f"{file}: its form does not settle; it is left as it is")


def _read_mapping(text: str, file: str) -> YamlMapping:
    root, diagnostics = read_yaml(text.encode(), file)
    if root is None or diagnostics:
        raise SpecError(tuple(diagnostics))
    if not isinstance(root, YamlMapping):
        raise CannotFormat(f"{file}: a spec is a mapping")
    return root


def _refuse_losses(text: str, formatted: str, file: str) -> None:
    """See that the formatted text says the same, with the same comments."""
    before, after = (_read_mapping(content, file) for content in (text, formatted))
    if _entries(before) != _entries(after) or sorted(_comments(text)) != sorted(
        _comments(formatted)
    ):
        raise CannotFormat(f"{file}: formatting would change it; it is left as it is")


def _entries(root: YamlMapping) -> dict[str, object]:
    return {name.text: _meaning(value) for name, value in root.entries}


def _meaning(node: YamlNode) -> object:
    """Return what a node says, without where and how it is written; quotes count where they make a
    text of a word.
    """
    match node:
        case YamlScalar() if is_null(node):
            return None
        case YamlScalar():
            return node.text, node.quoted and " " not in node.text
        case YamlSequence():
            return [_meaning(item) for item in node]
        case YamlMapping():
            return [(name.text, _meaning(value)) for name, value in node.entries]


def _comments(text: str) -> Iterator[str]:
    """Yield what may be a comment; a sign in a text that stays on its line counts alike before and
    after.
    """
    for line in text.splitlines():
        if match := re.search(r"(?:^|\s)(#.*)$", line):
            yield match[1].rstrip()


def _in_key_order(text: str, root: YamlMapping) -> str:
    """Return the text with its top keys in their order, each with the comments right above it."""
    lines = text.splitlines(keepends=True)
    lines[-1] = lines[-1].rstrip("\n") + "\n"
    starts = [name.span.line - 1 for name, _ in root.entries]
    if not starts or any(name.span.column != 1 for name, _ in root.entries):
        return "".join(lines)
    firsts = [starts[0], *(_first_comment_line(lines, start) for start in starts[1:])]
    chunks = [
        (_rank(name.text), "".join(lines[first:end]))
        for (name, _), first, end in zip(
            root.entries, firsts, [*firsts[1:], len(lines)], strict=True
        )
    ]
    ordered = sorted(chunks, key=lambda chunk: chunk[0])
    return "".join([*lines[: starts[0]], *(chunk for _, chunk in ordered)])


def _rank(key: str) -> int:
    last = len(TOP_KEYS) - 1
    return 2 * (TOP_KEYS.index(key) if key in TOP_KEYS else last) - (key not in TOP_KEYS)


def _first_comment_line(lines: list[str], start: int) -> int:
    """Return where the comments right above a line begin."""
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return start


def _laid_out(text: str, file: str) -> str:
    """Return the text as the library writes it, with what is too long broken up."""
    try:
        from statemachines.notation.formatting import yaml_round_trip
    except ImportError:
        raise CannotFormat(f"formatting needs ruamel.yaml: {install_command('cli')}") from None
    try:
        document = yaml_round_trip.load(text)
        _Layout(yaml_round_trip).break_up(document, column=0, indent=0)
        return yaml_round_trip.dump(document)
    except yaml_round_trip.YAMLError as problem:
        message = str(problem).splitlines()[0]
        raise CannotFormat(f"{file}: it cannot be formatted: {message}") from None


class _Layout:
    """Breaks up what does not fit on a line."""

    def __init__(self, library: Any) -> None:
        self.mapping, self.sequence = library.CommentedMap, library.CommentedSeq
        self.folded, self.folded_in_quotes = library.folded, library.folded_in_quotes

    def break_up(self, node: Any, *, column: int, indent: int, whole: bool = False) -> None:
        """Set what stands below a node in block style or folded where it is too long.

        Args:
            node: as the library read it; changed.
            column: where its text begins, if it is one line.
            indent: of what stands below it.
            whole: whether texts stay on their line.
        """
        if not isinstance(node, self.mapping | self.sequence):
            return
        if node.fa.flow_style():
            if column + _width(node) <= WIDTH or not _is_breakable(node):
                return
            node.fa.set_block_style()
        items = node.items() if isinstance(node, self.mapping) else enumerate(node)
        for key, value in list(items):
            self._break_up_item(node, key, value, indent, whole)

    def _break_up_item(self, node: Any, key: Any, value: Any, indent: int, whole: bool) -> None:
        in_mapping = isinstance(node, self.mapping)
        start = indent + len(str(key)) + 2 if in_mapping else indent + 4
        whole = whole or (in_mapping and key in _WHOLE_TEXTS)
        below = indent + 2 if in_mapping else indent + 4
        if not isinstance(value, str):
            self.break_up(value, column=start, indent=below, whole=whole)
        elif start + _width(value) > (HARD_WIDTH if whole else WIDTH):
            is_prose = whole or not in_mapping or key in _PROSE
            node[key] = self._folded(value, below, is_prose=is_prose)

    def _folded(self, text: str, indent: int, *, is_prose: bool) -> str:
        """Return a text folded at the width; one that has line ends or no blank as it is."""
        if "\n" in text or " " not in text.strip():
            return text
        fold = fold_prose if is_prose else fold_expression
        # Only quotes keep blanks at an end.
        write = self.folded if text == text.strip() else self.folded_in_quotes
        folded: str = write(fold(text, WIDTH - indent))
        return folded


def _is_breakable(node: Any) -> bool:
    """Tell whether a collection in brackets is better written one line an item: a list of words
    is not.
    """
    if hasattr(node, "items"):
        return True
    return not all(isinstance(item, str) and len(item) <= _SHORT_WORD for item in node)


def _width(node: Any) -> int:
    """Return how many characters a node has on one line, comments aside."""
    if hasattr(node, "items"):
        parts = [_width(key) + 2 + _width(value) for key, value in node.items()]
        return 2 + sum(parts) + 2 * max(len(parts) - 1, 0)
    if isinstance(node, list):
        return 2 + sum(map(_width, node)) + 2 * max(len(node) - 1, 0)
    if node is None:
        return 0
    style = getattr(node, "style", None)
    marks = {"'": "'", '"': '"\\'}.get(style or "", "")
    text = str(node)
    return len(text) + sum(map(text.count, marks)) + 2 * bool(marks)
