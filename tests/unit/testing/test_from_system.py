"""A program whose parts must move together is driven beside its system: what does not follow is found.

Covers: statemachines.testing.systems.long_lives, statemachines.testing.systems.system_tests,
statemachines.testing.systems.system_subjects,
statemachines.testing.systems.system_attempts, statemachines.testing.systems.system_files.
"""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.api.system import System
from statemachines.cli import main
from statemachines.model.definitions.system_definitions import SystemSnapshot
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.testing import check_threads, from_system
from statemachines.testing.systems.system_tests import SystemTest
from tests.planted.bureau import BUREAU, BUREAUS, Bureau, Desk
from tests.refusing import No
from tests.systems import house, written

LINKED = """
variables: {opened: "0..3 = 0"}
links:
  - {on: door, enters: OPEN, only if: opened < 3}
  - {on: door, enters: OPEN, effect: {opened: "opened + 1"}}
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}}
  - {on: door, enters: SHUT, only if: "all(l.state != 'ON' for l in lamps.values())"}
  - {on: lamps, enters: BROKEN, send: alarm.to_OPEN, later: true}
scope: {Room: 2}
"""
SYSTEM = System(house(LINKED))


class Part:
    """A part of the program by hand; it knows its house."""

    def __init__(self, house: House, state: str) -> None:
        self.house, self.state = house, state

    def move(self, states: str, after: str) -> None:
        """Go from one of some states to another one."""
        if self.state not in states.split():
            raise No(self.state)
        self.state = after


class Door(Part):
    """A door that switches the lamps."""

    def to_OPEN(self) -> None:  # as the machine has it
        """Open it."""
        if self.state == "SHUT" and self.house.opened == 3:
            raise No
        self.move("SHUT", "OPEN")
        self.house.opened += 1
        for lamp in self.house.lamps.values():
            lamp.pressed_by_the_door()

    def to_SHUT(self) -> None:
        """Shut it where no light is on."""
        if any(one.state == "ON" for one in self.house.lamps.values()):
            raise No
        self.move("OPEN", "SHUT")


class Alarm(Part):
    """An alarm."""

    def to_OPEN(self) -> None:
        """Ring."""
        self.move("SHUT", "OPEN")

    def to_SHUT(self) -> None:
        """Be quiet."""
        self.move("OPEN", "SHUT")


class Lamp(Part):
    """A lamp that counts."""

    switched = 0

    def press(self, hard: bool) -> int | None:
        """Switch it."""
        if self.state == "BROKEN":
            return None
        if self.state == "OFF":
            if self.switched == 9:
                raise No
            self.switched += 1
        self.state = "ON" if self.state == "OFF" else "OFF"
        return self.switched

    def pressed_by_the_door(self) -> None:
        """Be switched, if that can be."""
        if self.state != "OFF" or self.switched < 9:
            self.press(hard=False)

    def to_BROKEN(self) -> None:
        """Break; the alarm hears of it later."""
        self.move("OFF ON", "BROKEN")
        self.house.broken()

    def to_ON(self) -> None:
        """Stay on."""
        self.move("ON", "ON")


class House:
    """The program."""

    def __init__(self, begin: SystemSnapshot) -> None:
        self.opened = 0
        self.door = Door(self, "SHUT")
        self.lamps = {key: Lamp(self, "OFF") for key in begin.parts["lamps"]}
        self.alarm = None if begin.parts["alarm"] is None else Alarm(self, "SHUT")

    def broken(self) -> None:
        """A lamp broke."""

    def deliver(self, place: object) -> None:
        """Let the alarm hear of a lamp that broke."""
        if self.alarm is not None and self.alarm.state == "SHUT":
            self.alarm.to_OPEN()


class ForgetsTheSecondLamp(House):
    """Opening the door switches one lamp only."""

    def __init__(self, begin: SystemSnapshot) -> None:
        super().__init__(begin)
        last = list(self.lamps.values())[-1]
        last.pressed_by_the_door = lambda: None


class RingsAtOnce(House):
    """The alarm hears of a broken lamp before anybody delivers that."""

    def broken(self) -> None:
        """A lamp broke."""
        self.deliver(None)


class ShutsInTheLight(House):
    """The door does not look at the lamps."""

    def __init__(self, begin: SystemSnapshot) -> None:
        super().__init__(begin)
        door = self.door
        door.to_SHUT = lambda: door.move("OPEN", "SHUT")


class CountsNothing(House):
    """The shared variable stays as it is."""

    opened = property(lambda self: 0, lambda self, value: None)


def run(make: Callable[[SystemSnapshot], object], **told: object) -> type[SystemTest]:
    """Drive a program beside the house."""
    test = from_system(SYSTEM, make, refusals=(No,), **told)
    how = settings(max_examples=15, database=None, derandomize=True, deadline=None)
    run_state_machine_as_test(test, settings=how)
    return test


def test_a_right_program_passes() -> None:
    """Also where the alarm is absent, and whatever is delivered when."""
    run(House)


def test_a_systems_own_instance_passes() -> None:
    """It does what the system's step says."""
    test = from_system(SYSTEM, SYSTEM.instance)
    run_state_machine_as_test(
        test, settings=settings(max_examples=10, database=None, derandomize=True)
    )


@pytest.mark.parametrize(
    ("make", "why", "calls"),
    [
        (ForgetsTheSecondLamp, "`lamps` of 'Room2': the subject's state must be ON, and is OFF", 1),
        (RingsAtOnce, "`alarm`: the subject's state must be SHUT, and is OPEN", 1),
        (ShutsInTheLight, "must be refused", 2),
        (CountsNothing, "`opened` must be 1, and is 0", 1),
    ],
)
def test_what_does_not_follow_its_links_is_found(
    make: Callable[[SystemSnapshot], object], why: str, calls: int
) -> None:
    """With as few calls as show it."""
    with pytest.raises(AssertionError) as caught:
        run(make)
    assert why in str(caught.value)
    assert str(caught.value).count("\n    subject.") == calls


def test_names_that_the_system_lacks_are_refused() -> None:
    """Nothing would be compared by them."""
    with pytest.raises(ArgumentsError, match="did you mean `lamps`"):
        run(House, observe={"lmaps": {}})
    with pytest.raises(ArgumentsError, match="did you mean `state`"):
        run(House, observe={"door": {"sate": "state"}})


def test_a_system_that_sends_later_needs_somebody_who_delivers() -> None:
    """Else half of it would never be tried."""

    class Deaf(House):
        deliver = property()

    with pytest.raises(ArgumentsError, match="deliver="):
        run(Deaf)


def test_other_names_are_said() -> None:
    """Parts, shared variables and variables of parts may be called anything."""

    class Other(House):
        def __init__(self, begin: SystemSnapshot) -> None:
            super().__init__(begin)
            self.entrance = self.door
            del self.door

    run(
        Other,
        part=lambda one, name, key: (
            one.lamps[key] if key else one.__dict__.get({"door": "entrance"}.get(name, name))
        ),
        observe={"opened": lambda one: one.opened, "lamps": {"switched": "switched"}},
    )


def test_threads_are_held_against_a_system() -> None:
    """The instance for threads passes; a program without a lock does not."""
    check_threads(SYSTEM, SYSTEM.bind().threadsafe, runs=2)
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(SYSTEM, House, refusals=(No,))


CHANNEL = """
channels: {wire: {holds: 1, may: [lose, repeat]}}
links:
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}, through: wire}
scope: {Room: 2}
"""


def test_two_threads_may_deliver_the_same() -> None:
    """The second finds nothing there: that is no mistake of the system's own instance."""
    system = System(house(CHANNEL))
    check_threads(system, system.bind().threadsafe, runs=20)


def test_a_test_is_written_as_a_file_and_passes(tmp_path: Path) -> None:
    """Of one thread and of two, with the system in place of a program."""
    spec, file = written(CHANNEL), tmp_path / "test_house.py"
    assert main(["generate", "test", str(spec), "-o", str(file)]) == 0
    assert "it has `door`, `lamps[key]`, `alarm`" in file.read_text("utf-8")
    settings.register_profile("few", max_examples=3, stateful_step_count=5, database=None)
    before = settings.get_current_profile_name()
    settings.load_profile("few")
    try:
        module = runpy.run_path(str(file))
        module["TestHouse"]().runTest()
        module["test_threads"]()
    finally:
        settings.load_profile(before)


PLANNED = settings(max_examples=1, stateful_step_count=1, database=None, deadline=None)


def test_a_right_bureau_passes() -> None:
    """A false alarm costs more than it finds."""
    run_state_machine_as_test(from_system(BUREAU, Bureau, refusals=(No,)), settings=PLANNED)


@pytest.mark.parametrize("kind", BUREAUS)
def test_what_shows_after_a_while_or_among_two_is_found_by_long_lives(kind: type[Bureau]) -> None:
    """Random runs found some of these with three seeds of five."""
    with pytest.raises(AssertionError, match="The calls that show it"):
        run_state_machine_as_test(from_system(BUREAU, kind, refusals=(No,)), settings=PLANNED)


class AwaitedDesk:
    """A right desk whose calls are awaited."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def __getattr__(self, name: str) -> Any:
        return getattr(self.desk, name)

    async def take(self) -> int:
        await asyncio.sleep(0)
        return self.desk.take()

    async def finish(self) -> None:
        await asyncio.sleep(0)
        self.desk.finish()


class LooksBeforeItAwaits(AwaitedDesk):
    """Another task may come between the look and the step."""

    async def finish(self) -> None:
        jobs = self.desk.jobs
        if not jobs:
            raise No("idle")
        await asyncio.sleep(0)
        self.desk.jobs = max(jobs, 1)
        self.desk.finish()


def awaited(kind: type[AwaitedDesk]) -> Callable[[SystemSnapshot], Bureau]:
    """Make bureaus with such desks."""

    def make(begin: SystemSnapshot) -> Bureau:
        bureau = Bureau(begin)
        bureau.desks = {clerk: kind(desk) for clerk, desk in bureau.desks.items()}
        return bureau

    return make


def test_parts_whose_calls_are_awaited_are_driven_by_one_task_and_by_several() -> None:
    """One task alone finds nothing in a desk that looks before it awaits; two do."""
    for kind in (AwaitedDesk, LooksBeforeItAwaits):
        test = from_system(BUREAU, awaited(kind), refusals=(No,))
        run_state_machine_as_test(test, settings=PLANNED)
    check_threads(BUREAU, awaited(AwaitedDesk), refusals=(No,), runs=40)
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(BUREAU, awaited(LooksBeforeItAwaits), refusals=(No,))


def test_a_systems_own_awaited_instance_passes_with_several_tasks() -> None:
    """Its tasks wait for each other."""
    check_threads(SYSTEM, SYSTEM.bind().asynchronous, runs=10)
