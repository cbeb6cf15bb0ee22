"""Clocks as columns of a row: each says how long an instance has been in its state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import field, frozen

from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.machine.time_steps import time_steps

WAIT = ""
"""One unit of time, in a schedule."""
Schedule = tuple[str, ...]
"""What comes to an instance that stays in a state, in order: a unit of time, or an event."""


def common_unit_ms(machines: Iterable[MachineDefinition]) -> int:
    """Return the longest time of which every `after` of some machines is a multiple.

    Args:
        machines: each in one release.

    Returns:
        Milliseconds; 0 where time takes no step.
    """
    return math.gcd(
        *(
            step.after_ms
            for machine in machines
            for steps in time_steps(machine).values()
            for step in steps
        )
    )


def schedules(machine: MachineDefinition, unit_ms: int) -> Mapping[str, Schedule]:
    """Return what time does in each state of a machine.

    Args:
        machine: in one release.
        unit_ms: of time; every `after` is a multiple.

    Returns:
        The schedules by state; states in which time does nothing are left out.
    """
    schedules = dict[str, Schedule]()
    for state, steps in time_steps(machine).items():
        schedule, now_ms = list[str](), 0
        for step in steps:
            schedule += [WAIT] * ((step.after_ms - now_ms) // unit_ms) + [step.event]
            now_ms = step.after_ms
        schedules[state] = tuple(schedule)
    return schedules


@frozen(eq=False)
class Clock:
    """How far one copy, or one part of a system, is in the schedule of its state."""

    column: int
    """Of the clock."""
    state_column: int
    """Of the copy's state, or of the part."""
    state_of: Callable[[int], str | None]
    """The state that a number of that column stands for; None: the part is not there."""
    schedules: Mapping[str, Schedule]
    events: Mapping[str, frozenset[str]] = field(init=False)
    """By state: the events that only time sends there."""

    @events.default
    def _scheduled_events(self) -> Mapping[str, frozenset[str]]:
        return {state: frozenset(delays) - {WAIT} for state, delays in self.schedules.items()}

    def rest(self, row: Row) -> Schedule:
        """Return what is still to come in the state of a row."""
        schedule = self.schedules.get(self.state_of(row[self.state_column]) or "", ())
        return schedule[row[self.column] :]

    def due(self, row: Row) -> str:
        """Return the event that is due in a row; empty where none is."""
        return next(iter(self.rest(row)), WAIT)

    def early_events(self, row: Row) -> frozenset[str]:
        """Return the events that only time sends, and not now."""
        state = self.state_of(row[self.state_column]) or ""
        return self.events.get(state, frozenset()) - {self.due(row)}

    def ticked(self, row: Row) -> int:
        """Return how far it is a unit of time later; events that nothing took are passed over."""
        rest = self.rest(row)
        return row[self.column] + (rest.index(WAIT) + 1 if WAIT in rest else len(rest))

    def changes(
        self, row: Row, after: Row, *, took_due: bool, begun: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield how the clock changes with a step: a new state begins a new stay, and so does what
        enters the same state anew (`begun`).
        """
        column = self.state_column
        number = row[self.column]
        if begun or self.state_of(row[column]) != self.state_of(after[column]):
            number = 0
        elif took_due:
            number += 1
        if number != row[self.column]:
            yield self.column, number
