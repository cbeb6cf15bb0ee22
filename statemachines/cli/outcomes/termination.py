"""What ends a program from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from statemachines.model.end_signals import END_SIGNALS, HANGUP, is_ignored


def termination_as_interrupt() -> AbstractContextManager[None]:
    """Let a termination (SIGTERM, as `timeout` and every cluster send it) and a terminal that
    closes (SIGHUP) end what is within as Ctrl-C does: what is known is kept.

    Returns:
        A context; signals come to the main thread only, and in another one it changes nothing.
    """
    return handled(
        {kind: _interrupt for kind in END_SIGNALS if kind != signal.SIGINT and not is_ignored(kind)}
    )


@contextmanager
def handled(wanted: Mapping[signal.Signals, Callable[..., None]]) -> Iterator[None]:
    """Have functions called when signals come, and put back what was there.

    Args:
        wanted: what is called for each signal; in other threads than the main one nothing is.

    Yields:
        Nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {kind: signal.signal(kind, handler) for kind, handler in wanted.items()}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler if handler is not None else signal.SIG_DFL)


def _interrupt(number: int, _: FrameType | None) -> None:
    if number == HANGUP:  # it comes again, from the shell and from the system
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
