"""Diagnostics as a good compiler shows them: place, code, message, the line with a caret, what
would be right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from statemachines.model.counts import count_text
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity

MOST_SHOWN = 100
"""Diagnostics that are shown at once; more are counted."""
_WIDEST = 120
"""Columns of a quoted line; of a longer one a window around the place is shown."""
_LONGEST = 300
"""Characters of a message, which may quote what a file holds."""


def render_diagnostic(diagnostic: Diagnostic, source_text: str | None = None) -> str:
    """Write one diagnostic, without a final line feed.

    Args:
        diagnostic: what is wrong.
        source_text: the whole file; None where it is not at hand, then only the first line is
            written.

    Returns:
        One line, and with the file's text the line that is meant and a mark below it.
    """
    span = diagnostic.span
    warning = "warning: " if diagnostic.severity is Severity.WARNING else ""
    head = (
        f"{_printable(span.file)}:{span.line}:{span.column}  {diagnostic.code} "
        f" {warning}{_printable(diagnostic.message)}"
    )
    lines = _source_lines(source_text) if source_text else ()
    if not 0 < span.line <= len(lines) or not lines[span.line - 1].strip():
        return head + (f"\n    {_printable(diagnostic.hint)}" if diagnostic.hint else "")
    line, column = _window(lines[span.line - 1].rstrip("\r").removeprefix("\ufeff"), span.column)
    length = max(1, min(span.length, len(line) - column + 1))
    quoted, before = _displayable(line), _displayable(line[: column - 1])
    number = f"{span.line:5}"
    carets = "^" * max(1, _terminal_width(_displayable(line[column - 1 : column - 1 + length])))
    pointer = (
        f"{' ' * len(number)} | {' ' * _terminal_width(before)}{carets}"
        f" {_printable(diagnostic.hint)}"
    )
    return f"{head}\n{number} | {quoted}\n{pointer.rstrip()}"


@lru_cache(maxsize=8)
def _source_lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def omitted_message(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Say how many diagnostics are not shown because there are too many; nothing where all are.

    Args:
        diagnostics: all of a file.

    Returns:
        One line, or nothing.
    """
    over = len(diagnostics) - MOST_SHOWN
    return (f"… and {over:,} more, which are not shown: mend these first",) if over > 0 else ()


def summary(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Count errors and warnings and name the codes that can be explained.

    Args:
        diagnostics: of all files.

    Returns:
        One sentence.
    """
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    counts = [
        count_text(number, thing)
        for number, thing in ((errors, "error"), (len(diagnostics) - errors, "warning"))
        if number
    ]
    files = len({diagnostic.span.file for diagnostic in diagnostics})
    codes = ", ".join(
        f"explain {code}" for code in dict.fromkeys(diagnostic.code for diagnostic in diagnostics)
    )
    many = "say" if codes.count(",") else "says"
    return f"{' and '.join(counts)} in {count_text(files, 'file')}; {codes} {many} more"


def _printable(text: str) -> str:
    """Make a text harmless for a terminal, and of bearable length."""
    printable = "".join(
        letter if letter.isprintable() else repr(letter)[1:-1] for letter in text[: _LONGEST + 1]
    )
    return printable[:_LONGEST] + "…" if len(printable) > _LONGEST else printable


def _window(line: str, column: int) -> tuple[str, int]:
    """Return the part of a line around a column, and the column within it (1-based)."""
    if len(line) <= _WIDEST:
        return line, column
    start = max(0, min(column - _WIDEST // 3, len(line) - _WIDEST))
    end = start + _WIDEST
    left = "…" if start else ""
    return left + line[start:end] + ("…" if end < len(line) else ""), column - start + len(left)


def _displayable(line: str) -> str:
    return "".join(
        " " if letter == "\t" else letter if letter.isprintable() else "\ufffd" for letter in line
    )


def _terminal_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(
        (
            0
            if unicodedata.combining(letter)
            else 2
            if unicodedata.east_asian_width(letter) in "WF"
            else 1
        )
        for letter in text
    )
