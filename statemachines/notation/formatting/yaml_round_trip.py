"""ruamel.yaml, set up so that it writes each word as it stands and breaks no text in two."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.error import YAMLError
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import FoldedScalarString

__all__ = ["CommentedMap", "CommentedSeq", "YAMLError", "dump", "folded", "load"]

BREAK_AFTER = 86
"""The column after which the next item of a list in brackets begins a new line."""
MOST_COLUMNS = 1 << 20
_EMPTY = [("tag:yaml.org,2002:null", re.compile("^$"))]


class _WordsAsWritten(VersionedResolver):
    """Takes every plain word for text, so that `True`, `1_000` and `~` are written as they are."""

    @property
    def versioned_resolver(self) -> Any:
        return {"": _EMPTY}


class _WholeTexts(RoundTripEmitter):
    """Writes each text on one line, however long: lines are broken between items only."""

    def write_single_quoted(self, text: Any, split: Any = True) -> None:
        super().write_single_quoted(text, split=False)

    def write_double_quoted(self, text: Any, split: Any = True) -> None:
        super().write_double_quoted(text, split=False)

    def write_plain(self, text: Any, split: Any = True) -> None:
        super().write_plain(text, split=False)

    def write_folded(self, text: Any, comment: Any) -> None:
        """Break the text where it says so, and nowhere else."""
        width, self.best_width = self.best_width, MOST_COLUMNS
        super().write_folded(text, comment)
        self.best_width = width


def load(text: str) -> Any:
    """Read a document with its comments.

    Raises:
        YAMLError: the library cannot read it.
    """
    return _round_trip().load(text)


def dump(document: Any) -> str:
    """Write a document.

    Raises:
        YAMLError: the library cannot write it.
    """
    written = StringIO()
    _round_trip().dump(document, written)
    return written.getvalue()


def folded(lines: list[str]) -> str:
    """Return a text of one line that is written on several."""
    text: Any = FoldedScalarString(" ".join(lines))
    ends = [sum(map(len, lines[: place + 1])) + place for place in range(len(lines) - 1)]
    text.fold_pos = ends
    return cast(str, text)


def _round_trip() -> YAML:
    yaml = YAML()
    yaml.Resolver = _WordsAsWritten
    yaml.Emitter = _WholeTexts
    yaml.preserve_quotes = True
    yaml.width = BREAK_AFTER
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml
