"""Our machines as machines of `transitions`."""

from __future__ import annotations

import pytest
from attrs import evolve
from transitions import MachineError

from statemachines.embed.bridge import to_transitions
from statemachines.embed.errors import NotAllowed
from statemachines.model.data import Case
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
    """A bridge that drops guards would lie."""
    with_guard = evolve(TURNSTILE, transitions=(evolve(TURNSTILE.transitions[0], case=Case()),))
    with pytest.raises(ValueError, match="guards or effects"):
        to_transitions(with_guard)
    nameless = evolve(TURNSTILE, states=(evolve(TURNSTILE.states[0], name=""),), transitions=(), predicates=(), events=())
    with pytest.raises(ValueError, match="no states to speak of"):
        to_transitions(nameless)
