"""The test made from a machine passes for a faithful subject and fails for each planted fault.

Covers: statemachines.model.definitions.machine_definitions, statemachines.testing.runs.conformance,
statemachines.testing.tours.exhaustive_tour, statemachines.testing.tours.planned_tours,
statemachines.testing.tours.random_sequences, statemachines.testing.tours.shortest_routes.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import Instance
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.testing import from_machine
from tests.machines import ORDER, TINY, TURNSTILE
from tests.strategies import table_machines


def run(machine: MachineDefinition, make_subject: Callable[[], Any], **options: Any) -> None:
    """Run the test as pytest would, without its database and without making failures short, which takes longer than finding them."""
    with_settings = settings(
        max_examples=30,
        stateful_step_count=25,
        database=None,
        deadline=None,
        phases=[Phase.generate],
    )
    run_state_machine_as_test(
        from_machine(machine, make_subject, **options), settings=with_settings
    )


class Refusal(Exception):
    """What the hand-written turnstile refuses with."""


class Position(enum.Enum):
    """States as a program has them."""

    LOCKED = 1
    OPEN = 2


class Turnstile:
    """A faithful turnstile, written by hand."""

    def __init__(self) -> None:
        self.position = Position.LOCKED

    def coin(self) -> None:
        """Pay."""
        self.position = Position.OPEN

    def push(self) -> None:
        """Walk through."""
        if self.position is Position.LOCKED:
            raise Refusal("pay first")
        self.position = Position.LOCKED


class WrongTarget(Turnstile):
    """Opens the arm and leaves it open."""

    def push(self) -> None:
        """Walk through."""
        if self.position is Position.LOCKED:
            raise Refusal("pay first")


class MissingRefusal(Turnstile):
    """Lets everyone push."""

    def push(self) -> None:
        """Walk through."""
        self.position = Position.LOCKED


class LostState(Turnstile):
    """A second coin makes it forget the first."""

    def coin(self) -> None:
        """Pay."""
        self.position = Position.LOCKED if self.position is Position.OPEN else Position.OPEN


class ChangedByARefusal(Turnstile):
    """Refuses, and opens all the same."""

    def push(self) -> None:
        """Walk through."""
        before, self.position = (
            self.position,
            Position.OPEN if self.position is Position.LOCKED else Position.LOCKED,
        )
        if before is Position.LOCKED:
            raise Refusal("pay first")


class OtherError(Turnstile):
    """Breaks where it should refuse."""

    def push(self) -> None:
        """Walk through."""
        if self.position is Position.LOCKED:
            raise KeyError("coin")
        self.position = Position.LOCKED


class NoMethod:
    """Cannot be pushed."""

    position = Position.LOCKED


@pytest.mark.parametrize("machine", TINY, ids=lambda machine: machine.name)
def test_a_machines_own_instance_passes(machine: MachineDefinition) -> None:
    """The nearest thing to a proof that instance and test agree."""
    run(machine, lambda: Instance(machine))


def test_a_faithful_subject_passes() -> None:
    """Its refusals and its state are called differently, and it is told so."""
    run(TURNSTILE, Turnstile, refusals=(Refusal,), observe={"state": "position"})
    run(
        TURNSTILE,
        Turnstile,
        refusals=(Refusal,),
        observe={"state": lambda subject: subject.position.name},
    )


@pytest.mark.parametrize(
    ("faulty", "told"),
    [
        (WrongTarget, r"after in OPEN, push\(\): the subject's state must be LOCKED, and is OPEN"),
        (
            MissingRefusal,
            r"in LOCKED, push\(\): must be refused \(nothing allows it: the default\), but the subject returned None",
        ),
        (LostState, r"after in OPEN, coin\(\): the subject's state must be OPEN, and is LOCKED"),
        (
            ChangedByARefusal,
            r"after in LOCKED, push\(\): the subject's state must be LOCKED, and is OPEN",
        ),
        (OtherError, r"in LOCKED, push\(\): must be refused .*, but the subject raised KeyError"),
        (NoMethod, "must lead to OPEN .*, but the subject raised AttributeError"),
    ],
)
def test_a_planted_fault_is_found(faulty: type, told: str) -> None:
    """A test that was never seen to fail is untested."""
    with pytest.raises(AssertionError, match=told):
        run(TURNSTILE, faulty, refusals=(Refusal,), observe={"state": "position"})


class WrongOrder(Instance):
    """An order with one fault, planted by the parametrisation."""

    __slots__ = ()
    fault = ("", "", "")

    def send(self, event: str, /, **arguments: object) -> object:
        """Go astray at one event in one state."""
        state, planted, target = self.fault
        if (self._state, event) == (state, planted):
            self._state = target or self._state
            return None
        return super().send(event, **arguments)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (("SHIPPED", "to_CLOSED", "NEW"), "state must be CLOSED, and is NEW"),
        (("SHIPPED", "pay", ""), "must raise TooLate"),
        (("CLOSED", "to_SHIPPED", ""), "state must be SHIPPED, and is CLOSED"),
        (("CLOSED", "to_CLOSED", "NEW"), "state must be CLOSED, and is NEW"),
        (("PAID", "to_CLOSED", ""), "must be refused"),
    ],
)
def test_a_fault_in_any_manner_is_found(fault: tuple[str, str, str], told: str) -> None:
    """Also in the last states of a life: a walk that tries forbidden events must still get there."""
    kind = type("Planted", (WrongOrder,), {"fault": fault, "__slots__": ()})
    with pytest.raises(AssertionError, match=told):
        run(ORDER, lambda: kind(ORDER))


def test_a_raised_error_is_no_refusal_nor_the_other_way_round() -> None:
    """Both are NotAllowed for an instance; the machine tells them apart."""

    class Confused(Instance):
        __slots__ = ()

        def send(self, event: str, /, **arguments: object) -> object:
            """Refuse everything in one manner."""
            try:
                return super().send(event, **arguments)
            except NotAllowed as error:
                raise NotAllowed(*error.args) from None

    with pytest.raises(AssertionError, match="must raise TooLate"):
        run(ORDER, lambda: Confused(ORDER))


def test_a_subject_that_begins_elsewhere_is_told() -> None:
    """Before anything happens to it."""
    with pytest.raises(
        AssertionError, match="at its beginning: the subject's state must be NEW, and is CLOSED"
    ):
        run(ORDER, lambda: type("Ended", (), {"state": "CLOSED"})())


def test_an_error_may_have_another_name() -> None:
    """The subject's own class stands for the declared one."""

    class Late(Exception):
        pass

    class Renamed(Instance):
        __slots__ = ()

        def send(self, event: str, /, **arguments: object) -> object:
            """Raise what this program calls it."""
            try:
                return super().send(event, **arguments)
            except NotAllowed as error:
                raise (error if error.does == "refuse" else Late()) from None

    run(ORDER, lambda: Renamed(ORDER), errors={"TooLate": Late})
    with pytest.raises(AssertionError, match="must raise TooLate"):
        run(ORDER, lambda: Renamed(ORDER))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.nested_given])
@given(table_machines())
def test_every_machines_own_instance_passes(machine: MachineDefinition) -> None:
    """Whatever its manners."""
    with_settings = settings(max_examples=5, stateful_step_count=20, database=None, deadline=None)
    run_state_machine_as_test(
        from_machine(machine, lambda: Instance(machine)), settings=with_settings
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"observe": {"stat": "position"}}, "has no variable `stat`; .*`state`"),
        ({"errors": {"Empty": Refusal}}, "has no error `Empty`"),
    ],
)
def test_a_name_that_the_machine_does_not_have_is_refused(
    options: dict[str, Any], said: str
) -> None:
    """Nothing would be compared by it, and the test would pass."""
    with pytest.raises(ValueError, match=said):
        from_machine(TURNSTILE, object, **options)


class KeepsItsLock:
    """A turnstile that does not give its lock back where it refuses."""

    def __init__(self) -> None:
        self.state, self.lock = "LOCKED", threading.Lock()

    def coin(self) -> None:
        with self.lock:
            self.state = "OPEN"

    def push(self) -> None:
        self.lock.acquire()
        if self.state == "LOCKED":
            raise Refusal
        self.state = "LOCKED"
        self.lock.release()


def test_a_lock_that_is_kept_is_told_and_not_waited_for() -> None:
    """A test that hangs tells nobody anything."""
    with pytest.raises(AssertionError, match="waits for a lock that nobody gives back"):
        run(TURNSTILE, KeepsItsLock, refusals=(Refusal,))
