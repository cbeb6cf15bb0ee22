"""Our machines as machines of `transitions`.

Covers: statemachines.interop.transitions.bridge, statemachines.interop.transitions.data_bridge.
"""

from __future__ import annotations

import pytest
from attrs import evolve
from transitions import MachineError, Transition

from statemachines.embed.errors import Declared, NotAllowed
from statemachines.interop.transitions.bridge import to_transitions
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import example
from tests.machines import COUNTER, ORDER, TURNSTILE


class Arm:
    """A model of the user's, with a callback that `transitions` finds by its name."""

    def __init__(self) -> None:
        self.opened = 0

    def on_enter_OPEN(self) -> None:
        """Count."""
        self.opened += 1


def test_it_is_a_working_machine_of_that_library() -> None:
    """Triggers, `may_`, `is_` and callbacks as its users know them."""
    arm = Arm()
    machine = to_transitions(TURNSTILE, arm)
    assert arm.may_coin()
    assert not arm.may_push()
    assert arm.coin()
    assert arm.is_OPEN()
    assert arm.opened == 1
    assert list(machine.states) == ["LOCKED", "OPEN"]


def test_a_refusal_is_an_error_of_both_libraries() -> None:
    """Code that catches MachineError goes on working."""
    machine = to_transitions(TURNSTILE)
    with pytest.raises(MachineError):
        machine.push()
    with pytest.raises(NotAllowed, match="legal here: `coin`"):
        machine.push()
    assert machine.state == "LOCKED"


def test_otherwise_is_honoured() -> None:
    """Ignored, forced and raised, each as the machine says."""
    machine = to_transitions(ORDER, begin="DRAFT")
    assert not machine.pay()
    assert machine.ship()
    assert machine.state == "SHIPPED"
    with pytest.raises(NotAllowed) as caught:
        machine.pay()
    assert type(caught.value).__name__ == "TooLate"
    with pytest.raises(NotAllowed, match="raise OverflowException"):
        to_transitions(COUNTER).to_TWO()


def test_final_states_are_marked() -> None:
    """Its `on_final` callbacks depend on it."""
    seen: list[str] = []
    machine = to_transitions(ORDER, on_final=lambda: seen.append("final"))
    for trigger in ("pay", "ship", "to_CLOSED"):
        machine.trigger(trigger)
    assert seen == ["final"]


def test_an_event_that_nothing_takes_is_a_trigger_too() -> None:
    """Asking for it must not be an AttributeError."""
    machine = to_transitions(COUNTER)
    with pytest.raises(NotAllowed):
        machine.to_ZERO()


def test_what_cannot_be_said_is_refused_by_name() -> None:
    """A bridge without a state would be no machine of that library."""
    nameless = evolve(
        TURNSTILE,
        states=(evolve(TURNSTILE.states[0], name=""),),
        transitions=(),
        predicates=(),
        events=(),
    )
    with pytest.raises(ValueError, match="no states to speak of"):
        to_transitions(nameless)


class Watcher:
    """A model whose callbacks look at the data."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def on_enter_FROZEN(self) -> None:
        """It is not entered by staying."""
        self.seen.append("frozen")

    def look(self, **_: object) -> None:
        """Note the balance before and after."""
        self.seen.append(
            (self.snapshot.variables["balance"], self.answer.after.variables["balance"])
        )


def test_data_goes_along() -> None:
    """Guards, results, errors with effects, `may_` with arguments; callbacks see what was and what will be."""
    watcher = Watcher()
    to_transitions(example("BankAccount"), watcher, before_state_change="look")
    assert watcher.deposit(amount=3)
    assert watcher.seen == [(0, 3)]
    assert watcher.answer.returned == 3
    assert watcher.may_withdraw(amount=3)
    assert not watcher.may_thaw()
    with pytest.raises(Declared) as caught:
        watcher.transfer(amount=2, outcome="unknownPayee")
    assert type(caught.value).__name__ == "TransferFailed"
    assert watcher.freeze()
    assert watcher.state == watcher.snapshot.state == "FROZEN"
    with pytest.raises(MachineError, match="legal here: `deposit`, `thaw`, `close`"):
        watcher.withdraw(amount=1)
    assert watcher.deposit(amount=1)
    assert watcher.seen.count("frozen") == 1
    with pytest.raises(ArgumentsError, match="`amount` of `deposit`"):
        watcher.deposit(amount=99)


def test_an_own_condition_keeps_everything_as_it_was() -> None:
    """The library's conditions are asked too; a callback that fails leaves the data alone."""
    account = to_transitions(example("BankAccount"), send_event=True)
    account.events["deposit"].transitions["OPEN"][0].conditions.append(
        Transition.condition_cls(lambda event: event.kwargs["amount"] < 2)
    )
    assert not account.deposit(amount=2)
    assert account.snapshot.variables["balance"] == 0
    account.events["freeze"].transitions["OPEN"][0].before.append(lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        account.freeze()
    assert (account.state, account.snapshot.state) == ("OPEN", "OPEN")


def test_models_of_one_machine_have_data_of_their_own() -> None:
    """And what is all data has one state."""
    models = [Watcher(), Watcher()]
    to_transitions(example("Orders"), models, parameters={"shelf": {"tea": 1, "milk": 2}})
    assert models[0].place(order="a", item="tea", count=1)
    assert [dict(model.snapshot.variables["stock"]) for model in models] == [
        {"tea": 0, "milk": 2},
        {"tea": 1, "milk": 2},
    ]
    assert models[0].state == "there"
