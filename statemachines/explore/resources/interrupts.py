"""Interrupts that wait."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_DELAYED_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """Let Ctrl-C and a termination wait until what is within is done: pressed twice, it must not
    lose what the first time kept.

    Limits: signals come to the main thread only; in another one nothing has to wait.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = list[tuple[int, FrameType | None]]()
    before = {
        kind: handler for kind in _DELAYED_SIGNALS if callable(handler := signal.getsignal(kind))
    }
    for kind in before:
        signal.signal(kind, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    for number, frame in came[:1]:
        before[signal.Signals(number)](number, frame)
