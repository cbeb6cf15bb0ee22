"""How something is explored."""

from __future__ import annotations

import time
from pathlib import Path

from attrs import evolve, frozen

from statemachines.explore.resources.limits import NO_LIMITS, Limits


@frozen
class ExplorationOptions:
    """How a machine or a system is explored."""

    symmetry: bool = False
    """Whether interchangeable names stand for each other."""
    copies: int = 1
    """How many of the machine are explored side by side."""
    limits: Limits = NO_LIMITS
    engine: str = "auto"
    """`rows`, `arrays`, or whichever is faster."""
    resume: Path | None = None
    """A file in which a search that stops early is kept, and with which it goes on where it is
    there; it is removed at the end.
    """

    def with_clock_started(self) -> ExplorationOptions:
        """Return the same with its time counted from now on, where it does not count yet."""
        if self.limits.started_at is not None:
            return self
        return evolve(self, limits=evolve(self.limits, started_at=time.monotonic()))


DEFAULT_OPTIONS = ExplorationOptions()


def options_text(how: ExplorationOptions) -> str:
    """Say how something is explored, as far as a search that stopped must go on the same way."""
    symmetry = ["with symmetry"] if how.symmetry else []
    return " ".join([*symmetry, *([f"by {how.engine}"] if how.engine != "auto" else [])])
