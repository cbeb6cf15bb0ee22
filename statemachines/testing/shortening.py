"""All that is planned of a test, done; and what fails, made short."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial

from attrs import define

from statemachines.testing.afresh import Fails, NoAnswer, afresh
from statemachines.testing.again import again
from statemachines.testing.attempts import Attempt, Trials, Values
from statemachines.testing.runs import Beginning, Run, Side
from statemachines.testing.simpler import simpler_attempts
from statemachines.testing.tours import Planner, tour
from statemachines.testing.wandering import wandering
from statemachines.testing.whole import whole

MOST_REPLAYS = 400
"""Of what fails, to make it short."""
MOST_STEPS = 40_000
"""Of all these replays."""


def toured(side: Side, planner: Planner, parameters: Values) -> str | None:
    """Do the tours; return what is wrong, with a short program; None where nothing is."""
    with afresh(partial(failure, side)) as fresh:
        run = Run(side)
        try:
            every = tour, whole, again
            planned = itertools.chain.from_iterable(each(run, planner, parameters) for each in every)
            for _ in itertools.chain(planned, wandering(run, planner)):
                pass
            run.end()
        except AssertionError as wrong:
            return shortened(side, run.done, str(wrong), fresh)
        finally:
            run.close()
    return None


def shortened(side: Side, done: list[Beginning | Attempt], said: str, fresh: Fails | None = None) -> str:
    """Leave out what a failure does not need, large pieces first, and make its arguments simple; return what its last failure says.

    The last life is tried alone; only where it does not fail so, those before it are needed. What fails no more is said as it was.

    Args:
        side: what is compared with what.
        done: all that was done.
        said: what is wrong with it.
        fresh: asks what fails where nothing was done before. What subjects share here makes the shortest of programs fail: one that
            does not fail there as well is none, and is looked for again among the lives that were.
    """
    begins = [place for place, each in enumerate(done) if isinstance(each, Beginning)] or [0]
    here = partial(failure, side)
    for known in (done[begins[-1] :], done):
        again = here(known)
        if again is not None:
            found = Shortening(side.trials, here, list(known), again)
            found.shorten()
            return _sure(side, done, begins, found, fresh)
    return said


def _sure(side: Side, done: list[Beginning | Attempt], begins: list[int], found: Shortening, fresh: Fails | None) -> str:
    """Return what a short program says, where it fails in a fresh process too; else what one of the last lives does that fails there."""
    if fresh is None:
        return found.said
    try:
        if fresh(found.done) is not None:
            return found.said
        for many in (2**power for power in range(1, len(begins).bit_length() + 1)):
            known = done[begins[-many] if many < len(begins) else 0 :]
            again = fresh(known)
            if again is not None:
                found = Shortening(side.trials, fresh, known, again)
                found.shorten()
                return found.said
    except NoAnswer:
        pass
    return found.said


@define
class Shortening:
    """What fails, made shorter and simpler as long as it fails."""

    trials: Trials
    fails: Fails
    done: list[Beginning | Attempt]
    said: str
    replays: int = 0
    steps: int = 0

    def shorten(self) -> None:
        """Leave out calls, then make arguments simple, and again while the one has made way for the other."""
        simplified = True
        while simplified and not self.is_enough:
            self._leave_out()
            simplified = self._simplify()

    @property
    def is_enough(self) -> bool:
        """Whether enough was tried."""
        return self.replays >= MOST_REPLAYS or self.steps >= MOST_STEPS

    def _try(self, other: list[Beginning | Attempt]) -> bool:
        """Take something else where it fails too."""
        if self.is_enough:
            return False
        wrong = self.fails(other)
        self.replays, self.steps = self.replays + 1, self.steps + len(other)
        if wrong is not None:
            self.done, self.said = other, wrong
        return wrong is not None

    def _leave_out(self) -> None:
        """Leave out what the failure does not need; its first beginning stays."""
        size = max(1, len(self.done) // 2)
        while not self.is_enough:
            place = len(self.done) - 1 - size
            while place > 1 - size and not self.is_enough:
                self._try([*self.done[: max(1, place)], *self.done[place + size :]])
                place -= size
            if size == 1:
                return
            size //= 2

    def _simplify(self) -> bool:
        """Make arguments simple; return whether any was made simpler."""
        simplified = False
        for place in range(len(self.done)):
            while self._simplify_one(place):
                simplified = True
        return simplified

    def _simplify_one(self, place: int) -> bool:
        one = self.done[place]
        if isinstance(one, Beginning):
            return False
        others = simpler_attempts(self.trials, one)
        return any(self._try([*self.done[:place], other, *self.done[place + 1 :]]) for other in others)


def failure(side: Side, done: Iterable[Beginning | Attempt]) -> str | None:
    """Do something again; return what is wrong; None: nothing."""
    run = Run(side)
    try:
        run.follow(done)
        run.end()
    except AssertionError as wrong:
        return str(wrong)
    finally:
        run.close()
    return None
