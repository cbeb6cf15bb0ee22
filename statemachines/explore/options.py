"""How something is explored."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.resources.limits import NO_LIMITS, Limits
from statemachines.explore.resources.memory import default_memory_ceiling
from statemachines.semantics.messages.argument_errors import ArgumentsError

MOST_COPIES = 64
"""Copies of a machine side by side."""


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
    witness_traces: bool = True
    """Whether the ways to witnesses are wanted; what breaks a rule has its trace in any case."""
    resume: Path | None = None
    """A file in which a search that stops early is kept, and with which it goes on where it is
    there; it is removed at the end.
    """
    timed: bool = False
    """Whether time is discrete, and what it sends comes when it is due; else at any moment."""

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


def exploration_options(
    *,
    symmetry: bool,
    most_states: int,
    copies: int = 1,
    most_memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    most_seconds: float | None = None,
    resume: str | PathLike[str] | None = None,
    witness_traces: bool = True,
    timed: bool = False,
) -> ExplorationOptions:
    """Return how to explore, as a user says it, on the command line and in Python.

    Args:
        symmetry: whether states that differ in interchangeable names are one.
        most_states: explore no more than so many, those first that fewer steps lead to.
        copies: how many of the machine side by side.
        most_memory: what the process may use, in MiB: states go to disk before it is reached, and
            where that does not help, the search ends; None: it ends at three quarters of what
            there is.
        progress: called now and then with how many states and transitions there are.
        most_seconds: give up after so many seconds; None: never.
        resume: a file in which a search that stops early is kept, and with which it goes on.
        witness_traces: whether the ways to witnesses are wanted.
        timed: whether time is discrete, and what it sends comes when it is due.

    Returns:
        The options, with the ceilings as limits.

    Raises:
        ArgumentsError: a number is none, or out of its range, or discrete time is asked for with
            what does not know it.
    """
    _check_number("copies", copies, 1, MOST_COPIES)
    _check_number("most_states", most_states, 1)
    _check_number("memory", most_memory, 1)
    _check_number("time", most_seconds, 0)
    if timed and (symmetry or resume is not None):
        raise ArgumentsError("discrete time is explored without symmetry, and not kept in a file")
    ceiling = most_memory or default_memory_ceiling()
    limits = Limits(most_states, ceiling, progress, most_seconds, spills=most_memory is not None)
    return ExplorationOptions(
        symmetry,
        copies,
        limits,
        resume=None if resume is None else Path(resume),
        witness_traces=witness_traces,
        timed=timed,
    )


def _check_number(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ArgumentsError for what is no number from one to another; None is no limit."""
    if value is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and least <= value <= (value if most is None else most):
        return
    upper = "or more" if most is None else f"to {most}"
    raise ArgumentsError(f"`{name}` is {value!r}, and is a number, {least} {upper}")
