"""What ends a program from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Let a termination (SIGTERM, as `timeout` and every cluster send it) end what is within as
    Ctrl-C does: what is known is kept.

    Limits: signals come to the main thread only; in another one nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
