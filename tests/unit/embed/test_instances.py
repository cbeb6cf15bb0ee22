"""An embedded machine: it moves, refuses with reasons, and can be copied and kept.

Covers: statemachines.embed.errors.
"""

from __future__ import annotations

import copy
import pickle

import pytest

from statemachines.embed.errors import Declared, NotAllowed, declared, not_allowed
from statemachines.embed.instances import Instance
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.machines import COUNTER, ORDER, TURNSTILE


def test_events_move_it() -> None:
    """By name or called as a method."""
    turnstile = Instance(TURNSTILE)
    turnstile.send("coin")
    assert turnstile.state == "OPEN"
    turnstile.push()
    assert turnstile.state == "LOCKED"


def test_a_refusal_says_what_would_have_been_legal_and_changes_nothing() -> None:
    """The sentence that a person debugs with."""
    turnstile = Instance(TURNSTILE)
    with pytest.raises(
        NotAllowed, match="`push` is not allowed in LOCKED; legal here: `coin`"
    ) as caught:
        turnstile.send("push")
    error = caught.value
    assert (error.machine, error.release, error.state, error.event, error.legal, error.does) == (
        "turnstile",
        "",
        "LOCKED",
        "push",
        ("coin",),
        "refuse",
    )
    assert turnstile.snapshot == Snapshot("LOCKED")


def test_what_the_system_raises_is_an_error_of_that_name_and_a_refusal() -> None:
    """A caller may catch either."""
    counter = Instance(COUNTER)
    with pytest.raises(NotAllowed, match="the system would raise OverflowException") as caught:
        counter.to_TWO()
    assert type(caught.value).__name__ == "OverflowException"
    assert isinstance(caught.value, declared("OverflowException"))
    assert isinstance(caught.value, Declared)


def test_what_the_system_swallows_or_forces_raises_nothing() -> None:
    """An instance does what the system does."""
    order = Instance(ORDER, Snapshot("CLOSED"))
    assert order.send("to_CLOSED") is None
    order.send("to_SHIPPED")
    assert order.state == "SHIPPED"


def test_may_asks_without_doing() -> None:
    """A forced step is not allowed, although it would happen."""
    order = Instance(ORDER)
    assert order.may("pay")
    assert not order.may("to_SHIPPED")
    assert order.state == "NEW"
    with pytest.raises(ArgumentsError, match="did you mean `ship`"):
        order.may("shipp")


def test_it_begins_where_it_is_told() -> None:
    """The first beginning where nothing is said."""
    assert [
        Instance(ORDER).state,
        Instance(ORDER, "DRAFT").state,
        Instance(ORDER, Snapshot("PAID")).state,
    ] == ["NEW", "DRAFT", "PAID"]


def test_it_knows_itself() -> None:
    """What a debugger and a log want."""
    order = Instance(ORDER, Snapshot("CLOSED"))
    assert repr(order) == "<shop/Order 2.0 in CLOSED>"
    assert (order.machine, order.release, order.final, order.legal) == (
        "shop/Order",
        "2.0",
        True,
        (),
    )
    assert order.holds("done")
    assert {"pay", "to_NEW"} <= set(dir(order))
    assert (order.variables, order.parameters) == ({}, {})


def test_a_misspelt_method_is_told() -> None:
    """As python does for attributes, with the nearest event."""
    with pytest.raises(AttributeError, match=r"no event or variable `coim`; did you mean `coin`\?"):
        Instance(TURNSTILE).coim()
    with pytest.raises(ArgumentsError, match="did you mean `coin`"):
        Instance(TURNSTILE).send("coim")


@pytest.mark.parametrize(
    "twin_of",
    [copy.copy, copy.deepcopy, Instance.copy, lambda each: pickle.loads(pickle.dumps(each))],
)
def test_a_copy_is_where_it_was_and_goes_its_own_way(twin_of) -> None:
    """Copies and pickles share nothing that changes."""
    first = Instance(ORDER)
    first.send("pay")
    second = twin_of(first)
    second.send("ship")
    assert (first.state, second.state) == ("PAID", "SHIPPED")


def test_errors_survive_a_pickle() -> None:
    """Workers send them home."""
    for error in (
        NotAllowed("m", "1", "A", "go", ("halt",)),
        not_allowed("TooLate")("m", "1", "A", "go", (), "raise TooLate"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.event) == (type(error), str(error), "go")
    told = pickle.loads(pickle.dumps(declared("TooLate")("too late")))
    assert (type(told), str(told)) == (declared("TooLate"), "too late")


def test_it_is_small() -> None:
    """A million of them fit in memory: no dictionary of its own."""
    assert not hasattr(Instance(TURNSTILE), "__dict__")


@pytest.mark.parametrize("begin", [3, {}, {"state": "LOCKED"}, ("LOCKED",), b"LOCKED"])
def test_what_is_neither_a_state_nor_a_snapshot_is_refused_with_a_sentence(begin: object) -> None:
    """A parsed snapshot is given where its text was read; *unhashable type* helps nobody."""
    with pytest.raises(
        ArgumentsError, match="an instance begins in a state, named by a text, or in a snapshot"
    ):
        Instance(TURNSTILE, begin)
