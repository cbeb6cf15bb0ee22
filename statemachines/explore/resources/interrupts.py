"""Interrupts that wait."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from attrs import define, field

from statemachines.model.end_signals import END_SIGNALS


@define(eq=False)
class DelayedInterrupts:
    """Lets Ctrl-C and a termination wait until what is within is done: pressed twice, it must not
    lose what the first time kept.

    It takes the place of the handlers. One that came while they are put back leaves it in the place
    of the others; then it hands signals on, so that nothing is deaf for ever.

    Limits: signals come to the main thread only; in another one nothing has to wait.
    """

    delaying: bool = False
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = field(factory=dict)
    """Of each signal, what it called before."""
    delayed: list[tuple[int, FrameType | None]] = field(factory=list)

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for kind in END_SIGNALS:
            if callable(handler := signal.getsignal(kind)):
                self.handlers[kind] = handler
        for number in self.handlers:
            signal.signal(number, self)
        self.delaying = True

    def __exit__(self, *_: object) -> None:
        try:
            for number, handler in self.handlers.items():
                signal.signal(number, handler)
        finally:
            self.delaying = False
        for came, frame in self.delayed[:1]:
            self.handlers[came](came, frame)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if self.delaying:
            self.delayed.append((number, frame))
        else:
            self.handlers[number](number, frame)
