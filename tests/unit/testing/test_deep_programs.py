"""Programs that are wrong only in depth: after three rounds, among two, of a key that is used again, of what was refused before, in two threads.

Covers: statemachines.testing.systems.long_lives, statemachines.testing.tours.long_sequences,
statemachines.testing.tours.repeated_runs, statemachines.testing.threads.thread_checks.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.testing import check_threads, from_machine, from_system
from tests.planted import deep
from tests.refusing import No

PLANNED = settings(
    max_examples=1, stateful_step_count=1, database=None, deadline=None, phases=[Phase.generate]
)
"""What is planned alone, the same in every run: what is drawn at random finds more, on a good day."""
WRONG = [(of, kind, errors) for of, _, kinds, errors in deep.MACHINES for kind in kinds]
RACES = [(of, kind) for of, _, kinds in deep.RACING for kind in kinds]


def drive(of: Any, kind: type[Any], errors: dict[str, type[Exception]]) -> None:
    """Run what is planned for one machine."""
    test = from_machine(of, kind, refusals=(No,), errors=errors)
    run_state_machine_as_test(test, settings=PLANNED)


def test_right_programs_pass() -> None:
    """A false alarm costs more than it finds."""
    for of, right, _, errors in deep.MACHINES:
        drive(of, right, errors)
    run_state_machine_as_test(
        from_system(deep.SHOPPING, deep.Shop, refusals=(No,)), settings=PLANNED
    )


@pytest.mark.parametrize(
    ("of", "kind", "errors"), WRONG, ids=lambda one: getattr(one, "__name__", "")
)
def test_what_is_wrong_in_depth_is_found(
    of: Any, kind: type[Any], errors: dict[str, type[Exception]]
) -> None:
    """By one subject after the other, whatever is drawn."""
    with pytest.raises(AssertionError, match="The program that shows it"):
        drive(of, kind, errors)


@pytest.mark.parametrize("kind", deep.SHOPS)
def test_what_is_wrong_among_parts_is_found(kind: type[deep.Shop]) -> None:
    """What parts hand over needs no method that anybody could call."""
    test = from_system(deep.SHOPPING, kind, refusals=(No,))
    with pytest.raises(AssertionError, match="The calls that show it"):
        run_state_machine_as_test(test, settings=PLANNED)


def test_right_programs_pass_with_two_threads() -> None:
    """Whatever turn is taken."""
    for of, right, _ in deep.RACING:
        check_threads(of, right, refusals=(No,), runs=15)


@pytest.mark.parametrize(("of", "kind"), RACES, ids=lambda one: getattr(one, "__name__", ""))
def test_what_takes_two_threads_is_found(of: Any, kind: type[Any]) -> None:
    """One thread alone is served rightly by each of them."""
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(of, kind, refusals=(No,))
