"""A list that names all instances that are there: what it says of those that it does not name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from statemachines.conform.interchange.observations import KeyValues, LineReading, Observation
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind


def of_those_not_named(
    observation: Observation,
    lines: Sequence[LineDefinition],
    named: Iterable[KeyValues | None],
) -> Observation:
    """Return the observation of all instances that a complete list does not name.

    Args:
        observation: of the line, without a key.
        lines: the entries that read it, one a reading of the observation.
        named: the keys of the instances in the list; None for one that cannot be told.
    """
    readings = map(_reading_of_others, observation.readings, lines)
    listed = frozenset(key for key in named if key is not None)
    return observation._replace(readings=tuple(readings), about=(), listed=listed)


def _reading_of_others(reading: LineReading, line: LineDefinition) -> LineReading:
    state = line.state_of_others
    if LineKind.STEP in line.kinds:
        return reading._replace(target=state)
    return reading._replace(state=state)
