"""An embedded machine with data: arguments, results, variables, reasons; copied, kept, refused where it is a stranger.

Covers: statemachines.model.language.frozen_values.
"""

from __future__ import annotations

import asyncio
import copy
import pickle

import pytest

from statemachines.api.machine import Machine
from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.instances import Instance
from statemachines.embed.snapshot_json import StrangerError, from_json
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import example, machine

BANK, COUNTER, ORDERS = example("BankAccount"), example("BoundedCounter"), example("Orders")


def shop() -> Instance:
    """A shop with one paid order."""
    made = Instance(ORDERS, shelf={"tea": 2, "milk": 1})
    made.place(order=17, item="tea", count=1)
    made.pay(order=17)
    return made


def test_operations_give_back_and_variables_are_read() -> None:
    """`send` or a method; of several named results the caller gets `value`."""
    bank = Instance(BANK)
    assert bank.send("deposit", amount=3) == 3
    assert (bank.balance, bank.booked, bank.variables["balance"]) == (3, (3,), 3)
    assert bank.transfer(amount=2, outcome="booked") is True
    assert bank.close() == 1
    assert (bank.state, bank.final) == ("CLOSED", True)


def test_arguments_without_names_are_told_how_they_are_given() -> None:
    """The message of Python speaks of a method that the caller never called."""
    bank = Instance(BANK)
    with pytest.raises(TypeError, match=r"`deposit` takes .* by name: deposit\(amount=3\)"):
        bank.deposit(3)
    with pytest.raises(TypeError, match="`close` takes no arguments"):
        bank.close(3)
    assert bank.state == "OPEN"


def test_listeners_are_told_everything_that_was_given_out() -> None:
    """What went to others too."""
    told = []
    bank = (
        Machine(BANK)
        .bind(after=[lambda occurrence: told.append(occurrence.answer.returned)])
        .instance()
    )
    bank.deposit(amount=3)
    assert bank.transfer(amount=2, outcome="booked") is True
    assert told == [3, FrozenMap({"value": True, "sent": 2})]


def test_what_a_transition_raises_is_declared_and_no_refusal() -> None:
    """Nothing forbade it: it failed."""
    bank = Instance(BANK)
    with pytest.raises(Declared, match="`withdraw` in OPEN raises InsufficientFunds") as caught:
        bank.withdraw(amount=1)
    assert not isinstance(caught.value, NotAllowed)
    assert type(caught.value).__name__ == "InsufficientFunds"


def test_what_raises_may_leave_something_behind() -> None:
    """What the system leaves behind is behaviour."""
    queue = machine(
        "errors: {Broken: it}\nvariables: {n: 0..3 = 0}\nevents: {fall: {effect: {n: n + 1}, guard: n < 3, raises: Broken}}\n"
    )
    falling = Instance(queue)
    with pytest.raises(Declared):
        falling.fall()
    assert falling.n == 1


def test_a_refusal_names_the_guard_that_was_false() -> None:
    """And does not advise to do what was just refused."""
    counter = Instance(COUNTER, limit=1)
    counter.up()
    with pytest.raises(
        NotAllowed,
        match=r"`up` is not allowed in its only state: `count < limit` is false; legal here: `down`, `reset`$",
    ) as caught:
        counter.up()
    assert caught.value.why == "`count < limit` is false"
    assert pickle.loads(pickle.dumps(caught.value)).why == caught.value.why
    assert counter.count == 1


def test_arguments_that_do_not_fit_are_the_callers_mistake() -> None:
    """Of another type, outside of their set, against `where`, missing or unknown: never an answer of the machine."""
    bank, orders = Instance(BANK), shop()
    for arguments, said in (
        ({"amount": "much"}, "'much' is not of type"),
        ({"amount": 4}, "4 is not of type"),
        ({}, "needs the argument `amount`"),
        ({"amount": 1, "to": "me"}, "no argument `to`"),
    ):
        with pytest.raises(ArgumentsError, match=said):
            bank.deposit(**arguments)
    with pytest.raises(ArgumentsError, match="against its `where`"):
        orders.place(order=17, item="tea", count=1)
    with pytest.raises(ArgumentsError, match="needs the parameter `shelf`"):
        Instance(ORDERS)


def test_may_asks_the_guard() -> None:
    """Nothing happens."""
    bank = Instance(BANK)
    assert bank.may("deposit", amount=3)
    assert not bank.may("withdraw", amount=3)
    assert bank.balance == 0


def test_it_is_copied_pickled_and_kept() -> None:
    """With all its data."""
    orders = shop()
    for twin in (orders.copy(), copy.deepcopy(orders), pickle.loads(pickle.dumps(orders))):
        assert twin.snapshot == orders.snapshot
        assert twin.ship(batch={17}) == 1
        assert orders.orders[17].stage == "paid"
    again = Instance(ORDERS, from_json(ORDERS, orders.to_json()))
    assert again.snapshot == orders.snapshot
    assert again.to_json() == orders.to_json()
    assert again.cancel(order=17) is True
    assert again.stock == {"tea": 2, "milk": 1}


def test_strange_data_is_refused() -> None:
    """Another edition of the spec, or a file that was edited."""
    text = Instance(COUNTER, limit=2).to_json()
    for old, new, said in (
        ('"count": 0', '"count": 9', "variable `count`: 9 is not of type `0..5`"),
        ('"count": 0', '"number": 0', "it has the variables number; .* has count"),
        ('"count": 0', '"count": "none"', "'none' is not of type `0..5`"),
        ('"limit": 2', '"limit": 7', "parameter `limit`: 7 is not of type"),
    ):
        assert old in text
        with pytest.raises(StrangerError, match=said):
            from_json(COUNTER, text.replace(old, new))


def test_nothing_is_half_done_when_an_action_fails() -> None:
    """State and data are as they were."""

    class Full:
        def on_deposit(self, occurrence: object) -> None:
            """Fail."""
            raise OSError("disk full")

    bank = Machine(BANK).bind(Full()).instance()
    with pytest.raises(OSError, match="disk full"):
        bank.deposit(amount=1)
    assert (bank.balance, bank.booked) == (0, ())


def test_asynchronous_and_threadsafe_ones_do_the_same() -> None:
    """Results, errors and data."""
    safe = Machine(BANK).bind().threadsafe()
    assert (safe.deposit(amount=2), safe.balance) == (2, 2)

    async def scenario() -> None:
        bank = Machine(BANK).bind().asynchronous()
        assert await bank.deposit(amount=2) == 2
        with pytest.raises(Declared):
            await bank.withdraw(amount=3)
        assert bank.balance == 2

    asyncio.run(scenario())
