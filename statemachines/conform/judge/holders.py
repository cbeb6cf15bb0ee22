"""Which lines count for an instance: those of its holder, not what the next line undoes, and not a
second time what two files of one process hold, such as its log and what was kept of its standard
output.

It is said in the spec, line by line (`takes` and `holder`, `undoes`); what is left is judged as if
nothing else stood in the logs. A copy is what another file of the process says of the instance in
the same words of the spec at the same moment; a line that one file holds twice is no copy, unless
the file holds whole kinds of lines twice: a logger whose appender its parent has as well writes
each of its lines two times.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind

_MOST_KEPT = 256
"""Lines of an instance that are remembered to know their copies."""
Words = tuple[int, "int | None", tuple[LineReading, ...]]
"""Process, time and what a line tells."""


def drop_copies(
    context: JudgingContext, observations: Iterable[Observation]
) -> Iterable[Observation]:
    """Return the observations of an instance in their order, without copies.

    Complexity: linear; remembers the last `_MOST_KEPT`.
    """
    if context.doubled:
        observations = _without_doubles(context, observations)
    return _without_copies(context, observations) if context.may_have_copies else observations


def _without_doubles(
    context: JudgingContext, observations: Iterable[Observation]
) -> Iterator[Observation]:
    last = (-1, "", -1)
    for observation in observations:
        file, line, text = observation.file, observation.line, observation.text
        if (file, observation.unit) in context.doubled and last == (file, text, line - 1):
            last = (-1, "", -1)
            continue
        last = (file, text, line)
        yield observation


def _without_copies(
    context: JudgingContext, observations: Iterable[Observation]
) -> Iterator[Observation]:
    counts_by_words: OrderedDict[Words, dict[int, int]] = OrderedDict()
    for observation in observations:
        if observation.at is None:
            yield observation
            continue
        words = context.process_index(observation), observation.at, observation.readings
        stems = counts_by_words.setdefault(words, {})
        stem = context.stems[context.files[observation.file].stem]
        stems[stem] = count = stems.get(stem, 0) + 1
        if len(stems) == 1 or all(count > times for other, times in stems.items() if other != stem):
            yield observation
        if len(counts_by_words) > _MOST_KEPT:
            counts_by_words.popitem(last=False)


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
