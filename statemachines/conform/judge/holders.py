"""Which lines count for an instance: those of its holder, and not what the next line undoes.

It is said in the spec, line by line (`takes` and `holder`, `undoes`); what is left is judged as if
nothing else stood in the logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statemachines.conform.interchange.observations import Observation
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind

_UNDOABLE_LINE_KINDS = {LineKind.STEP, LineKind.FORCED, LineKind.EVENT}
"""What a line says that another one may undo."""
_MOST_LINES_BETWEEN = 100
"""Lines between what is told and what undoes it."""


class _ReadObservation(NamedTuple):
    """An observation, and the entry of the spec that reads its line."""

    observation: Observation
    line: LineDefinition


def observations_that_count(
    context: JudgingContext, owner: int, observations: Iterable[Observation]
) -> Iterable[Observation]:
    """Return the observations of an instance that count, in their order.

    Args:
        context: what all files say together.
        owner: the instance's machine.
        observations: all that tell of it, in their order.

    Complexity: linear; nothing is looked at where the spec has no such lines.
    """
    log = context.plan.owners[owner].log
    if log is None or not log.may_discount_lines:
        return observations
    lines = {line.index: line for line in log.lines}
    readings = (
        _ReadObservation(observation, lines[observation.readings[0].entry])
        for observation in observations
    )
    return (
        row.observation for row in _without_undone(context, _observed_by_holder(context, readings))
    )


def _observed_by_holder(
    context: JudgingContext, readings: Iterable[_ReadObservation]
) -> Iterator[_ReadObservation]:
    """Leave out what another process than the holder tells, where only the holder's word counts."""
    holder: int | None = None
    for reading in readings:
        process = context.process_index(reading.observation)
        if reading.line.takes_instance:
            holder = process
        if not reading.line.only_from_holder or holder in (None, process):
            yield reading


def _without_undone(
    context: JudgingContext, readings: Iterable[_ReadObservation]
) -> Iterator[_ReadObservation]:
    """Leave out what a later line of the same process undoes, if nothing came in between."""
    held: list[_ReadObservation] = []
    for reading in readings:
        moves = not reading.line.is_abroad and not _UNDOABLE_LINE_KINDS.isdisjoint(
            reading.line.kinds
        )
        if moves or reading.line.undoes_previous or len(held) > _MOST_LINES_BETWEEN:
            undone = (
                held
                and reading.line.undoes_previous
                and context.process_index(held[0].observation)
                == context.process_index(reading.observation)
            )
            yield from held[1:] if undone else held
            held = []
        if moves or held:
            held.append(reading)
        else:
            yield reading
    yield from held
