"""Where a search gives up: states, steps, time and memory; what kept it from seeing everything is a bound, in words."""

from __future__ import annotations

import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import define, field, frozen

from statemachines.semantics.choices import Extent

Told = Callable[[int, int], None]
"""Is told now and then how many rows and transitions there are."""
OFTEN = 20_000
"""Steps after which limits are looked at again."""
SOON = 0.5
"""Seconds after which they are, however few steps there were."""


CONTAINER = pathlib.Path("/sys/fs/cgroup/memory.max"), pathlib.Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files that tell how much memory a container may use, of both kinds of control groups."""


@frozen
class Limits:
    """Where a search gives up."""

    most_states: int = 5_000_000
    most_memory: int | None = None
    """MiB that the process may use; None: no ceiling."""
    told: Told | None = None
    most_seconds: float | None = None
    """Seconds by the clock; None: as long as it takes."""
    most_steps: int | None = None
    """Steps, those counted that nothing took; None: as many as there are."""
    begun: float | None = None
    """When time began to count, as `time.monotonic` tells it; None: when the search begins."""


NO_LIMITS = Limits()
NO_MEMORY = "the memory that the system gives this process"


def unlimited() -> None:
    """Look at no limit."""


class Enough(Exception):
    """A limit was hit; it is named among the bounds."""


@define(eq=False)
class Budget:
    """What is left of the limits, looked at now and then."""

    limits: Limits
    bounds: list[str]
    begun: float = field(factory=time.monotonic)
    looked: int = 0
    """Steps when it was last looked at."""
    due: float = 0.0
    """When it is looked at again, however few steps there were."""

    def __attrs_post_init__(self) -> None:
        if self.limits.begun is not None:
            self.begun = self.limits.begun

    @classmethod
    def of_beginnings(cls, limits: Limits | None, bounds: list[str]) -> Budget:
        """Return what is left while beginnings are looked for: mostly there are few, and nobody is told of them."""
        return cls(limits or NO_LIMITS, bounds, due=time.monotonic() + SOON)

    def spend(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits where there was enough work since the last time.

        Raises:
            Enough: one was hit.
        """
        if steps - self.looked >= OFTEN or time.monotonic() > self.due:
            self.look(states, steps, transitions)

    def look(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits.

        Raises:
            Enough: one was hit.
        """
        self.looked, self.due = steps, time.monotonic() + SOON
        if self.limits.told is not None:
            self.limits.told(states, transitions)
        if (hit := self._hit(states, steps)) is not None:
            self.bounds.append(hit)
            raise Enough

    def _hit(self, states: int, steps: int) -> str | None:
        limits = self.limits
        if states > limits.most_states:
            return ceiling(limits.most_states, "states")
        if limits.most_steps is not None and steps > limits.most_steps:
            return ceiling(limits.most_steps, "steps")
        if limits.most_seconds is not None and time.monotonic() - self.begun > limits.most_seconds:
            return f"the ceiling of {limits.most_seconds:,.10g} seconds"
        if limits.most_memory is not None and memory() > limits.most_memory:
            return f"the ceiling of {limits.most_memory:,} MiB of memory"
        return None


def ceiling(most: int, what: str) -> str:
    """Return the bound that a search hit."""
    return f"the ceiling of {most:,} {what}"


@define(eq=False)
class Ending:
    """Whether something was ended before its end, and by what."""

    bounds: list[str] = field(factory=list)
    """What kept it from seeing everything."""
    interrupted: bool = False
    gave_up: bool = False
    """Whether a limit was hit."""
    starved: bool = False
    """Whether the limit was the memory that the system gives: what needs more of it is left undone."""

    @property
    def early(self) -> bool:
        """Whether anything ended it."""
        return self.gave_up or self.interrupted

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Let a limit, or a person, end what is done within; a limit has told the bounds already."""
        try:
            yield
        except Enough:
            self.gave_up = True
        except MemoryError:
            self.gave_up = self.starved = True
            self.bounds.append(NO_MEMORY)
        except KeyboardInterrupt:
            self.interrupted = True
            self.bounds.append("interrupted")


def left_range(extent: Extent) -> str:
    """Return the bound that a search hit in which an integer without bounds left the range that is explored."""
    low, high = extent.integers
    return f"an integer without bounds left {low}..{high}; nothing was explored from there"


def memory() -> int:
    """Return the memory that this process uses now, in MiB; at most, where the system does not tell more; 0 where it tells nothing."""
    try:
        pages = int(pathlib.Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _most_memory()
    return pages * os.sysconf("SC_PAGE_SIZE") // (1 << 20)


def most_of_memory() -> int | None:
    """Return three quarters of the memory of this machine, or of what its container may use, in MiB; None where nothing tells."""
    try:
        known = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, ValueError, OSError):
        known = []
    known += [size for file in CONTAINER if (size := _number_in(file))]
    return min(known) * 3 // (1 << 22) if known else None


def _number_in(file: pathlib.Path) -> int | None:
    """Return the number that is all there is in a file; None where there is no such file, or something else in it."""
    try:
        return int(file.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _most_memory() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
