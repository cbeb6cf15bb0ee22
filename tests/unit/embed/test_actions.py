"""Actions and listeners: found by name, called in a fixed order, never half done.

Covers: statemachines.embed.acting_instances, statemachines.embed.acting_steps,
statemachines.embed.async_instances, statemachines.embed.binding, statemachines.embed.hooks.
"""

from __future__ import annotations

import asyncio
import copy
import threading

import pytest

from statemachines.api.machine import Machine
from statemachines.embed.acting_steps import Busy
from statemachines.embed.bound_errors import BindingError
from statemachines.embed.errors import NotAllowed
from statemachines.embed.hooks import Occurrence
from statemachines.model.definitions.snapshots import Snapshot
from tests.machines import ORDER, TURNSTILE

ARM = Machine(TURNSTILE)


def writing(calls: list[str], *names: str) -> dict[str, object]:
    """Actions of these names that write down their name and the state they see."""

    def action(name: str) -> object:
        return lambda occurrence: calls.append(f"{name} in {occurrence.instance.state}")

    return {name: action(name) for name in names}


def test_the_order_of_calls() -> None:
    """As the documentation of `Hooks` has it; the state changes between exit and entry."""
    calls: list[str] = []
    names = [
        "before_coin",
        "before",
        "on_exit_LOCKED",
        "on_exit",
        "on_coin",
        "on_enter_OPEN",
        "on_enter",
        "after_coin",
        "after",
    ]
    listeners = writing(calls, "told before", "told after")
    arm = ARM.bind(
        writing(calls, *reversed(names)),
        before=[listeners["told before"]],
        after=[listeners["told after"]],
    ).instance()
    arm.send("coin")
    assert calls == [
        "told before in LOCKED",
        *[f"{name} in LOCKED" for name in names[:5]],
        *[f"{name} in OPEN" for name in names[5:]],
        "told after in OPEN",
    ]


def test_who_stays_neither_leaves_nor_enters() -> None:
    """A second coin is no new opening."""
    calls: list[str] = []
    arm = ARM.bind(writing(calls, "on_exit_OPEN", "on_enter_OPEN", "on_coin")).instance(
        Snapshot("OPEN")
    )
    arm.coin()
    assert calls == ["on_coin in OPEN"]


def test_methods_of_an_object_are_found_by_their_names() -> None:
    """Also those that it inherits; others are left alone."""

    class Gate:
        opened = 0

        def on_enter_OPEN(self, occurrence: Occurrence) -> None:
            """Count."""
            self.opened += occurrence.source == "LOCKED"

        def count(self) -> int:
            """Not an action."""
            return self.opened

    class Better(Gate):
        pass

    gate = Better()
    arm = ARM.bind(gate).instance()
    arm.coin()
    arm.push()
    arm.coin()
    assert gate.count() == 2


def test_listeners_hear_of_refusals_and_actions_do_not() -> None:
    """A listener may count what was tried."""
    calls: list[str] = []
    heard: list[Occurrence] = []
    arm = ARM.bind(writing(calls, "before_push", "on_push"), after=[heard.append]).instance()
    with pytest.raises(NotAllowed):
        arm.push()
    assert calls == []
    assert [
        (type(each.answer).__name__, each.event, each.source, each.target) for each in heard
    ] == [("Refused", "push", "LOCKED", "LOCKED")]


def test_a_forced_step_is_a_step() -> None:
    """The system does it all the same, so whatever hangs on the state happens."""
    calls: list[str] = []
    order = (
        Machine(ORDER)
        .bind(writing(calls, "on_exit_CLOSED", "on_enter_SHIPPED"))
        .instance(Snapshot("CLOSED"))
    )
    order.send("to_SHIPPED")
    assert calls == ["on_exit_CLOSED in CLOSED", "on_enter_SHIPPED in SHIPPED"]


@pytest.mark.parametrize(
    "name", ["before_coin", "on_exit_LOCKED", "on_coin", "on_enter_OPEN", "after_coin"]
)
def test_where_an_action_fails_nothing_has_happened(name: str) -> None:
    """Whichever it is; and the next attempt succeeds."""
    failing = [True]

    def action(occurrence: Occurrence) -> None:
        if failing.pop():
            failing.append(False)
            raise OSError("no paper")

    arm = ARM.bind({name: action}).instance()
    with pytest.raises(OSError, match="no paper"):
        arm.coin()
    assert arm.snapshot == Snapshot("LOCKED")
    arm.coin()
    assert arm.state == "OPEN"


def test_an_action_cannot_send_in_the_middle_of_a_step_but_a_listener_may() -> None:
    """Half a step inside another is how lifecycles are lost."""
    arm = ARM.bind({"on_enter_OPEN": lambda occurrence: occurrence.instance.push()}).instance()
    with pytest.raises(Busy, match="send it from a listener"):
        arm.coin()
    assert arm.state == "LOCKED"
    arm = ARM.bind(
        after=[lambda occurrence: occurrence.target == "OPEN" and occurrence.instance.push()]
    ).instance()
    arm.coin()
    assert arm.state == "LOCKED"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("on_enter_OPPEN", "no state `OPPEN`; did you mean `OPEN`"),
        ("before_coim", "no event `coim`; did you mean `coin`"),
        ("enter_OPEN", "is no action; they are called before_EVENT"),
    ],
)
def test_a_misspelt_action_is_told_at_once(name: str, told: str) -> None:
    """It would never be called, and nobody would notice."""
    with pytest.raises(BindingError, match=told):
        ARM.bind({name: print})


def test_a_misspelt_method_is_told_too_where_it_looks_like_an_action() -> None:
    """Of an object the other methods are its own business."""
    with pytest.raises(BindingError, match="no state `SHUT`"):
        ARM.bind(
            type("Gate", (), {"on_enter_SHUT": lambda self, occurrence: None, "enter_OPEN": None})()
        )


def test_a_declared_error_may_be_the_programs_own() -> None:
    """Code around the machine goes on catching what it knows."""

    class TooLate(Exception):
        pass

    order = Machine(ORDER).bind(errors={"TooLate": TooLate}).instance(Snapshot("CLOSED"))
    with pytest.raises(TooLate, match="`pay` is not allowed in CLOSED"):
        order.pay()


def test_a_copy_keeps_its_actions() -> None:
    """It goes its own way, and calls the same ones."""
    calls: list[str] = []
    binding = ARM.bind(writing(calls, "on_coin"))
    for first in (binding.instance(), binding.threadsafe()):
        second = copy.copy(first)
        second.coin()
        assert (first.state, second.state) == ("LOCKED", "OPEN")
    assert calls == ["on_coin in LOCKED", "on_coin in LOCKED"]


def test_several_threads_send_one_after_the_other() -> None:
    """Each step is whole: without the lock, entries and exits would mix."""
    inside: list[int] = []
    most: list[int] = []

    def on_coin(occurrence: Occurrence) -> None:
        inside.append(1)
        most.append(len(inside))
        inside.pop()

    arm = ARM.bind({"on_coin": on_coin, "on_push": on_coin}).threadsafe()

    def work() -> None:
        for _ in range(200):
            with arm.alone():
                arm.coin()
                assert arm.state == "OPEN"
                arm.push()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (arm.state, max(most), len(most)) == ("LOCKED", 1, 1600)
    assert arm.snapshot == Snapshot("LOCKED")


def test_coroutines_are_awaited_in_the_same_order() -> None:
    """Plain functions may stand among them."""
    calls: list[str] = []

    async def on_coin(occurrence: Occurrence) -> None:
        await asyncio.sleep(0)
        calls.append(f"on_coin in {occurrence.instance.state}")

    async def told(occurrence: Occurrence) -> None:
        calls.append("told")

    binding = ARM.bind(
        {"on_coin": on_coin, **writing(calls, "on_enter_OPEN")}, before=[told], after=[told]
    )
    with pytest.raises(
        BindingError,
        match=r"on_coin is asynchronous; bring the machine to life with `asynchronous\(\)`",
    ):
        binding.instance()

    async def run() -> str:
        arm = binding.asynchronous()
        await arm.send("coin")
        with pytest.raises(NotAllowed):
            await binding.asynchronous().push()
        return arm.state

    assert asyncio.run(run()) == "OPEN"
    assert calls[:4] == ["told", "on_coin in LOCKED", "on_enter_OPEN in OPEN", "told"]


def test_tasks_wait_for_each_other_and_a_cancelled_one_leaves_nothing_half_done() -> None:
    """The two things that asyncio adds."""

    async def run() -> list[str]:
        gate, seen = asyncio.Event(), []

        async def on_enter_OPEN(occurrence: Occurrence) -> None:
            await gate.wait()

        arm = ARM.bind({"on_enter_OPEN": on_enter_OPEN}).asynchronous()
        first = asyncio.create_task(arm.send("coin"))
        second = asyncio.create_task(arm.send("coin"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        seen.append(arm.state)
        gate.set()
        await second
        return [*seen, arm.state]

    states = asyncio.run(run())
    assert states[-1] == "OPEN"


def test_an_asynchronous_action_cannot_send_either() -> None:
    """It would wait for itself for ever."""

    async def on_enter_OPEN(occurrence: Occurrence) -> None:
        await occurrence.instance.send("push")

    async def run() -> str:
        arm = ARM.bind({"on_enter_OPEN": on_enter_OPEN}).asynchronous()
        with pytest.raises(Busy):
            await arm.send("coin")
        return arm.state

    assert asyncio.run(run()) == "LOCKED"


@pytest.mark.parametrize("action", [3, None, "print"])
def test_what_cannot_be_called_is_no_action(action: object) -> None:
    """It would break in the middle of a step, days later."""
    with pytest.raises(BindingError, match=r"action `on_coin`: .* cannot be called"):
        Machine(TURNSTILE).bind({"on_coin": action})
