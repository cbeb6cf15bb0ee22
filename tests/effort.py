"""How much of what is random a test tries: the README's command has minutes, not hours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

HYPOTHESIS_TRIES = 100
"""How many examples Hypothesis tries where a test says nothing else."""
_SHARE = 4
_FEWEST = 3
_everything = False


def try_everything() -> None:
    """Let what is collected from now on try all that it names: `pytest --thorough`."""
    global _everything
    _everything = True


def some_of(number: int) -> int:
    """Return how many of so many random examples are tried: a quarter; all with `--thorough`."""
    return number if _everything else min(number, max(number // _SHARE, _FEWEST))


def some_cases(cases: Sequence[Case], begin: int = 0) -> Sequence[Case]:
    """Return some of many cases that take long, evenly apart; all of them with `--thorough`, and
    where they are few.
    """
    return cases if _everything or len(cases) <= _SHARE else cases[begin::_SHARE]


def without_largest(cases: Sequence[Case], largest: Sequence[Case]) -> Sequence[Case]:
    """Return cases without those that take many minutes each; all of them with `--thorough`."""
    assert set(largest) <= set(cases)
    return cases if _everything else [case for case in cases if case not in largest]
