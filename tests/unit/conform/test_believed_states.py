"""Where an instance is believed to be: by class of releases, and as points of its timeline.

Covers: statemachines.conform.judge.instance.believed_states.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from statemachines.conform.interchange.judgements import StatePoint
from statemachines.conform.judge.checks.group_check import ClassGroup
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.tables.release_tables import ReleaseClass

OLD, NEW = 1, 2
"""Two classes of releases, as sets of bits."""


def release_class(releases: int) -> ReleaseClass:
    """A class of which nothing is asked but its releases."""
    return cast(ReleaseClass, SimpleNamespace(releases=releases))


def line_group(*, begins: bool = False, steps: bool = False) -> ClassGroup:
    """What came of a line."""
    group = ClassGroup(cast(Any, None), cast(Any, None), ())
    group.begins_incarnation = begins
    group.rows = [("A", "B", "told")] if steps else []
    return group


def point(line: int, *, by_step: bool = False) -> StatePoint:
    """A line of the log, whose states are filled in."""
    return StatePoint((), line * 1000, "", 0, 0, line, by_step)


def test_states_of_all_classes_stand_in_the_order_of_the_author() -> None:
    """Two classes that disagree leave both states possible; reports list them as the spec does."""
    believed = BelievedStates(["A", "B", "C"])
    believed.take_group({OLD: frozenset("C"), NEW: frozenset("A")}, line_group(), point(1))
    assert believed.states() == ("A", "C")
    believed.set_exact(OLD | NEW, all_classes_read=True)
    assert believed.exact is None


def test_a_class_that_was_not_asked_believes_what_the_others_do() -> None:
    """A line of new releases only says where the instance of an old one may be, too."""
    believed = BelievedStates(["A", "B"])
    assert believed.class_belief(release_class(OLD)) is None
    believed.take_group({NEW: frozenset("B")}, line_group(), point(1))
    assert believed.class_belief(release_class(OLD)) == frozenset("B")


def test_a_line_that_repeats_the_state_makes_no_new_point() -> None:
    """`since` in the report is when the state was entered, not when it was last heard of."""
    believed = BelievedStates(["A", "B"])
    step = point(1, by_step=True)
    assert believed.take_group({NEW: frozenset("B")}, line_group(steps=True), step) is not None
    assert believed.take_group({NEW: frozenset("B")}, line_group(), point(2)) is None
    assert believed.point == step._replace(states=("B",)) == believed.first_point
    believed.set_exact(NEW, all_classes_read=True)
    assert believed.exact == (NEW, "B")


def test_a_copy_goes_on_by_itself() -> None:
    """Trying an order of lines leaves no trace in the judge that tried it."""
    believed = BelievedStates(["A", "B"])
    believed.take_group({NEW: frozenset("B")}, line_group(), point(1))
    trial = believed.copy()
    trial.forget()
    assert trial.states() is None
    assert believed.states() == ("B",)
