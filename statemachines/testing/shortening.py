"""All that is planned of a test, done; and a failing life, made short."""

from __future__ import annotations

import itertools

from statemachines.testing.again import again
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.runs import Run, Side
from statemachines.testing.tours import Planner, tour
from statemachines.testing.wandering import wandering

MOST_REPLAYS = 400
"""Of a failing life, to make it short."""


def toured(side: Side, planner: Planner, parameters: Values) -> str | None:
    """Do the tours; return what is wrong, with a short program; None where nothing is."""
    run, life = Run(side), list[Attempt]()
    try:
        planned = tour(run, planner, parameters), again(run, planner, parameters), wandering(run, planner)
        for attempt in itertools.chain(*planned):
            life = [] if attempt is None else [*life, attempt]
    except AssertionError as wrong:
        return shortened(side, run.parameters, life, str(wrong))
    finally:
        run.close()
    return None


def shortened(side: Side, parameters: Values, attempts: list[Attempt], said: str) -> str:
    """Leave out what a failing life does not need, large pieces first; return what its last failure says."""
    again = _failure(side, parameters, attempts)
    if again is None:
        return said
    size, replays = max(1, len(attempts) // 2), 0
    while True:
        place = len(attempts) - 1 - size
        while place > -size and replays < MOST_REPLAYS:
            fewer = [*attempts[: max(0, place)], *attempts[place + size :]]
            wrong, replays = _failure(side, parameters, fewer), replays + 1
            if wrong is not None:
                attempts, again = fewer, wrong
            place -= size
        if size == 1 or replays >= MOST_REPLAYS:
            return again
        size //= 2


def _failure(side: Side, parameters: Values, attempts: list[Attempt]) -> str | None:
    run = Run(side)
    try:
        run.begin(parameters)
        run.follow(attempts)
    except AssertionError as wrong:
        return str(wrong)
    finally:
        run.close()
    return None
