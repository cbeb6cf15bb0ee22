"""Tasks of one event loop: which call begins while which other one awaits is drawn, and nobody
sleeps: where all do, time goes on to the first that wakes.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any

from statemachines.testing.threads.drawn_turns import ThreadsStuck

_SECONDS_TO_WAKE = 10.0
"""How long anything outside the loop is awaited, where no task can go on."""
_SECONDS_TO_WAKE_AGAIN = 0.05
"""The same where it was awaited in vain before."""
_MOST_TURNS = 4
"""Turns of others before a call begins, where there are any."""
_SLEEPS = (0.0001, 0.002, 0.05, 2.0)
"""Seconds that a task sleeps before a call, now and then: for subjects that sleep themselves."""


class TaskLoop(asyncio.SelectorEventLoop):
    """An event loop whose time goes on by itself where all tasks sleep.

    Limits: time is the machine's where a socket is open, or a thread is there that was not when the
    loop was made: whoever is awaited needs it.
    """

    def __init__(self) -> None:
        self.skipped = 0.0
        self.threads_before = frozenset(sys._current_frames())
        self.seconds_to_wake = _SECONDS_TO_WAKE
        super().__init__(_SkippingSelector(self))

    def time(self) -> float:
        """Return the time that has gone by for the tasks, in seconds."""
        return super().time() + self.skipped


class _SkippingSelector(selectors.DefaultSelector):
    """Says at once that nothing came from outside, where nothing can come."""

    def __init__(self, loop: TaskLoop) -> None:
        super().__init__()
        self.loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for files, or let time go by.

        Args:
            timeout: seconds until the first task wakes; None: none of them sleeps.

        Returns:
            The files that are ready.

        Raises:
            ThreadsStuck: no task can go on, and nothing comes from outside.
        """
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        others = sys._current_frames().keys() - self.loop.threads_before
        is_alone = len(self.get_map()) <= 1 and not others
        if timeout is not None:
            if not is_alone:
                return super().select(timeout)
            self.loop.skipped += timeout
            return ready
        is_only_thread = is_alone and len(self.loop.threads_before) == 1
        ready = [] if is_only_thread else super().select(self.loop.seconds_to_wake)
        if not ready:
            self.loop.seconds_to_wake = _SECONDS_TO_WAKE_AGAIN
            raise ThreadsStuck
        return ready


async def run_tasks(
    random: Random, bodies: Sequence[Sequence[Callable[[], Awaitable[Any]]]]
) -> None:
    """Make calls, each task one after the other, with drawn pauses in front of them.

    Args:
        random: what is drawn from.
        bodies: of each task, its calls.
    """
    async with asyncio.TaskGroup() as group:
        for calls in bodies:
            group.create_task(_run_body(Random(random.random()), calls))


async def _run_body(random: Random, calls: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    for call in calls:
        if random.random() < 0.25:
            await asyncio.sleep(random.choice(_SLEEPS))
        for _ in range(random.randint(0, _MOST_TURNS)):
            await asyncio.sleep(0)
        await call()
