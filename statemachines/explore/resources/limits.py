"""Where a search gives up: states, steps, time and memory; what kept it from seeing everything is a
bound, in words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TypeVar

from attrs import define, field, frozen

from statemachines.explore.resources.memory import MemoryWatch
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.machine.value_enumeration import DomainSizes

Collected = TypeVar("Collected")
"""What is looked for."""
ProgressCallback = Callable[[int, int], None]
"""Is told now and then how many rows and transitions there are."""
STEPS_BETWEEN_CHECKS = 20_000
"""Steps after which limits are looked at again."""
SECONDS_BETWEEN_CHECKS = 0.5
"""Seconds after which they are, however few steps there were."""


@frozen
class Limits:
    """Where a search gives up."""

    most_states: int = 5_000_000
    """Of a level that would pass it as many states count as there may be, and none of their steps.
    """
    most_memory: int | None = None
    """MiB that the process may use; None: no ceiling."""
    on_progress: ProgressCallback | None = None
    most_seconds: float | None = None
    """Seconds by the clock; None: as long as it takes."""
    most_steps: int | None = None
    """Steps, those counted that nothing took; None: as many as there are."""
    started_at: float | None = None
    """When time began to count, as `time.monotonic` tells it; None: when the search begins."""
    spills: bool = False
    """Whether rows go to disk where they would take too much memory; somebody asked for it."""


NO_LIMITS = Limits()
_TAKEN_BEFORE_THE_FIRST_STEPS = 12
"""MiB that the first rows, looked at singly, and the tables of a search take before it goes on."""
_OUT_OF_MEMORY_BOUND = "the memory that the system gives this process"


class LimitReached(Exception):
    """A limit was hit; it is named among the bounds."""


@define(eq=False)
class Budget:
    """What is left of the limits, looked at now and then."""

    limits: Limits
    bounds: list[str]
    started_at: float = field(factory=time.monotonic)
    checked_at_steps: int = 0
    """Steps when it was last looked at."""
    due_at: float = 0.0
    """When it is looked at again, however few steps there were."""
    memory: MemoryWatch | None = field(init=False)
    """None: no ceiling."""

    def __attrs_post_init__(self) -> None:
        most = self.limits.most_memory
        self.memory = None if most is None else MemoryWatch(most)
        if self.limits.started_at is not None:
            self.started_at = self.limits.started_at

    def check_when_due(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits where there was enough work since the last time.

        Args:
            states: found so far.
            steps: looked at so far, those that nothing takes too.
            transitions: taken so far.

        Raises:
            LimitReached: one was hit.
        """
        if steps - self.checked_at_steps >= STEPS_BETWEEN_CHECKS or time.monotonic() > self.due_at:
            self.check(states, steps, transitions)

    def check(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits, those of time, steps and memory: states are counted level by level.

        Args:
            states: found so far.
            steps: looked at so far, those that nothing takes too.
            transitions: taken so far.

        Raises:
            LimitReached: one was hit.
        """
        self.checked_at_steps, self.due_at = steps, time.monotonic() + SECONDS_BETWEEN_CHECKS
        if self.limits.on_progress is not None:
            self.limits.on_progress(states, transitions)
        if (hit := self._reached_limit(steps, transitions)) is not None:
            self.bounds.append(hit)
            raise LimitReached

    def reach_most_states(self) -> None:
        """End it, as there are more states than it may have.

        Raises:
            LimitReached: always.
        """
        self.bounds.append(ceiling_bound(self.limits.most_states, "states"))
        raise LimitReached

    def _reached_limit(self, steps: int, transitions: int) -> str | None:
        limits = self.limits
        if limits.most_steps is not None and steps > limits.most_steps:
            return ceiling_bound(limits.most_steps, "steps")
        if (
            limits.most_seconds is not None
            and time.monotonic() - self.started_at > limits.most_seconds
        ):
            return f"the ceiling of {limits.most_seconds:,.10g} seconds"
        if self.memory is not None and self.memory.is_full():
            return self._memory_bound(self.memory, has_begun=steps + transitions > 0)
        return None

    def _memory_bound(self, memory: MemoryWatch, *, has_begun: bool) -> str:
        """Return the bound that memory is, and how much would do where not a step was taken."""
        bound = f"the ceiling of {memory.most:,} MiB of memory"
        if has_begun:
            return bound
        least = math.ceil(memory.used + 2 * memory.reserve + _TAKEN_BEFORE_THE_FIRST_STEPS)
        return f"{bound}; it takes {least:,} to begin"

    def make_room(self, size: int) -> None:
        """Look whether so many bytes more may be taken.

        Args:
            size: what is about to be taken at once.

        Raises:
            LimitReached: it is too much.
        """
        if self.memory is not None and not self.memory.has_room(size / (1 << 20)):
            self.bounds.append(self._memory_bound(self.memory, has_begun=True))
            raise LimitReached


def ceiling_bound(most: int, what: str) -> str:
    """Return the bound that a search hit.

    Args:
        most: the limit.
        what: that is counted.

    Returns:
        As the result names it.
    """
    return f"the ceiling of {most:,} {what}"


@define(eq=False)
class SearchEnding:
    """Whether something was ended before its end, and by what; as a context, it lets a limit or a
    person end what is done within.
    """

    bounds: list[str] = field(factory=list)
    """What kept it from seeing everything."""
    interrupted: bool = False
    limit_reached: bool = False
    """Whether a limit was hit."""
    out_of_memory: bool = False
    """Whether the limit was the memory that the system gives: what needs more of it is left undone.
    """

    save: Callable[[], None] = check_nothing
    """Writes what was done to its file, as it was when it was last consistent; nothing where no
    file was named.
    """

    @property
    def ended_early(self) -> bool:
        """Whether anything ended it."""
        return self.limit_reached or self.interrupted

    def __enter__(self) -> SearchEnding:
        return self  # no generator: one that Ctrl-C meets before its `yield` fails otherwise

    def __exit__(self, _: object, ended_by: BaseException | None, __: object) -> bool:
        """Let a limit, or a person, end what is done within; a limit has told the bounds."""
        match ended_by:
            case LimitReached():
                self.limit_reached = True
            case MemoryError():
                self.limit_reached = self.out_of_memory = True
                self.bounds.append(_OUT_OF_MEMORY_BOUND)
            case KeyboardInterrupt():
                self.interrupted = True
                self.bounds.append("interrupted")
            case _:
                return False
        return True


def collect_until_limits(
    every: Callable[[Callable[[], None]], Iterable[Collected]],
    limits: Limits | None,
    ending: SearchEnding,
) -> list[Collected]:
    """Collect what comes before a limit is hit.

    Args:
        every: yields it, given what is to be called now and then.
        limits: where that ends early, which an interrupt does then too; None: nowhere.
        ending: is told what ended it.

    Returns:
        All of it, or what came until then.
    """
    due_at = time.monotonic() + SECONDS_BETWEEN_CHECKS  # mostly all are found before
    budget, collected = Budget(limits or NO_LIMITS, ending.bounds, due_at=due_at), list[Collected]()
    with nullcontext() if limits is None else ending:
        for value in every(lambda: budget.check_when_due(0, 0, 0)):
            collected.append(value)
    return collected


def range_left_bound(extent: DomainSizes) -> str:
    """Return the bound that a search hit in which an integer without bounds left the range that is
    explored.

    Args:
        extent: how many values types have.

    Returns:
        As the result names it.
    """
    low, high = extent.integers
    return f"an integer without bounds left {low}..{high}; nothing was explored from there"
