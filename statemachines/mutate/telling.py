"""The shortest run that tells a survivor from the original: what a new invariant, test or log line could be about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.explore.columns import Row
from statemachines.explore.limits import Limits
from statemachines.explore.results import Taken, Trace
from statemachines.explore.search import Goal, search
from statemachines.explore.traces import trace_of
from statemachines.mutate.judging import Explored
from statemachines.mutate.originals import Original
from statemachines.mutate.results import Fate, Judged, Only
from statemachines.semantics.step import decided

Pair = tuple[Judged, Explored]


def with_runs(judged: Sequence[Pair]) -> Iterator[Judged]:
    """Yield mutants, survivors with a shortest run of the original whose last event they answer otherwise.

    Complexity: one search of each original, up to the farthest of these places.
    """
    wanted: dict[int, tuple[Original, set[int]]] = {}
    for one, explored in judged:
        if one.fate is Fate.SURVIVED and explored.apart is not None and explored.apart.row >= 0 and explored.original is not None:
            wanted.setdefault(id(explored.original), (explored.original, set()))[1].add(explored.apart.row)
    ways = {key: _ways(original, sorted(places)) for key, (original, places) in wanted.items()}
    for one, explored in judged:
        yield _with_run(one, explored, ways.get(id(explored.original), {}))


def _ways(original: Original, places: Sequence[int]) -> dict[int, Trace]:
    """Return shortest runs to rows of the original's search."""
    rows = original.expanded
    goals = [Goal(row=_is(rows[place])) for place in places]
    farthest = original.seen.place[rows[places[-1]]]  # rows beyond a range were met, and not gone on from
    seen = search(original.world, goals, Limits(farthest + 1))
    return {place: trace_of(original.world, seen.paths[number]) for number, place in enumerate(places)}


def _is(wanted: Row) -> Callable[[Row], bool]:
    return lambda row: row == wanted


def _with_run(one: Judged, explored: Explored, ways: Mapping[int, Trace]) -> Judged:
    apart, original, tables = explored.apart, explored.original, explored.tables
    if one.fate is not Fate.SURVIVED or apart is None or original is None or tables is None or apart.row not in ways:
        return one
    way, arguments = ways[apart.row], apart.arguments or {}
    (now,) = way.snapshots[-1]
    if apart.old is None:
        new = decided(tables, now, apart.event, arguments)
        return evolve(one, apart=Trace(way.begin, (*way.steps, Taken(apart.event, arguments, new))), only=Only.MUTANT)
    old = decided(original.world.tables, now, apart.event, arguments)
    whole = Trace(way.begin, (*way.steps, Taken(apart.event, arguments, old)))
    if apart.new is None:
        return evolve(one, apart=whole, only=Only.ORIGINAL)
    return evolve(one, apart=whole, instead=decided(tables, now, apart.event, arguments))
