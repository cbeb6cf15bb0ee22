"""How much memory this process takes, and whether it is about to take more than it may."""

from __future__ import annotations

import os
import pathlib

from attrs import define, field

from statemachines.explore.resources.unused_memory import return_unused_memory

CGROUP_MEMORY_FILES = (
    pathlib.Path("/sys/fs/cgroup/memory.max"),
    pathlib.Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files that tell how much memory a container may use, of both kinds of control groups."""
_STATUS = pathlib.Path("/proc/self/status")
_RESERVE_SHARE = 32
"""One part in so many of the memory is left for what is done between two looks at it."""
_LEAST_RESERVE = 6
"""MiB that are left for it however little memory there is."""
_FADING = 0.75
"""What is left of a reserve at the next look, where less was taken since."""


@define(eq=False)
class MemoryWatch:
    """Looks now and then at the memory that a process takes. What was taken at most between two
    looks is left for the next time.
    """

    most: int
    """MiB that it may take."""
    used: float = field(init=False)
    """MiB at the last look."""
    peak: float = field(init=False)
    """The most until then."""
    rise: float = 0.0
    """What was taken between two looks, and given back since; it fades."""

    def __attrs_post_init__(self) -> None:
        self.used, self.peak = used_memory(), _peak_memory()

    @property
    def reserve(self) -> float:
        """MiB that are left for what is done until the next look."""
        return self.rise + max(self.most / _RESERVE_SHARE, _LEAST_RESERVE)

    def is_full(self) -> bool:
        """Tell whether what is done until the next look may need more than there may be; where
        little is left, what is not used is given back first.
        """
        peak = _peak_memory()
        self.rise = max(self.rise * _FADING, peak - self.used if peak > self.peak else 0.0)
        self.peak = peak
        self.has_room(self.reserve)  # what is given back may be needed again
        return self.used + self.reserve > self.most

    def has_room(self, size: float) -> bool:
        """Tell whether so much more may be taken; what is not used is given back first.

        Args:
            size: MiB.

        Returns:
            False where the limit would be passed.
        """
        self.used = used_memory()
        if self.used + size > self.most:
            before = self.used
            return_unused_memory()
            self.used = used_memory()
            self.rise = max(self.rise, before - self.used)
        return self.used + size <= self.most


def used_memory() -> float:
    """Return the memory that this process takes now, in MiB; at most, where the system does not
    tell more; 0 where it tells nothing.
    """
    used = _status_line("VmRSS:")
    return _peak_memory() if used is None else used


def _peak_memory() -> float:
    """Return the most memory that this process ever took, in MiB; 0 where nothing tells."""
    peak = _status_line("VmHWM:")
    if peak is not None:
        return peak
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status_line(name: str) -> float | None:
    """Return what the system tells of this process under a name, in MiB; None where it does not."""
    try:
        lines = _STATUS.read_text("ascii").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def default_memory_ceiling() -> int | None:
    """Return three quarters of the memory of this machine, or of what its container may use, in
    MiB; None where nothing tells.
    """
    try:
        known = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, ValueError, OSError):
        known = []
    known += [size for file in CGROUP_MEMORY_FILES if (size := _number_in_file(file))]
    return min(known) * 3 // (1 << 22) if known else None


def _number_in_file(file: pathlib.Path) -> int | None:
    """Return the number that is all there is in a file; None where there is no such file, or
    something else in it.
    """
    try:
        return int(file.read_text("ascii"))
    except (OSError, ValueError):
        return None
