"""What is wrong with specs, as text for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from statemachines.model.diagnosis.diagnostics import Diagnostic


def diagnostics_text(diagnostics: Sequence[Diagnostic]) -> str:
    """Return diagnostics with their lines, a caret under the offender, and what would be right; the
    first hundred, and how many more.

    Args:
        diagnostics: of one or several files.

    Returns:
        Several lines.
    """
    from statemachines.notation.document.diagnostic_rendering import (
        MOST_SHOWN,
        omitted_message,
        render_diagnostic,
    )

    first = diagnostics[:MOST_SHOWN]
    texts = {file: _source_text(file) for file in {diagnostic.span.file for diagnostic in first}}
    return "\n".join(
        [
            *(render_diagnostic(diagnostic, texts[diagnostic.span.file]) for diagnostic in first),
            *omitted_message(diagnostics),
        ]
    )


def diagnostics_summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return how many there are, and which codes can be explained.

    Args:
        diagnostics: of all files.

    Returns:
        One sentence.
    """
    from statemachines.notation.document.diagnostic_rendering import summary as counted

    return counted(tuple(diagnostics))


def _source_text(file: str) -> str | None:
    """Read the file that a place names: a path, or a name below the shipped specs."""
    from statemachines.notation import specs_folder

    for path in (Path(file), specs_folder() / file):
        try:
            # a pipe has been read, and has nothing more
            return path.read_text("utf-8", errors="replace") if path.is_file() else ""
        except OSError:
            continue
    return None
