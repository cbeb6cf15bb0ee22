"""A system in a program: its parts move together, and nothing is half done.

Covers: statemachines.embed.systems.embedded_systems, statemachines.embed.systems.part_handles,
statemachines.embed.systems.system_hooks, statemachines.embed.systems.system_json,
statemachines.embed.systems.system_binding, statemachines.embed.systems.async_systems,
statemachines.semantics.system.system_snapshots.
"""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import threading

import pytest
from attrs import evolve

from statemachines.api.system import System
from statemachines.embed.acting_steps import Busy
from statemachines.embed.bound_errors import BindingError
from statemachines.embed.errors import NotAllowed
from statemachines.embed.hooks import Occurrence
from statemachines.embed.snapshot_json import StrangerError
from statemachines.embed.systems.embedded_systems import SystemInstance
from statemachines.embed.systems.system_hooks import SystemOccurrence
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.systems import house

LINKED = """
variables: {opened: "0..3 = 0"}
links:
  - {on: door, enters: OPEN, effect: {opened: "opened + 1"}}
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}}
  - {on: lamps, enters: BROKEN, send: alarm.to_OPEN, later: true}
  - {on: door, enters: SHUT, only if: "all(l.state != 'ON' for l in lamps.values())", doc: a light is on}
always:
  once: opened < 2
"""
ROOMS = {"lamps": ["hall", "attic"]}


def linked(**told: object) -> SystemInstance:
    """A house whose door switches the lamps."""
    return System(house(LINKED)).instance(keys=ROOMS, **told)


def test_what_links_send_is_done_too() -> None:
    """One event moves all parts that it concerns, and the shared variables."""
    one = linked()
    one.door.to_OPEN()
    assert (one.door.state, one.lamps["hall"].state, one.lamps["attic"].state) == (
        "OPEN",
        "ON",
        "ON",
    )
    assert one.opened == 1
    assert one.lamps["hall"].switched == 1
    assert one.alarm.state == "SHUT"


def test_an_operation_returns_what_its_part_returns() -> None:
    """As of an instance of a machine."""
    one = linked()
    assert one.lamps["hall"].press(hard=True) == 1
    assert one.send("lamps.press", key="hall", hard=True) == 1


def test_a_part_that_refuses_leaves_all_as_it_was() -> None:
    """The error names the part, and what is legal there."""
    one = linked()
    before = one.snapshot
    with pytest.raises(NotAllowed) as caught:
        one.door.to_SHUT()
    assert one.snapshot == before
    assert (
        str(caught.value)
        == "House: `door.to_SHUT` is not allowed in SHUT; legal here: `door.to_OPEN`"
    )


def test_a_link_that_forbids_says_why() -> None:
    """`only if` is a refusal as any other; an event that would be forbidden is not legal."""
    one = linked()
    one.door.to_OPEN()
    assert not one.door.may("to_SHUT")
    with pytest.raises(NotAllowed, match="a light is on; nothing else is legal here"):
        one.door.to_SHUT()
    for lamp in one.lamps.values():
        lamp.press(hard=False)
    one.door.to_SHUT()
    assert one.door.state == "SHUT"


def test_what_is_sent_later_waits() -> None:
    """`waiting` has it, `deliver` hands it over, and no one else may."""
    one = linked()
    one.lamps["hall"].to_BROKEN()
    (place,) = one.waiting
    assert one.alarm.state == "SHUT"
    answer = one.deliver(place)
    assert (one.alarm.state, one.waiting, len(answer.steps)) == ("OPEN", (), 1)
    with pytest.raises(ArgumentsError, match="nothing waits"):
        one.deliver(place)


def test_a_part_that_is_absent_is_none() -> None:
    """As in the system's own expressions; nothing can be sent to it."""
    one = linked(absent=["alarm"])
    assert one.alarm is None
    with pytest.raises(ArgumentsError, match="`alarm` is absent"):
        one.send("alarm.to_OPEN")
    with pytest.raises(ArgumentsError, match="`alarm` is absent"):
        one.part("alarm").state  # noqa: B018  # looking is what raises


def test_legal_events_can_be_sent() -> None:
    """Each is a name and a key as `send` takes them."""
    one = linked()
    assert ("door.to_OPEN", None) in one.legal
    assert ("lamps.press", "hall") in one.legal
    assert ("door.to_SHUT", None) not in one.legal


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_goes_its_own_way(twin: object) -> None:
    """What is sent to one is not sent to the other."""
    one = linked()
    one.door.to_OPEN()
    other = twin(one)
    assert other.snapshot == one.snapshot
    other.lamps["hall"].to_BROKEN()
    assert one.lamps["hall"].state == "ON"


def test_json_gives_back_the_snapshot() -> None:
    """With keys, variables, and what waits."""
    one = linked()
    one.lamps["hall"].to_BROKEN()
    system = System(house(LINKED))
    again = system.instance(system.from_json(one.to_json()))
    assert again.snapshot == one.snapshot
    assert again.to_json() == one.to_json()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"system": "Tent"}, "a snapshot of Tent"),
        ({"format": "x"}, "`format` is 'x'"),
        ({"parts": {}}, "lacks the part `door`"),
        ({"parts": 3}, "a part or what waits is none"),
        ({"variables": {"opened": 9}}, "`opened`: 9 is not of type"),
        ({"waiting": [{"link": 7, "sender": None, "receiver": None, "arguments": {}}]}, "no link"),
        ({"waiting": [1]}, "a part or what waits is none"),
    ],
)
def test_a_snapshot_of_another_system_is_refused(change: dict[str, object], why: str) -> None:
    """It says what does not fit."""
    written = json.loads(linked().to_json()) | change
    with pytest.raises(StrangerError, match=why):
        System(house(LINKED)).from_json(json.dumps(written))


@pytest.mark.parametrize(
    ("part", "held"),
    [
        ("door", Snapshot("AJAR")),
        ("door", None),
        ("lamps", Snapshot("ON")),
        ("lamps", {"hall": Snapshot("ON", {"switched": 99}, {"watts": 3})}),
    ],
)
def test_an_instance_does_not_go_on_from_parts_that_do_not_fit(part: str, held: object) -> None:
    """States and values of parts are looked at, too: nothing looks at them later."""
    begin = linked().snapshot
    wrong = evolve(begin, parts={**begin.parts, part: held})
    with pytest.raises(ArgumentsError):
        System(house(LINKED)).instance(wrong)


def told(calls: list[str], name: str) -> object:
    """An action that writes down where all parts were when it was called."""

    def action(occurrence: Occurrence) -> None:
        whole = occurrence.instance.system
        calls.append(f"{name}: {whole.door.state} {whole.lamps['hall'].state}")

    return action


def test_actions_are_called_for_all_steps_and_the_parts_move_at_once() -> None:
    """First what is called before the move, in the order of the steps, then what is called after."""
    calls = list[str]()
    door = {name: told(calls, name) for name in ("before_to_OPEN", "on_enter_OPEN")}
    lamps = {name: told(calls, name) for name in ("on_exit_OFF", "on_press", "after")}
    bound = System(house(LINKED)).bind({"door": door, "lamps": lamps})
    bound.instance(keys={"lamps": ["hall"]}).door.to_OPEN()
    assert calls == [
        "before_to_OPEN: SHUT OFF",
        "on_exit_OFF: SHUT OFF",
        "on_press: SHUT OFF",
        "on_enter_OPEN: OPEN ON",
        "after: OPEN ON",
    ]


@pytest.mark.parametrize("name", ["on_press", "on_enter_ON"])
def test_where_an_action_raises_no_part_has_moved(name: str) -> None:
    """Neither the part whose action it is nor the one that sent the event."""

    def breaks(occurrence: Occurrence) -> None:
        raise OSError(occurrence.event)

    one = System(house(LINKED)).bind({"lamps": {name: breaks}}).instance(keys=ROOMS)
    before = one.snapshot
    with pytest.raises(OSError, match="press"):
        one.door.to_OPEN()
    assert one.snapshot == before


def test_listeners_hear_of_all_that_came_of_an_event() -> None:
    """Also of refused ones, and of deliveries."""
    heard = list[SystemOccurrence]()
    one = System(house(LINKED)).bind(after=[heard.append]).instance(keys=ROOMS)
    with pytest.raises(NotAllowed):
        one.door.to_SHUT()
    one.door.to_OPEN()
    one.lamps["hall"].to_BROKEN()
    one.deliver(one.waiting[0])
    assert [(each.event, each.key, len(each.answer.steps)) for each in heard] == [
        ("door.to_SHUT", None, 1),
        ("door.to_OPEN", None, 3),
        ("lamps.to_BROKEN", "hall", 1),
        ("alarm.to_OPEN", None, 1),
    ]
    assert heard[-1].delivered_from is not None


def test_an_action_may_not_send_to_its_system() -> None:
    """Not to another part either: the whole is in the middle of a step."""
    lamps = {"on_press": lambda occurrence: occurrence.instance.system.door.to_SHUT()}
    one = System(house(LINKED)).bind({"lamps": lamps}).instance(keys=ROOMS)
    with pytest.raises(Busy):
        one.door.to_OPEN()
    assert one.door.state == "SHUT"


def test_misspelt_actions_and_parts_are_found_at_once() -> None:
    """With the name that was meant."""
    system = System(house(LINKED))
    with pytest.raises(BindingError, match="did you mean `OPEN`"):
        system.bind({"door": {"on_enter_OPNE": print}})
    with pytest.raises(ArgumentsError, match="did you mean `door`"):
        system.bind({"dor": {}})
    with pytest.raises(AttributeError, match="did you mean `lamps`"):
        linked().lmaps  # noqa: B018  # looking is what raises
    with pytest.raises(AttributeError, match="did you mean `to_OPEN`"):
        linked().door.to_OPNE()


def test_a_listener_that_must_be_awaited_needs_an_instance_that_awaits() -> None:
    """It would never run."""
    system = System(house(LINKED))

    async def listens(occurrence: SystemOccurrence) -> None:
        """Would have to be awaited."""

    with pytest.raises(BindingError, match="asynchronous"):
        system.bind(after=[listens]).instance(keys=ROOMS)


def test_threads_wait_for_each_other() -> None:
    """Each event is whole: of all that press at once no press is lost."""
    one = System(house(LINKED)).bind().threadsafe(keys=ROOMS)

    def press() -> None:
        for _ in range(3):
            with one.alone():
                assert one.lamps["hall"].may("press", hard=False)
                one.lamps["hall"].press(hard=False)

    threads = [threading.Thread(target=press) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (one.lamps["hall"].switched, one.lamps["hall"].state) == (5, "ON")
    assert one.copy().snapshot == one.snapshot


def test_tasks_wait_for_each_other_and_actions_may_be_coroutines() -> None:
    """A task that comes while another one's action waits has its turn after it."""
    order = list[str]()

    async def slow(occurrence: Occurrence) -> None:
        order.append(f"begins {occurrence.instance.key}")
        await asyncio.sleep(0)
        order.append(f"ends {occurrence.instance.key}")

    async def both() -> None:
        one = System(house(LINKED)).bind({"lamps": {"on_press": slow}}).asynchronous(keys=ROOMS)
        await asyncio.gather(
            one.lamps["hall"].press(hard=True), one.lamps["attic"].press(hard=True)
        )
        await one.lamps["hall"].to_BROKEN()
        await one.deliver(one.waiting[0])
        assert (one.alarm.state, one.copy().alarm.state) == ("OPEN", "OPEN")

    asyncio.run(both())
    assert order == ["begins hall", "ends hall", "begins attic", "ends attic"]
