"""All that is planned of a test, done; and what fails, made short."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial

from attrs import define

from statemachines.testing.runs.attempts import Attempt, AttemptFinder, NamedValues
from statemachines.testing.runs.paired_runs import ComparisonSetup, PairedRun, SequenceStart
from statemachines.testing.shrinking.fresh_processes import (
    FailureCheck,
    NoFreshProcess,
    fresh_process_check,
)
from statemachines.testing.shrinking.simpler_arguments import simpler_attempts
from statemachines.testing.tours.exhaustive_tour import run_exhaustive_tour
from statemachines.testing.tours.long_sequences import run_long_sequences
from statemachines.testing.tours.planned_tours import TourPlanner, run_tour
from statemachines.testing.tours.random_sequences import run_random_sequences
from statemachines.testing.tours.repeated_runs import run_repetitions

_MOST_REPLAYS = 400
"""Of what fails, to make it short."""
MOST_STEPS = 40_000
"""Of all these replays."""


def run_all_tours(
    side: ComparisonSetup, planner: TourPlanner, parameters: NamedValues
) -> str | None:
    """Do the tours; return what is wrong, with a short program; None where nothing is.

    Args:
        side: what is compared with what.
        planner: what is planned, and what was reached already.
        parameters: those with which each sequence begins.

    Returns:
        The message with the program that shows the failure, or None.
    """
    with fresh_process_check(partial(_replay_failure, side)) as fresh:
        run = PairedRun(side)
        try:
            every = run_tour, run_exhaustive_tour, run_repetitions, run_long_sequences
            planned = itertools.chain.from_iterable(
                run_plan(run, planner, parameters) for run_plan in every
            )
            for _ in itertools.chain(planned, run_random_sequences(run, planner)):
                pass
            run.end()
        except AssertionError as wrong:
            return shrink_failure(side, run.history, str(wrong), fresh)
        finally:
            run.close()
    return None


def shrink_failure(
    side: ComparisonSetup,
    done: list[SequenceStart | Attempt],
    message: str,
    fresh: FailureCheck | None = None,
) -> str:
    """Leave out what a failure does not need, large pieces first, and make its arguments simple;
    return what its last failure says.

    The last life is tried alone; only where it does not fail so, those before it are needed. What
    fails no more is said as it was.

    Args:
        side: what is compared with what.
        done: all that was done.
        message: what is wrong with it.
        fresh: asks what fails where nothing was done before. What subjects share here makes the
            shortest of programs fail: one that does not fail there as well is none, and is looked
            for again among the lives that were.

    Returns:
        The message of the last failure, with the shortest program that was found.

    Source: A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
        2002; pieces are tried by halves of their size.
    """
    begins = [index for index, step in enumerate(done) if isinstance(step, SequenceStart)] or [0]
    here = partial(_replay_failure, side)
    for known in (done[begins[-1] :], done):
        again = here(known)
        if again is not None:
            shrinker = _FailureShrinker(side.finder, here, list(known), again)
            shrinker.shrink()
            return _confirmed_failure(side, done, begins, shrinker, fresh)
    return message


def _confirmed_failure(
    side: ComparisonSetup,
    done: list[SequenceStart | Attempt],
    begins: list[int],
    shrinker: _FailureShrinker,
    fresh: FailureCheck | None,
) -> str:
    """Return what a short program says, where it fails in a fresh process too; else what one of the
    last lives does that fails there.
    """
    if fresh is None:
        return shrinker.message
    try:
        if fresh(shrinker.history) is not None:
            return shrinker.message
        for many in (2**power for power in range(1, len(begins).bit_length() + 1)):
            known = done[begins[-many] if many < len(begins) else 0 :]
            again = fresh(known)
            if again is not None:
                shrinker = _FailureShrinker(side.finder, fresh, known, again)
                shrinker.shrink()
                return shrinker.message
    except NoFreshProcess:
        pass
    return shrinker.message


@define
class _FailureShrinker:
    """What fails, made shorter and simpler as long as it fails."""

    finder: AttemptFinder
    fails: FailureCheck
    history: list[SequenceStart | Attempt]
    message: str
    replays: int = 0
    steps: int = 0

    def shrink(self) -> None:
        """Leave out calls, then make arguments simple, and again while the one has made way for the
        other.
        """
        simplified = True
        while simplified and not self.is_limit_reached:
            self._remove_steps()
            simplified = self._simplify_arguments()

    @property
    def is_limit_reached(self) -> bool:
        """Whether enough was tried."""
        return self.replays >= _MOST_REPLAYS or self.steps >= MOST_STEPS

    def _keep_if_failing(self, other: list[SequenceStart | Attempt]) -> bool:
        """Take something else where it fails too."""
        if self.is_limit_reached:
            return False
        wrong = self.fails(other)
        self.replays, self.steps = self.replays + 1, self.steps + len(other)
        if wrong is not None:
            self.history, self.message = other, wrong
        return wrong is not None

    def _remove_steps(self) -> None:
        """Leave out what the failure does not need; its first beginning stays."""
        size = max(1, len(self.history) // 2)
        while not self.is_limit_reached:
            start = len(self.history) - 1 - size
            while start > 1 - size and not self.is_limit_reached:
                self._keep_if_failing(
                    [*self.history[: max(1, start)], *self.history[start + size :]]
                )
                start -= size
            if size == 1:
                return
            size //= 2

    def _simplify_arguments(self) -> bool:
        """Make arguments simple; return whether any was made simpler."""
        simplified = False
        for index in range(len(self.history)):
            while self._simplify_step(index):
                simplified = True
        return simplified

    def _simplify_step(self, start: int) -> bool:
        attempt = self.history[start]
        if isinstance(attempt, SequenceStart):
            return False
        others = simpler_attempts(self.finder, attempt)
        return any(
            self._keep_if_failing([*self.history[:start], other, *self.history[start + 1 :]])
            for other in others
        )


def _replay_failure(side: ComparisonSetup, done: Iterable[SequenceStart | Attempt]) -> str | None:
    """Do something again; return what is wrong; None: nothing."""
    run = PairedRun(side)
    try:
        run.replay(done)
        run.end()
    except AssertionError as wrong:
        return str(wrong)
    finally:
        run.close()
    return None
