"""A bar on stderr while something takes long; where nobody looks, a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from statemachines.cli.console.progress_lines import ProgressLines
from statemachines.model.counts import count_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_S = 1.0
"""What is done sooner needs no bar."""


class ReadingBar:
    """Shows how many bytes are read, by `rich`, which is imported when the bar first shows; in a
    file or a pipe by lines.
    """

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._lines = None if quiet else ProgressLines()
        self._clock, self._began = clock, clock()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, whole: int) -> None:
        """Tell how far it is, in bytes.

        Args:
            done: what is read.
            whole: of so many; 0 where a pipe goes on: that is told in lines, for a bar is a thread,
                and a process that has one cannot be copied.
        """
        if self._lines is not None and (self._silent or not whole):
            self._lines(done, whole)
        if (
            self._silent
            or not whole
            or (self._progress is None and self._clock() - self._began < PATIENCE_S)
        ):
            return
        if self._progress is None:
            self._start_bar()
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=whole)

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task("reading", total=None)

    def __enter__(self) -> ReadingBar:
        """Begin to wait."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._lines is not None:
            self._lines.stop()
        if self._progress is not None:
            self._progress.stop()


class StateCounter:
    """Shows on one line how many states were met; the line is taken away at the end."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._silent, self._clock = not sys.stderr.isatty(), clock
        self._due = clock() + PATIENCE_S
        self._shown, self._most = 0, 1

    def __call__(self, states: int, transitions: int) -> None:
        """Tell how far it is; shown a few times a second at most, and not while a search that began
        anew, on arrays, is behind where it was.
        """
        if self._silent or states < self._most or self._clock() < self._due:
            return
        self._due, self._most = self._clock() + 0.2, states
        line = f"{count_text(states, 'state')}, {count_text(transitions, 'transition')}"
        sys.stderr.write(f"\r{line:{self._shown}}")
        sys.stderr.flush()
        self._shown = len(line)

    def __enter__(self) -> StateCounter:
        """Begin to wait."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write(f"\r{'':{self._shown}}\r")
