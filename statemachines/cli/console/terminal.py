"""Where words go: results to stdout, everything else to stderr; colours where a person looks."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, TextIO

import click

from statemachines.cli.outcomes.command_errors import CommandError, SpecCommandError
from statemachines.report.sections.plain_texts import printable_line, printable_text

if TYPE_CHECKING:
    from statemachines.report.text.text_columns import OutputStyle, Paint

STYLES: dict[str, dict[str, Any]] = {
    "good": {"fg": "green", "bold": True},
    "bad": {"fg": "red", "bold": True},
    "doubt": {"fg": "yellow", "bold": True},
    "head": {"bold": True},
    "dim": {"dim": True},
    "plain": {},
}
_NO_LIMIT = 10**9
_WIDTH_ELSEWHERE = 120
"""Columns where nobody looks: outputs in files are the same everywhere."""


def prepare_streams() -> None:
    """Write UTF-8 whatever the locale says; what cannot be written becomes `?`."""
    _reopen_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def _reopen_closed_streams() -> None:
    """Open what the caller closed, or the next file that is opened would be taken for it and
    written into.

    Standard input stays closed for Python; writing to standard output fails, and is told; what
    stderr says is for nobody.
    """
    while (handle := os.open(os.devnull, os.O_RDONLY)) <= 2:
        if handle == 2:
            os.dup2(write := os.open(os.devnull, os.O_WRONLY), 2)
            os.close(write)
    os.close(handle)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)


def _is_coloured(stream: IO[str]) -> bool:
    """Tell whether colours go to a stream: only to a terminal, and never with NO_COLOR or
    TERM=dumb.
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _terminal_width(stream: IO[str]) -> int:
    """Return the columns of a terminal, at least 60; `_WIDTH_ELSEWHERE` elsewhere; `COLUMNS`
    overrides both.
    """
    if stream.isatty() or os.environ.get("COLUMNS"):
        return max(60, shutil.get_terminal_size((_WIDTH_ELSEWHERE, 40)).columns)
    return _WIDTH_ELSEWHERE


def output_style(*, whole: bool = False, stream: IO[str] | None = None) -> OutputStyle:
    """Return how to show something on a stream (None: stdout).

    Args:
        whole: cut no line where nobody looks.
        stream: where it will be written.

    Returns:
        Width, colours and whether lines are cut.
    """
    from statemachines.report.text.text_columns import OutputStyle

    stream = stream or sys.stdout
    columns = _NO_LIMIT if whole and not stream.isatty() else _terminal_width(stream)
    return OutputStyle(columns, _paint(stream))


def report_style(stream: IO[str], *, everything: bool = False) -> OutputStyle:
    """Return how to show a report: lines are cut for a terminal and for `COLUMNS`, and are whole in
    a pipe or a file, where the next program needs them. Only a terminal gets the first sentence
    in several lines.

    Args:
        stream: where it will be written.
        everything: shorten no list and no line.

    Returns:
        Width, colours and what is shortened.
    """
    from attrs import evolve

    style = output_style(whole=everything or not os.environ.get("COLUMNS"), stream=stream)
    if everything:
        return evolve(style, width=_NO_LIMIT, limit=_NO_LIMIT)
    return evolve(style, wraps=stream.isatty())


def _paint(stream: IO[str]) -> Paint:
    from statemachines.report.text.text_columns import unpainted

    return _styled_text if _is_coloured(stream) else unpainted


def _styled_text(text: str, style: str) -> str:
    """Give a text the colours of a style."""
    return click.style(text, **STYLES[style]) if STYLES[style] else text


def standard_input() -> TextIO:
    """Return standard input.

    Raises:
        CommandError: it is closed.
    """
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    return sys.stdin


def print_lines(lines: Iterable[str]) -> None:
    """Write results to stdout, as long as somebody reads them; nothing in them but our own colours
    is obeyed by a terminal.

    Args:
        lines: without line feeds.
    """
    with until_output_closes():
        for line in lines:
            sys.stdout.write(_terminal_line(line) + "\n")


def _terminal_line(text: str) -> str:
    shown = printable_line if _is_coloured(sys.stdout) else printable_text
    return text if text.isprintable() else "\n".join(map(shown, text.split("\n")))


@contextlib.contextmanager
def until_output_closes() -> Iterator[None]:
    """Write to stdout until its reader, such as `head`, has seen enough: no error, and the exit
    code stays what was found.

    Raises:
        CommandError: it cannot be written: it is closed, or its disk is full.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as problem:
        if problem.filename is not None:
            raise
        discard_output()
        why = (
            "is closed"
            if problem.errno == errno.EBADF
            else f"cannot be written: {problem.strerror}"
        )
        raise CommandError(f"standard output {why}") from None


def discard_output() -> None:
    """Send what cannot be written to standard output somewhere, or Python complains when it flushes
    at exit.
    """
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_note(text: str) -> None:
    """Write a message to stderr, without what a terminal would obey; where nobody can read it, it
    is lost.

    Args:
        text: one message, perhaps of several lines.
    """
    _write_stderr(f"statemachines: {text}\n")


def print_message(text: str) -> None:
    """Write a line to stderr as it is, without what a terminal would obey.

    Args:
        text: one line.
    """
    _write_stderr(f"{text}\n")


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Write what the package warns of as messages; other warnings stay what they are."""
    from statemachines.api.log_check import StateWarning

    before = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        if issubclass(category, StateWarning):
            print_note(str(message))
        else:
            before(message, category, *rest)

    with warnings.catch_warnings():
        warnings.simplefilter("always", StateWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # its overloads
        yield


def _write_stderr(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write("\n".join(map(printable_text, text.split("\n"))))


def print_error(problem: click.ClickException) -> None:
    """Say on stderr what is wrong with the command line, and where help is.

    Args:
        problem: as click has it.
    """
    if isinstance(problem, SpecCommandError):
        _write_stderr(problem.format_message() + "\n")
        return
    print_note(problem.format_message())
    context = getattr(problem, "ctx", None)
    if context is not None and isinstance(problem, click.UsageError):
        _write_stderr(
            f"  {context.get_usage().removeprefix('Usage: ')}\n  {context.command_path} --help says"
            " more\n"
        )
