"""Lines that two files of one process hold, such as its log and what was kept of its standard
output: they count once.

A copy is what another file of the process says of the instance in the same words of the spec at the
same moment; a line that one file holds twice is no copy, unless the file holds whole kinds of lines
twice: a logger whose appender its parent has as well writes each of its lines two times.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator

from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.settle.judging_context import JudgingContext

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
    counts_by_words: OrderedDict[Words, Counter[int]] = OrderedDict()
    for observation in observations:
        if observation.at is None:
            yield observation
            continue
        words = context.process_index(observation), observation.at, observation.readings
        stems = counts_by_words.setdefault(words, Counter())
        stem = context.stems[context.files[observation.file].stem]
        stems[stem] += 1
        if all(stems[stem] > times for other, times in stems.items() if other != stem):
            yield observation
        if len(counts_by_words) > _MOST_KEPT:
            counts_by_words.popitem(last=False)
