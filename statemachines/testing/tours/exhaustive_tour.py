"""The planned run through all there is, of a machine that is small enough: every snapshot, every
event, all arguments, once each.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping

from statemachines.model.breadth_first import search_breadth_first
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.testing.runs.attempts import Attempt, NamedValues
from statemachines.testing.runs.paired_runs import PairedRun
from statemachines.testing.tours.planned_tours import TourPlanner, perform_attempt

MOST_ATTEMPTS = 2_000
"""Attempts in all, those counted that nothing takes; a machine with more is toured by what it does,
not by every argument.
"""
MOST_TRIED = 10 * MOST_ATTEMPTS
"""Arguments that are looked at for them, those counted that do not fit."""
MOST_STEPS = 3 * MOST_ATTEMPTS
"""Of the run, ways to what is left counted."""

_AttemptGraph = Mapping[Snapshot, Mapping[str, tuple[Attempt, Snapshot]]]
"""What may be tried in each snapshot, as it is printed, and where the machine's first answer leads.
"""


def run_exhaustive_tour(
    run: PairedRun, planner: TourPlanner, parameters: NamedValues
) -> Iterator[Attempt | None]:
    """Try everything everywhere, by short ways; yield each attempt before it is made, and None
    before a life begins.

    Args:
        run: the subject and the machine, side by side.
        planner: what is planned, and what was reached already.
        parameters: those with which each sequence begins.

    Yields:
        Each attempt, or None where a sequence begins.

    Limits: where the subject decides, only what it decided is gone on from.
    """
    yield None
    run.begin(parameters)
    start, graph = run.current_snapshot, _build_attempt_graph(planner, run.current_snapshot)
    left = {now: dict.fromkeys(attempts) for now, attempts in (graph or {}).items()}
    steps, anew = 0, True
    while graph and steps < MOST_STEPS:
        path = _path_to_untried(graph, left, run.current_snapshot)
        if path is None:
            if anew or _path_to_untried(graph, left, start) is None:
                return
            yield None
            run.begin(parameters)
            anew = True
            continue
        for planned in path:
            here = run.current_snapshot
            attempt, after = graph[here][planned]
            left[here].pop(planned, None)
            yield attempt
            if not perform_attempt(planner, attempt, run):
                break
            steps, anew = steps + 1, False
            if run.current_snapshot != after:
                break  # the subject decided otherwise


def _build_attempt_graph(planner: TourPlanner, start: Snapshot) -> _AttemptGraph | None:
    """Return all that may be tried from a snapshot on; None where it is too much."""
    attempt_graph = dict[Snapshot, dict[str, tuple[Attempt, Snapshot]]]()
    pending, many, tried = deque([start]), 0, itertools.count()
    while pending:
        now = pending.popleft()
        if now in attempt_graph:
            continue
        attempt_graph[now] = {}
        for event in planner.finder.tables.events:
            for attempt, first in (
                () if event in planner.skipped else planner.finder.all_attempts(now, event)
            ):
                if next(tried) > MOST_TRIED or (many := many + (first is not None)) > MOST_ATTEMPTS:
                    return None
                if first is not None:
                    attempt_graph[now][repr(attempt)] = attempt, first.answer.after
                    pending.append(first.answer.after)
    return attempt_graph


def _path_to_untried(
    graph: _AttemptGraph, left: Mapping[Snapshot, Mapping[str, None]], here: Snapshot
) -> list[str] | None:
    """Return the shortest path to something not yet tried, with it; None if there is none."""
    if here not in graph:
        return None
    path = search_breadth_first(
        [here],
        lambda now: ((attempt, after) for attempt, (_, after) in graph[now].items()),
        lambda now: bool(left[now]),
    )
    if path.goal is None:
        return None
    return [*path.path_to(path.goal)[1], next(iter(left[path.goal]))]
