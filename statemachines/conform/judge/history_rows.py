"""A line of a history, with who logged it and when."""

from __future__ import annotations

from typing import NamedTuple

from statemachines.conform.interchange.observations import Observation
from statemachines.model.definitions.log_definitions import LineDefinition

Run = tuple[int, int, int]
"""A process, how often it had begun, and how often it had taken back what it told."""


class Row(NamedTuple):
    """A line of a history."""

    observation: Observation
    line: LineDefinition
    place: int
    """In the order of times."""
    process: int
    run: Run
    age: int | None
    """Milliseconds since its process began; None where no line tells that it did."""


def effect(observation: Observation) -> tuple[object, ...]:
    """Return what a line tells to have happened, whatever its words are."""
    reading = observation.readings[0]
    return (
        reading.source,
        reading.target,
        reading.state,
        reading.event,
        reading.arguments,
        reading.values,
    )
