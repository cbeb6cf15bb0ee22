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
        self._due = self._began + FIRST_LINE_S
        self._done = self._whole = 0
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, done: int, whole: int) -> None:
        """Tell how far it is, in bytes.

        Args:
            done: what is read.
            whole: of so many; 0: nobody knows, and a line is written now, if it is time.
        """
        self._done, self._whole = done, whole
        if not whole:
            if self._clock() >= self._due:
                self._tell()
        elif self._thread is None:
            self._thread = threading.Thread(target=self._tell_now_and_then, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Tell nothing more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _tell_now_and_then(self) -> None:
        while not self._stopped.wait(max(0.0, self._due - self._clock())):
            self._tell()

    def _tell(self) -> None:
        self._due = self._clock() + NEXT_LINE_S
        with suppress(OSError, ValueError):  # nobody listens any more
            print(self._line(), file=sys.stderr, flush=True)

    def _line(self) -> str:
        passed = format_duration(int(1000 * (self._clock() - self._began)))
        if not self._whole:
            return f"{passed}: {_amount(self._done, self._done)} came, and more may"
        whole = _amount(self._whole, self._whole)
        if self._done >= self._whole:
            return f"{passed}: all {whole} are read, and are being judged"
        return f"{passed}: {_amount(self._done, self._whole).partition(' ')[0]} of {whole} are read"


def _amount(count: int, whole: int) -> str:
    """Return a number of bytes in the unit in which another is not 0."""
    if whole >= 10_000_000:
        return f"{count / 1e6:,.0f} MB"
    if whole >= 1_000_000:
        return f"{count / 1e6:.1f} MB"
    return f"{count / 1e3:,.0f} kB" if whole >= 1000 else f"{count} bytes"
