"""`--exec`: a command that is run when something opens or is over."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from contextlib import suppress

from statemachines.cli.console import terminal
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.durations import format_duration
from statemachines.report.change_lines import change_variables

_MOST_WAITING = 1000
"""Changes that wait for their command; more are said and left out."""
_LONGEST_RUN_MS = 300_000
"""How long one command may take."""
_STDERR = 2
"""Where a command prints: its words must not stand between the changes."""
_LONGEST_WAIT_S = 10.0
"""How long the end of following waits where no command comes to its end."""
_LONGEST_VALUE = 8192
"""Characters of one variable: a system takes only so much."""


class HookedCommand:
    """Runs a command for one change after the other, beside the follower; a context manager that
    waits for those that are under way, as long as one after the other ends.

    What a log says goes into the environment of the command only, never into its text: no line of a
    log can have a shell do anything.
    """

    def __init__(self, command: str | None) -> None:
        self._command = command
        self._waiting: queue.Queue[LogChange | None] = queue.Queue(_MOST_WAITING)
        self._worker = threading.Thread(target=self._run_all, daemon=True)
        self._ended = 0
        """How many commands came to their end."""

    def __enter__(self) -> HookedCommand:
        if self._command is not None:
            self._worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._command is None:
            return
        while self._worker.is_alive():
            ended = self._ended
            with suppress(queue.Full):
                self._waiting.put_nowait(None)
            self._worker.join(_LONGEST_WAIT_S)
            if self._worker.is_alive() and ended == self._ended:
                terminal.print_note(f"{self._command}: has not ended, and is no longer waited for")
                return

    def take(self, change: LogChange) -> None:
        """Have the command run for a change, if it is one that opens something or ends it; for what
        was over as it was seen first nobody has to come, and it is said that it was not run.
        """
        is_hooked = change.kind in (LogChangeKind.OPENED, LogChangeKind.HEALED)
        if self._command is None or not is_hooked:
            return
        if change.has_passed:
            if change.incident is not None and change.kind is LogChangeKind.OPENED:
                title = change.incident.title
                terminal.print_note(f"{self._command}: not run for {title}: over when first seen")
            return
        try:
            self._waiting.put_nowait(change)
        except queue.Full:
            terminal.print_note(f"{self._command}: {_MOST_WAITING} runs wait; one is left out")

    def _run_all(self) -> None:
        while (change := self._waiting.get()) is not None:
            self._run(change)
            self._ended += 1

    def _run(self, change: LogChange) -> None:
        assert self._command is not None
        variables = {name: text[:_LONGEST_VALUE] for name, text in change_variables(change)}
        try:
            code = _run_alone(self._command, {**os.environ, **variables})
        except OSError as problem:
            terminal.print_note(f"{self._command}: {problem}")
            return
        if code is None:
            took = f"has not ended after {format_duration(_LONGEST_RUN_MS)}, and was killed"
            terminal.print_note(f"{self._command}: {took}")
        elif code:
            terminal.print_note(f"{self._command}: {_ended_text(code)}")


def _run_alone(command: str, variables: dict[str, str]) -> int | None:
    """Run a command in a session of its own: Ctrl-C and the end of a terminal, which end following,
    do not reach it, and what it has started ends with it where it takes too long.

    Args:
        command: for a shell.
        variables: its whole environment.

    Returns:
        Its exit code; None where it was killed since it took too long.
    """
    with subprocess.Popen(
        command,
        shell=True,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=_STDERR,
        start_new_session=True,
    ) as run:
        try:
            return run.wait(_LONGEST_RUN_MS / 1000)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return None


def _ended_text(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
