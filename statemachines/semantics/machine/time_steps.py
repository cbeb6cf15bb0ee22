"""Steps that time takes: which they are, when, and what begins their time again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from attrs import frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Advanced, Answer


@frozen
class TimeStep:
    """An event that time sends to an instance that stays in a state."""

    after_ms: int
    """Milliseconds since it came there."""
    event: str

    @property
    def after_s(self) -> float:
        """The same in seconds."""
        return self.after_ms / 1000


@lru_cache(maxsize=256)
def time_steps(machine: MachineDefinition) -> Mapping[str, tuple[TimeStep, ...]]:
    """Return the steps that time takes in each state, the earliest first; of two at one moment the
    one that the author wrote first.

    Args:
        machine: in one release.

    Returns:
        The steps by state; states without any are left out.
    """
    steps: dict[str, dict[TimeStep, None]] = {}
    for transition in machine.transitions:
        if transition.after_ms:
            step = TimeStep(transition.after_ms, transition.event)
            steps.setdefault(transition.source, {})[step] = None
    return {
        state: tuple(sorted(of_state, key=lambda step: step.after_ms))
        for state, of_state in steps.items()
    }


@lru_cache(maxsize=256)
def restarting_events(machine: MachineDefinition) -> frozenset[tuple[str, str]]:
    """Return the states and events of transitions that begin the time of their state again.

    Args:
        machine: in one release.

    Returns:
        Pairs of a state and an event.
    """
    return frozenset(
        (transition.source, transition.event)
        for transition in machine.transitions
        if transition.restarts and transition.taken
    )


def begins_stay(state: str, answer: Answer) -> bool:
    """Tell whether a step begins a stay: in another state, or in the same one anew.

    Args:
        state: before the step.
        answer: what became of the event.

    Returns:
        True where time counts from here on.
    """
    if answer.after.state != state:
        return True
    return isinstance(answer, Advanced) and answer.decided_by.restarts


@frozen
class Stay:
    """An instance in a state, and what time has done to it there."""

    state: str
    since: float
    """Seconds, as the clock has them."""
    taken: int = 0
    """Time steps of this state that are over: taken, or refused by a guard."""

    def next_step(self, machine: MachineDefinition) -> tuple[float, str] | None:
        """Return when time takes the next step, and which event it is; None: no more here.

        Args:
            machine: in one release.

        Returns:
            The moment, in seconds as the clock has them, and the event's name; or None.
        """
        steps = time_steps(machine).get(self.state, ())
        if self.taken >= len(steps):
            return None
        step = steps[self.taken]
        return self.since + step.after_s, step.event
