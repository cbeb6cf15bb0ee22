"""Instances that went as others did, judged apart, as one crowd in the order of the report."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from statemachines.conform.interchange.crowds import Course, Crowd, CrowdKey, Crowds
from statemachines.conform.join.report_sources import are_compared_as_they_are, instance_sort_key
from statemachines.conform.settle.judging_context import JudgingContext, reporting_process
from statemachines.model.arrays import load_numpy

_POINTS = 4
"""Numbers of each in `Crowd.points`."""


def join_crowds(
    context: JudgingContext,
    parts: Iterable[tuple[Sequence[Course], Iterable[Mapping[int, Crowd]]]],
) -> Crowds:
    """Return all that went as others did.

    Args:
        context: what all files say together.
        parts: those that were judged together, by machine and in the order of the report, and the
            ways that they went.

    Complexity: a merge of the keys.
    """
    joined = Crowds()
    for courses, crowds in parts:
        before = len(joined.courses)
        for course in courses:
            course.number += before
            joined.courses.append(course)
        for crowd in crowds:
            _add(joined, crowd, before)
    for owner in joined.by_owner:
        joined.by_owner[owner] = _in_order(context, joined, owner)
    return joined


def _add(joined: Crowds, crowds: Mapping[int, Crowd], before: int) -> None:
    """Put more behind the others, whose ways have numbers from one on."""
    for owner, crowd in crowds.items():
        mine = joined.by_owner[owner]
        mine.keys += crowd.keys
        mine.courses.extend(number + before for number in crowd.courses)
        mine.points.extend(crowd.points)


def _in_order(context: JudgingContext, crowds: Crowds, owner: int) -> Crowd:
    """Return the crowd of a machine in the order of the report."""
    numpy, crowd = load_numpy(), crowds.by_owner[owner]
    order = sorted(range(len(crowd.keys)), key=_sort_key(context, crowds, owner))
    points = numpy.frombuffer(crowd.points, numpy.int64).reshape(-1, _POINTS)
    courses = numpy.frombuffer(crowd.courses, numpy.intc)
    keys = list(map(crowd.keys.__getitem__, order))
    return Crowd(keys, _as_array("i", courses[order]), _as_array("q", points[order]))


def _as_array(code: str, values: Any) -> array[int]:
    made = array(code)
    made.frombytes(values.tobytes())
    return made


def _sort_key(
    context: JudgingContext, crowds: Crowds, owner: int
) -> Callable[[int], CrowdKey | tuple[object, ...]]:
    """Return by what those at some places are sorted."""
    crowd = crowds.by_owner[owner]
    tellers = {
        course.number: reporting_process(context, owner, course.judgement.processes[0])
        for course in crowds.courses_of(owner)
    }
    if len(set(tellers.values())) < 2 and are_compared_as_they_are(crowd.keys):
        return crowd.keys.__getitem__
    return lambda place: instance_sort_key(
        context, (owner, tellers[crowd.courses[place]], crowd.keys[place])
    )
