"""All that is planned of a test, done; and what fails, made short."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from statemachines.testing.again import again
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.runs import Beginning, Run, Side
from statemachines.testing.tours import Planner, tour
from statemachines.testing.wandering import wandering

MOST_REPLAYS = 400
"""Of what fails, to make it short."""
MOST_STEPS = 40_000
"""Of all these replays."""


def toured(side: Side, planner: Planner, parameters: Values) -> str | None:
    """Do the tours; return what is wrong, with a short program; None where nothing is."""
    run = Run(side)
    try:
        for _ in itertools.chain(tour(run, planner, parameters), again(run, planner, parameters), wandering(run, planner)):
            pass
        run.end()
    except AssertionError as wrong:
        return shortened(side, run.done, str(wrong))
    finally:
        run.close()
    return None


def shortened(side: Side, done: list[Beginning | Attempt], said: str) -> str:
    """Leave out what a failure does not need, large pieces first; return what its last failure says.

    The last life is tried alone; only where it does not fail so, those before it are needed. What fails no more is said as it was.
    """
    last = max((place for place, each in enumerate(done) if isinstance(each, Beginning)), default=0)
    for known in (done[last:], done):
        again = _failure(side, known)
        if again is not None:
            return _shorter(side, known, again)
    return said


def _shorter(side: Side, done: list[Beginning | Attempt], said: str) -> str:
    """Leave out what a failure does not need; its first beginning stays."""
    size, replays, steps = max(1, len(done) // 2), 0, 0
    while True:
        place = len(done) - 1 - size
        while place > 1 - size and replays < MOST_REPLAYS and steps < MOST_STEPS:
            fewer = [*done[: max(1, place)], *done[place + size :]]
            wrong, replays, steps = _failure(side, fewer), replays + 1, steps + len(fewer)
            if wrong is not None:
                done, said = fewer, wrong
            place -= size
        if size == 1 or replays >= MOST_REPLAYS or steps >= MOST_STEPS:
            return said
        size //= 2


def _failure(side: Side, done: Iterable[Beginning | Attempt]) -> str | None:
    run = Run(side)
    try:
        run.follow(done)
        run.end()
    except AssertionError as wrong:
        return str(wrong)
    finally:
        run.close()
    return None
