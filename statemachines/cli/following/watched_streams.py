"""What `check --follow` looks at while it waits: the log that comes through a pipe, the terminal on
which a person may press Enter, and whether anybody still reads what is printed.
"""

from __future__ import annotations

import os
import select
import stat
import sys
from contextlib import suppress

from attrs import define

from statemachines.cli.arguments.check_request import JSON_LINES, CheckRequest

_KEYS_BYTES = 4096
"""Bytes of what was typed that are taken at once."""


@define(eq=False)
class WatchedTerminal:
    """A terminal on which Enter asks for a summary.

    Limits: what is typed for another program is left to it. Nothing is read while this process is
    in the background (reading would stop it) or, where the terminal is not its standard input,
    while what is typed is not shown, as when another program of the pipe asks for a password.
    """

    handle: int
    is_input: bool
    """Whether it is standard input."""

    def is_ours(self) -> bool:
        """Tell whether what is typed now is typed for this process."""
        try:
            if os.tcgetpgrp(self.handle) != os.getpgrp():
                return False
        except OSError:  # no terminal of this session: nobody else reads there
            return self.is_input and os.isatty(self.handle)
        return self.is_input or _shows_what_is_typed(self.handle)

    def take(self) -> bool:
        """Tell whether a line came; call it when there is something to read."""
        if not self.is_ours():
            return False
        with suppress(OSError):  # it was closed meanwhile
            return bool(os.read(self.handle, _KEYS_BYTES))
        return False

    def close(self) -> None:
        """Let go of it."""
        if not self.is_input:
            os.close(self.handle)


def _shows_what_is_typed(handle: int) -> bool:
    import termios

    try:
        return bool(termios.tcgetattr(handle)[3] & termios.ECHO)
    except termios.error:
        return False


@define(eq=False)
class WatchedStreams:
    """What is waited for, besides files; a context manager that lets go of the terminal."""

    log: int | None
    """Standard input, where it is the log."""
    terminal: WatchedTerminal | None
    output: int | None
    """Standard output, where it is a pipe by which changes are read."""
    has_begun: bool = False
    """Whether anything of the log came: before, another program of the pipe may ask questions."""

    @classmethod
    def of_request(cls, request: CheckRequest) -> WatchedStreams:
        """Return what is to be looked at.

        Args:
            request: what is followed, and where changes go.
        """
        is_log = "-" in request.paths
        log = sys.stdin.fileno() if is_log and sys.stdin is not None else None
        return cls(log, _terminal(is_log=is_log), _read_output(request))

    def __enter__(self) -> WatchedStreams:
        """Begin to look."""
        return self

    def __exit__(self, *_: object) -> None:
        """Look no more."""
        if self.terminal is not None:
            self.terminal.close()

    def wait(self, seconds: float) -> tuple[bool, bool]:
        """Wait until there is something to take.

        Args:
            seconds: how long at most.

        Returns:
            Whether something of the log can be read, and whether Enter was pressed.
        """
        keys = self.terminal if self._may_press() else None
        handles = [] if self.log is None else [self.log]
        came = select.select([*handles, *([] if keys is None else [keys.handle])], [], [], seconds)
        is_log_ready = self.log in came[0]
        self.has_begun |= is_log_ready
        return is_log_ready, keys is not None and keys.handle in came[0] and keys.take()

    def _may_press(self) -> bool:
        return (
            self.terminal is not None
            and (self.log is None or self.has_begun)
            and self.terminal.is_ours()
        )

    def require_reader(self) -> None:
        """See that somebody reads what is printed, also while there is nothing to print.

        Raises:
            BrokenPipeError: nobody does any more.
        """
        if self.output is None:
            return
        watched = select.poll()
        watched.register(self.output, 0)
        if any(state & (select.POLLERR | select.POLLHUP) for _, state in watched.poll(0)):
            raise BrokenPipeError


def _terminal(*, is_log: bool) -> WatchedTerminal | None:
    """Return the terminal of a person who looks at what is printed."""
    if not is_log:
        is_there = sys.stdin is not None and sys.stdin.isatty()
        return WatchedTerminal(sys.stdin.fileno(), is_input=True) if is_there else None
    if not (sys.stdout.isatty() or sys.stderr.isatty()):
        return None
    with suppress(OSError):
        return WatchedTerminal(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY), is_input=False)
    return None


def _read_output(request: CheckRequest) -> int | None:
    """Return standard output where it is a pipe, and something will be written to it."""
    if request.file is not None and request.form not in ("text", JSON_LINES):
        return None
    with suppress(OSError, ValueError):
        handle = sys.stdout.fileno()
        return handle if stat.S_ISFIFO(os.fstat(handle).st_mode) else None
    return None
