"""The loop of `check --follow`: lines in, changes out, a summary when asked, the report at the
end.
"""

from __future__ import annotations

import os
import shlex
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field

from statemachines.cli.arguments.check_request import CheckRequest
from statemachines.cli.console import terminal
from statemachines.cli.following.change_output import write_change, write_summary
from statemachines.cli.following.hooked_commands import HookedCommand
from statemachines.cli.following.watched_streams import WatchedStreams
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.termination import handled
from statemachines.model.end_signals import END_SIGNALS, HANGUP, is_ignored
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.reports import Report
from statemachines.report.baseline import KnownFindings

if TYPE_CHECKING:
    from statemachines.api.log_following import Follower

_POLL_S = 0.2
"""How often files are looked at, where looking takes less."""
_KEEP_S = 60.0
"""How often the state folder is written where nothing was said (s)."""
_KEEP_SHARE = 10
"""Where something was said, it is written at once, but for at most one part in so many of the time.
"""
_READ_BYTES = 1 << 20
"""Bytes that are taken from standard input at once."""
_MOST_TAKEN = 32 << 20
"""Bytes of standard input that are held before they are read and judged; who writes more waits."""


@define
class SignalRequests:
    """What signals have asked for."""

    stop: bool = False
    summary: bool = False

    def ask_stop(self, number: int, *_: object) -> None:
        """End with the report; whoever asks again is not kept waiting."""
        if self.stop and number != HANGUP:
            raise KeyboardInterrupt
        self.stop = True

    def ask_summary(self, *_: object) -> None:
        """Write a summary."""
        self.summary = True


def follow_logs(request: CheckRequest, known: KnownFindings | None) -> Report:
    """Follow logs until Ctrl-C, a termination, the end of standard input or of the terminal; return
    the report.

    Args:
        request: what to follow, and how.
        known: findings and incidents that are not said.
    """
    from statemachines.api.log_following import follow

    _refuse_pipes(request)
    _note_missing(request)

    signal_requests = SignalRequests()
    with (
        reported_errors(),
        terminal.warnings_as_notes(),
        _summary_signal(signal_requests),  # first: by itself it kills who is still loading specs
        follow(request.paths, options=request.check_options()) as follower,
        HookedCommand(request.command) as command,
        _end_signals(signal_requests),
        WatchedStreams.of_request(request) as streams,
    ):

        def write(changes: list[LogChange]) -> None:
            for change in changes:
                if _is_known(change, known):
                    follower.leave_out(change)
                    continue
                write_change(change, request)
                command.take(change)
                follower.note_said(change)

        loop = _Loop(follower, request, signal_requests, streams, write)
        with terminal.until_output_closes():
            loop.run()
        report = follower.report(to_the_end=True)
        if loop.has_ended:  # else nobody heard what was said last
            follower.keep(is_last=True)
    return report


@define
class Keeping:
    """Writes the state folder soon after something was said, so that a restart reads little again
    and what was said since is a short file.
    """

    follower: Follower
    _saved_at: float = field(factory=time.monotonic)
    _took: float = 0.0
    """Seconds that it took to write it last."""
    _is_behind: bool = False
    """Whether something was said since."""

    def keep_if_due(self, *, anything_said: bool) -> None:
        """Write it, if it is time."""
        self._is_behind |= anything_said
        began = time.monotonic()
        wait = _KEEP_SHARE * self._took if self._is_behind else _KEEP_S
        if began - self._saved_at > wait:
            self.follower.keep()
            self._saved_at, self._is_behind = time.monotonic(), False
            self._took = self._saved_at - began


@define
class _Loop:
    follower: Follower
    request: CheckRequest
    signal_requests: SignalRequests
    streams: WatchedStreams
    write: Callable[[list[LogChange]], None]
    has_ended: bool = False
    """Whether all that there was to say was said."""

    def run(self) -> None:
        """Say what changes until there is nothing more to come."""
        keeping = Keeping(self.follower)
        while True:
            began = time.monotonic()
            news = self.follower.poll()
            self.write(news)
            keeping.keep_if_due(anything_said=bool(news))
            if self.signal_requests.summary:
                self.signal_requests.summary = False
                write_summary(self.follower.report(), self.request)
            if self.signal_requests.stop or not self._wait(max(_POLL_S, time.monotonic() - began)):
                self.write(self.follower.poll(to_the_end=True))
                self.has_ended = True
                return

    def _wait(self, seconds: float) -> bool:
        """Wait for the next look, and take what comes through standard input meanwhile, as far as
        there is room; False where that has ended.
        """
        until, room = time.monotonic() + seconds, _MOST_TAKEN
        self.streams.require_reader()
        while (left := until - time.monotonic()) > 0 and not self.signal_requests.stop:
            is_log_ready, is_summary_asked = self.streams.wait(left)
            self.signal_requests.summary |= is_summary_asked
            if is_log_ready and self.streams.log is not None:
                content = os.read(self.streams.log, _READ_BYTES)
                self.follower.feed(content)
                room -= len(content)
                if not content:
                    return False
            if room <= 0 or is_summary_asked:
                break
        return True


def _refuse_pipes(request: CheckRequest) -> None:
    """Say how a pipe is followed: by its name it would have to be opened again and again."""
    for path in request.paths:
        if path != "-" and Path(path).is_fifo():
            raise CommandError(
                f"{path} is a pipe, which is followed through standard input:"
                f" statemachines check --follow - < {shlex.quote(path)}"
            )


def _note_missing(request: CheckRequest) -> None:
    """Say what is not there: it may come, or its name may be wrong."""
    for path in request.paths:
        if path != "-" and not os.path.exists(path):
            terminal.print_note(f"{path} does not exist yet; it is followed from when it does")


def _is_known(change: LogChange, known: KnownFindings | None) -> bool:
    """Say whether the baseline knows what began; what becomes of a thing is news where it was
    said, whatever the baseline is by now.
    """
    row = change.finding or change.incident
    ended = change.kind is LogChangeKind.HEALED and not change.has_passed
    return known is not None and row is not None and not ended and any(known.entries_of(row))


def _summary_signal(signal_requests: SignalRequests) -> AbstractContextManager[None]:
    """Take SIGUSR1 for a summary."""
    return handled(
        {signal.SIGUSR1: signal_requests.ask_summary} if hasattr(signal, "SIGUSR1") else {}
    )


def _end_signals(signal_requests: SignalRequests) -> AbstractContextManager[None]:
    """Take Ctrl-C, SIGTERM and a terminal that closes for the end."""
    return handled({kind: signal_requests.ask_stop for kind in END_SIGNALS if not is_ignored(kind)})
