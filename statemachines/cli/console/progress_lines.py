"""A plain line on stderr now and then, for those who read it in a file or a pipe."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from statemachines.model.evidence.durations import format_duration

FIRST_LINE_S = 30.0
"""What is done sooner says nothing but its result."""
NEXT_LINE_S = 60.0


class ProgressLines:
    """Tells how far reading is, once a minute, until it is stopped.

    A thread tells it: judging what was read may take long, and calls nobody meanwhile. It starts
    when progress is first told, for then the processes that read have begun, and a process can be
    copied only while it has no other thread.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._done = self._whole = 0
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, done: int, whole: int) -> None:
        """Tell how far it is, in bytes."""
        self._done, self._whole = done, whole
        if self._thread is None:
            self._thread = threading.Thread(target=self._tell_now_and_then, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Tell nothing more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _tell_now_and_then(self) -> None:
        wait = self._began + FIRST_LINE_S - self._clock()
        while not self._stopped.wait(max(0.0, wait)):
            wait = NEXT_LINE_S
            with suppress(OSError, ValueError):  # nobody listens any more
                print(self._line(), file=sys.stderr, flush=True)

    def _line(self) -> str:
        passed = format_duration(int(1000 * (self._clock() - self._began)))
        if self._done >= self._whole:
            return f"{passed}: all {self._whole / 1e6:,.0f} MB are read, and are being judged"
        done, whole = self._done / 1e6, self._whole / 1e6
        return f"{passed}: {done:,.0f} of {whole:,.0f} MB are read"
