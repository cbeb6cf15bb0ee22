"""The line before the one that is judged: which was first, and what may have begun in between.

Covers: statemachines.conform.judge.instance.line_before.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.instance.line_before import LineBefore
from statemachines.conform.settle.judging_context import JudgingContext

TOLERANCE_MS = 10


def place(at: int) -> Position:
    """Where a line of this time stands in its process."""
    return Position(at, 0, 0, at)


def observation(at: int, number: int | None = None) -> Observation:
    """A line of which nothing is asked but its time and its number."""
    return cast(Observation, SimpleNamespace(at=at, number=number))


def line_before(*starts: int, survives: bool = False, single: bool = False) -> LineBefore:
    """Nothing yet, in a log whose process 0 began at these times."""
    process = SimpleNamespace(
        possible_starts=[place(at) for at in starts],
        began_between=lambda a, b: any(a < place(at) < b for at in starts),
    )
    context = SimpleNamespace(
        position=lambda seen: place(seen.at),
        processes=[process, process],
        plan=SimpleNamespace(options=SimpleNamespace(tolerance_ms=TOLERANCE_MS)),
    )
    return LineBefore(
        cast(JudgingContext, context), ends_with_process=not survives, single_incarnation=single
    )


def test_the_order_is_unclear_within_the_tolerance_of_two_clocks_only() -> None:
    """Lines of one process stand in the order of its log, however near they are."""
    before = line_before()
    before.take(0, observation(100))
    assert before.is_order_unclear(1, place(100 + TOLERANCE_MS))
    assert not before.is_order_unclear(1, place(101 + TOLERANCE_MS))
    assert not before.is_order_unclear(0, place(100))


def test_numbers_of_a_sequence_say_which_line_was_first() -> None:
    """Two lines that both have a number need no clock."""
    before = line_before()
    before.take(0, observation(100, number=7))
    assert not before.is_order_unclear(1, place(100), is_numbered=True)
    assert before.is_order_unclear(1, place(100))


@pytest.mark.parametrize(
    ("survives", "single", "begins"),
    [(False, False, True), (True, False, False), (False, True, False)],
)
def test_a_restart_begins_the_lives_of_what_it_ends(
    survives: bool, single: bool, begins: bool
) -> None:
    """What outlives its processes, or is named by one generation, does not begin with them."""
    before = line_before(150, survives=survives, single=single)
    before.take(0, observation(100))
    assert before.may_have_begun(0, place(200)) is begins
    assert not before.may_have_begun(0, place(120))


def test_the_first_sign_of_a_start_since_the_line_is_found() -> None:
    """A life that began with its process began at the first sign of it, not at the last."""
    before = line_before(50, 150, 160)
    assert before.start_since(0, place(200)) is None
    before.take(0, observation(100))
    assert before.start_since(0, place(200)) == place(150)
    assert before.start_since(0, place(120)) is None
    assert before.start_since(1, place(200)) is None
