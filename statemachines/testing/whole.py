"""The planned run through all there is, of a machine that is small enough: every snapshot, every event, all arguments, once each."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping

from statemachines.model.snapshots import Snapshot
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.runs import Run
from statemachines.testing.tours import Planner, do

MOST = 2_000
"""Attempts in all, those counted that nothing takes; a machine with more is toured by what it does, not by every argument."""
MOST_TRIED = 10 * MOST
"""Arguments that are looked at for them, those counted that do not fit."""
MOST_STEPS = 3 * MOST
"""Of the run, ways to what is left counted."""

Graph = Mapping[Snapshot, Mapping[str, tuple[Attempt, Snapshot]]]
"""What may be tried in each snapshot, as it is printed, and where the machine's first answer leads."""


def whole(run: Run, planner: Planner, parameters: Values) -> Iterator[Attempt | None]:
    """Try everything everywhere, by short ways; yield each attempt before it is made, and None before a life begins.

    Limits: where the subject decides, only what it decided is gone on from.
    """
    yield None
    run.begin(parameters)
    start, graph = run.before, graph_of(planner, run.before)
    left = {now: dict.fromkeys(attempts) for now, attempts in (graph or {}).items()}
    steps, anew = 0, True
    while graph and steps < MOST_STEPS:
        way = _way(graph, left, run.before)
        if way is None:
            if anew or _way(graph, left, start) is None:
                return
            yield None
            run.begin(parameters)
            anew = True
            continue
        for said in way:
            here = run.before
            attempt, after = graph[here][said]
            left[here].pop(said, None)
            yield attempt
            if not do(planner, attempt, run):
                break
            steps, anew = steps + 1, False
            if run.before != after:
                break  # the subject decided otherwise


def graph_of(planner: Planner, start: Snapshot) -> Graph | None:
    """Return all that may be tried from a snapshot on; None where it is too much."""
    found = dict[Snapshot, dict[str, tuple[Attempt, Snapshot]]]()
    pending, many, tried = deque([start]), 0, itertools.count()
    while pending:
        now = pending.popleft()
        if now in found:
            continue
        found[now] = {}
        for event in planner.trials.tables.events:
            for attempt, first in () if event in planner.skipped else planner.trials.every(now, event):
                if next(tried) > MOST_TRIED or (many := many + (first is not None)) > MOST:
                    return None
                if first is not None:
                    found[now][repr(attempt)] = attempt, first.answer.after
                    pending.append(first.answer.after)
    return found


def _way(graph: Graph, left: Mapping[Snapshot, Mapping[str, None]], here: Snapshot) -> list[str] | None:
    """Return the shortest way to something that was not tried, with it; None where there is none."""
    if here not in graph:
        return None
    came_from = dict[Snapshot, tuple[Snapshot, str] | None]({here: None})
    pending = deque([here])
    while pending:
        now = pending.popleft()
        if left[now]:
            way, at = [next(iter(left[now]))], now
            while (last := came_from[at]) is not None:
                at, said = last
                way.append(said)
            return way[::-1]
        for said, (_, after) in graph[now].items():
            if after not in came_from:
                came_from[after] = now, said
                pending.append(after)
    return None
