"""ruamel.yaml, set up so that it writes each word as it stands and breaks no text in two."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import ScalarEvent
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString

__all__ = [
    "CommentedMap",
    "CommentedSeq",
    "YAMLError",
    "dump",
    "folded",
    "folded_in_quotes",
    "load",
]

_LAST_COLUMN = 100
"""Where a list of words in brackets goes on in the next line."""
_MOST_COLUMNS = 1 << 20
_FOLD = "\ue000"
"""Stands in a text in quotes for a blank at which it is broken; no spec has this letter."""
_EMPTY = [("tag:yaml.org,2002:null", re.compile("^$"))]


class _WordsAsWritten(VersionedResolver):
    """Takes every plain word for text, so that `True`, `1_000` and `~` are written as they are."""

    @property
    def versioned_resolver(self) -> Any:
        return {"": _EMPTY}


class _WholeTexts(RoundTripEmitter):
    """Breaks lines between the words of a list in brackets only; texts are broken where they say
    so.
    """

    def write_single_quoted(self, text: Any, split: Any = True) -> None:
        super().write_single_quoted(text, split=False)

    def write_double_quoted(self, text: Any, split: Any = True) -> None:
        super().write_double_quoted(text, split=False)

    def write_plain(self, text: Any, split: Any = True) -> None:
        super().write_plain(text, split=False)

    def expect_flow_sequence_item(self) -> None:
        """Begin a new line before a word that has no room."""
        event = self.event
        is_too_long = (
            isinstance(event, ScalarEvent) and self.column + len(event.value) + 3 > _LAST_COLUMN
        )
        self.best_width = 0 if is_too_long else _MOST_COLUMNS
        super().expect_flow_sequence_item()
        self.best_width = _MOST_COLUMNS


def load(text: str) -> Any:
    """Read a document with its comments.

    Args:
        text: of the file.

    Returns:
        The library's document, which remembers comments and styles.

    Raises:
        YAMLError: the library cannot read it.
    """
    return _round_trip().load(text)


def dump(document: Any) -> str:
    """Write a document.

    Args:
        document: as `load` gives it.

    Returns:
        The text of a file.

    Raises:
        YAMLError: the library cannot write it.
    """
    written = StringIO()
    _round_trip().dump(document, written)
    return "\n".join(map(_broken_at_folds, written.getvalue().split("\n")))


def _broken_at_folds(line: str) -> str:
    """Return a line of the document, broken where its text says so, with what follows indented."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return line.replace(_FOLD, "\n" + indent)


def folded(lines: list[str]) -> str:
    """Return a text of one line that is written on several.

    Args:
        lines: without line feeds.

    Returns:
        A scalar in the folded style.
    """
    text: Any = FoldedScalarString(" ".join(lines))
    ends = [sum(map(len, lines[: index + 1])) + index for index in range(len(lines) - 1)]
    text.fold_pos = ends
    return cast(str, text)


def folded_in_quotes(lines: list[str]) -> str:
    """Return a text of one line that is written on several in quotes, which keep blanks at its
    ends.

    Args:
        lines: without line feeds.

    Returns:
        A scalar in double quotes.
    """
    return cast(str, DoubleQuotedScalarString(_FOLD.join(lines)))


def quoted(text: str) -> str:
    """Return a text that is written in quotes.

    Args:
        text: of the scalar.

    Returns:
        A scalar in double quotes.
    """
    return cast(str, DoubleQuotedScalarString(text))


def _round_trip() -> YAML:
    yaml = YAML()
    yaml.Resolver = _WordsAsWritten
    yaml.Emitter = _WholeTexts
    yaml.preserve_quotes = True
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.width = _MOST_COLUMNS
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml
