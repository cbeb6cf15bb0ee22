"""Several threads that work on pieces of a level: numpy lets go of the interpreter while it computes, so two cores do twice as much there.

Not processes: values get their numbers as they are met, and each process would give its own; there is nothing to start, to pickle or to
leave behind, and one ceiling of memory is enough.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from attrs import define, field

POLL = 0.1
"""Seconds between two looks at the limits while others work."""
SWITCH = 0.0005
"""Seconds that a thread in Python keeps another waiting that comes back from numpy; ten times as long is usual."""
T = TypeVar("T")


class Stopped(Exception):
    """The search ends, or begins its level anew: a thread gives up its piece."""


def all_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@define(eq=False)
class Crew:
    """Threads for one search, started when there is enough to do."""

    jobs: int
    """Threads at most; 1: everything is done by the one that asks."""
    lock: threading.RLock = field(factory=threading.RLock)
    """Held by the one that asks a rule, or adds to what was found."""
    busy: bool = False
    """Whether others work."""
    stop: bool = False
    pool: ThreadPoolExecutor | None = None

    def each(self, act: Callable[[T], None], items: Sequence[T], meanwhile: Callable[[], None]) -> None:
        """Do something with every item, several at once.

        Args:
            act: what is done; it looks at `stop` now and then and raises `Stopped`.
            items: with what.
            meanwhile: is called in this thread every tenth of a second; what it raises ends the others.

        Raises:
            Whatever one of them raised, the first of the items that did; no thread is at work any more then.
        """
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.jobs, "explore")
        usual = sys.getswitchinterval()
        sys.setswitchinterval(min(usual, SWITCH))
        self.busy = True
        futures = [self.pool.submit(act, item) for item in items]
        try:
            _watch(futures, meanwhile)
        finally:
            self._end(futures)
            sys.setswitchinterval(usual)
        for future in futures:
            if not future.cancelled():
                _raise(future)

    def _end(self, futures: list[Future[None]]) -> None:
        self.stop = True
        for future in futures:
            future.cancel()
        wait(futures)
        self.stop = self.busy = False

    def close(self) -> None:
        """End the threads, also where an interrupt came before they were told to stop."""
        if self.pool is not None:
            self.stop = True
            self.pool.shutdown(cancel_futures=True)
            self.pool = None


def _watch(futures: list[Future[None]], meanwhile: Callable[[], None]) -> None:
    """Wait until all are done or one has failed."""
    left = set(futures)
    while left:
        done, left = wait(left, POLL, "FIRST_EXCEPTION")
        if any(future.exception() is not None for future in done):
            return
        meanwhile()


def _raise(future: Future[None]) -> None:
    error = future.exception()
    if error is not None and not isinstance(error, Stopped):
        raise error
