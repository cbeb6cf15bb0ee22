"""The order of the steps of several instances, as the lines of their logs stand, or by the clocks
of several logs.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from statemachines.conform.systems.part_timelines import PartTimeline, step_ms
from statemachines.logs import rotation_key
from statemachines.model.evidence.reports import Place, TimelineStep

OrderedStep = tuple[int, int]
"""The number of a life, and that of its step."""
_StepOrder = tuple[int, str, tuple[int, str, int], int]
"""When, in which log, in which of its rotated files, in which line."""


def source_logs(timelines: Sequence[PartTimeline]) -> frozenset[str]:
    """Return the logs that tell of some lives; rotated files are one."""
    return frozenset(
        rotation_key(step.place.file)[0]
        for timeline in timelines
        for step in timeline.steps
        if step.place is not None
    )


def clock_goes_back(timelines: Sequence[PartTimeline], by: int) -> bool:
    """Tell whether a log's times go back by more than so many milliseconds: then nothing says how
    its lines lie between another's.
    """
    reached = dict[str, int]()
    for order, step in sorted(
        ((_file_order(step), step) for timeline in timelines for step in timeline.steps),
        key=lambda pair: pair[0],
    ):
        if step_ms(step) < reached.get(order[1], 0) - by:
            return True
        reached[order[1]] = max(step_ms(step), reached.get(order[1], 0))
    return False


def merge_steps(timelines: Sequence[PartTimeline]) -> Iterator[OrderedStep]:
    """Yield the steps of all lives: of one log as its lines stand, of several by time; those of one
    life stay in their order.

    Complexity: n log n in the steps.
    """
    alone = len(source_logs(timelines)) == 1
    waiting = [
        (_sort_key(timeline.steps[0], alone), number, 0)
        for number, timeline in enumerate(timelines)
    ]
    heapq.heapify(waiting)
    while waiting:
        key, number, place = heapq.heappop(waiting)
        yield number, place
        if place + 1 < len(timelines[number].steps):
            heapq.heappush(
                waiting,
                (max(key, _sort_key(timelines[number].steps[place + 1], alone)), number, place + 1),
            )


def _file_order(step: TimelineStep) -> _StepOrder:
    """Return where a step stands: in which log, and where in it."""
    place = step.place or Place("", 1)
    return 0, *rotation_key(place.file), place.line


def _sort_key(step: TimelineStep, alone: bool) -> _StepOrder:
    """Return what puts a step in order; of one log its lines decide, whatever the times say."""
    order = _file_order(step)
    return order if alone else (step_ms(step), *order[1:])
