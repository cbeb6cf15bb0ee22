"""What is wrong with specs, as text for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from statemachines.model.diagnostics import Diagnostic


def shown(diagnostics: Sequence[Diagnostic]) -> str:
    """Return diagnostics with their lines, a caret under the offender, and what would be right; the first hundred, and how many more."""
    from statemachines.notation.rendering import MOST_SHOWN, render, unshown

    first = diagnostics[:MOST_SHOWN]
    texts = {file: _source(file) for file in {diagnostic.span.file for diagnostic in first}}
    return "\n".join([*(render(diagnostic, texts[diagnostic.span.file]) for diagnostic in first), *unshown(diagnostics)])


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return how many there are, and which codes can be explained."""
    from statemachines.notation.rendering import summary as counted

    return counted(tuple(diagnostics))


def _source(file: str) -> str | None:
    """Read the file that a place names: a path, or a name below the shipped specs."""
    from statemachines.notation import specs_folder

    for path in (Path(file), specs_folder() / file):
        try:
            return path.read_text("utf-8", errors="replace")
        except OSError:
            continue
    return None
