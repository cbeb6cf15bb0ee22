"""The pure step over tiny machines: every answer, and every mistake of a caller.

Covers: statemachines.semantics.machine.initial_snapshots.
"""

from __future__ import annotations

import pytest

from statemachines.model.definitions.snapshots import (
    Advanced,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.semantics.machine.initial_snapshots import (
    chosen_snapshot,
    initial_snapshot,
    initial_snapshots,
)
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.machines import COUNTER, DEAD_END, ORDER, TURNSTILE


def test_a_transition_takes_the_event() -> None:
    """The plainest answer, with the arrow that decided."""
    answer = step(TURNSTILE, Snapshot("LOCKED"), "coin")
    assert answer == Advanced(Snapshot("OPEN"), TURNSTILE.transitions[0])


def test_refusing_is_the_default_and_changes_nothing() -> None:
    """A spec that says nothing about forbidden events must not be read as one that swallows them."""
    before = Snapshot("LOCKED")
    assert step(TURNSTILE, before, "push") == Refused(before, None)
    assert before == Snapshot("LOCKED")


def test_a_raise_names_its_exception() -> None:
    """Callers compare the declared name with what their program throws."""
    answer = step(COUNTER, Snapshot("TWO"), "to_ZERO")
    assert answer == Raised(Snapshot("TWO"), COUNTER.otherwise[0], error="OverflowException")


def test_a_table_of_moves_may_be_asked_for_a_state_to_which_nothing_leads() -> None:
    """What the system does with such a request is a fact about it: an unknown event would hide it."""
    assert isinstance(step(DEAD_END, Snapshot("STUCK"), "to_START"), Refused)


@pytest.mark.parametrize(
    ("state", "event", "kind", "entry", "after"),
    [
        ("CLOSED", "to_CLOSED", Ignored, 0, "CLOSED"),
        ("NEW", "to_SHIPPED", Forced, 1, "SHIPPED"),
        ("SHIPPED", "pay", Raised, 2, "SHIPPED"),
        ("DRAFT", "ship", Forced, 3, "SHIPPED"),
        ("PAID", "pay", Ignored, 4, "PAID"),
        ("PAID", "to_NEW", Refused, 5, "PAID"),
        ("NEW", "to_CLOSED", Refused, 5, "NEW"),
    ],
)
def test_the_first_entry_of_otherwise_that_matches_counts(
    state: str, event: str, kind: type, entry: int, after: str
) -> None:
    """States, targets and events narrow an entry; the last row is an arrow that the system never takes."""
    answer = step(ORDER, Snapshot(state), event)
    assert (type(answer), answer.decided_by, answer.after) == (
        kind,
        ORDER.otherwise[entry],
        Snapshot(after),
    )


def test_an_unknown_event_is_a_mistake_of_the_caller_with_the_nearest_name() -> None:
    """A misspelt event must not look like a refusal."""
    with pytest.raises(
        ArgumentsError, match=r"turnstile has no event `coim`; did you mean `coin`\?"
    ):
        step(TURNSTILE, Snapshot("LOCKED"), "coim")


def test_a_machine_with_named_events_only_is_not_asked_for_moves() -> None:
    """`to_OPEN` would be a second way through the turnstile."""
    with pytest.raises(ArgumentsError, match="no event `to_OPEN`"):
        step(TURNSTILE, Snapshot("LOCKED"), "to_OPEN")


def test_an_unknown_state_is_a_mistake_of_the_caller() -> None:
    """A snapshot of another machine must not be stepped."""
    with pytest.raises(
        ArgumentsError, match=r"shop/Order 2.0 has no state `NWE`; did you mean `NEW`\?"
    ):
        step(ORDER, Snapshot("NWE"), "pay")


def test_an_argument_that_the_event_does_not_take_is_a_mistake_of_the_caller() -> None:
    """Even one that is called like the function's own parameters."""
    with pytest.raises(ArgumentsError, match="`coin` takes no argument `event`"):
        step(TURNSTILE, Snapshot("LOCKED"), "coin", event=1)


def test_variables_and_parameters_are_carried_along() -> None:
    """What a transition does not change stays."""
    answer = step(TURNSTILE, Snapshot("LOCKED", {"coins": 2}, {"price": 1}), "coin")
    assert answer.after == Snapshot("OPEN", {"coins": 2}, {"price": 1})


def test_the_only_beginning_is_found_and_several_are_all_named() -> None:
    """Whoever asks for the only one must not be given any of them."""
    assert initial_snapshot(TURNSTILE) == Snapshot("LOCKED")
    assert [each.state for each in initial_snapshots(ORDER)] == ["NEW", "DRAFT"]
    with pytest.raises(ArgumentsError, match="2 beginnings \\(`NEW`, `DRAFT`\\)"):
        initial_snapshot(ORDER)


def test_an_instance_begins_where_it_may_or_goes_on_from_a_snapshot() -> None:
    """A state alone must be a beginning; a snapshot may be anywhere."""
    assert chosen_snapshot(ORDER, None).state == "NEW"
    assert chosen_snapshot(ORDER, "DRAFT").state == "DRAFT"
    assert chosen_snapshot(ORDER, Snapshot("PAID")).state == "PAID"
    with pytest.raises(
        ArgumentsError,
        match=r"no instance of shop/Order 2\.0 begins in `PAID`; there are `NEW`, `DRAFT`",
    ):
        chosen_snapshot(ORDER, "PAID")
    with pytest.raises(ArgumentsError, match="no parameter `price`"):
        chosen_snapshot(ORDER, None, price=1)
