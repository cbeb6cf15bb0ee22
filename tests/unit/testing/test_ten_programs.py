"""Programs that are wrong among two tasks, or after some rebalances: the planned runs find each, and right ones pass.

Covers: statemachines.testing.tours.repeated_runs, statemachines.testing.tours.long_sequences,
statemachines.testing.tours.set_relations.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.testing import from_machine
from tests.planted import threads
from tests.refusing import No

PLANNED = settings(
    max_examples=1, stateful_step_count=1, database=None, deadline=None, phases=[Phase.generate]
)
"""What is planned alone: what is drawn at random finds more, on a good day."""
REGISTRIES = (
    threads.StaysSuspended,
    threads.ClosesRunningOnly,
    threads.LosesWhatWasSuspended,
    threads.RevokesOne,
    threads.MigratesAll,
    threads.RemembersTooMuch,
    threads.CountsAfterThree,
)
THREADS = (
    threads.DiesAfterThree,
    threads.CannotStopAfterThree,
    threads.SticksAfterThree,
    threads.DiesAfterSixty,
    threads.CannotStopAfterForty,
)


def run_registry(kind: Callable[[], threads.Tasks]) -> None:
    run_state_machine_as_test(from_machine(threads.TASKS, kind, refusals=(No,)), settings=PLANNED)


def run_thread(kind: Callable[[], threads.StreamThread]) -> None:
    test = from_machine(
        threads.STREAM_THREAD,
        kind,
        refusals=(No,),
        errors={"StreamsException": threads.StreamsException},
        call=threads.move,
    )
    run_state_machine_as_test(test, settings=PLANNED)


def test_right_programs_pass() -> None:
    """A false alarm costs more than it finds."""
    run_registry(threads.Tasks)
    run_thread(threads.StreamThread)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_what_is_wrong_among_two_tasks_is_found(kind: Callable[[], threads.Tasks]) -> None:
    """One task alone is treated rightly by each of them."""
    with pytest.raises(AssertionError, match="The program that shows it"):
        run_registry(kind)


@pytest.mark.parametrize("kind", THREADS)
def test_what_is_wrong_after_some_rebalances_is_found(
    kind: Callable[[], threads.StreamThread],
) -> None:
    """What is refused at first is tried again where a step was taken often: a forbidden step too."""
    with pytest.raises(AssertionError, match="The program that shows it"):
        run_thread(kind)
