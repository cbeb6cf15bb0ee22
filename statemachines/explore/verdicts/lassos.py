"""Runs that wait for ever: where a fair run may go round without what must come.

A weakly fair event happens where it is possible without a break, a strongly fair one where it is
possible again and again. A counterexample goes round for ever in a part of the graph in which every
fair event happens, or is not possible: somewhere in it, or anywhere in it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

from attrs import define, field, frozen

from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.run_graphs import FairEvents, RunGraph
from statemachines.explore.verdicts.strong_components import GroupedRows
from statemachines.model.breadth_first import search_breadth_first

RowTest = Callable[[int], object]
"""Tells of the row with an index whether a condition holds there."""
_UNREACHED, _START, _FIRST_EDGE = 0, 1, 2
"""Where a row was reached from: nowhere, by a beginning, and the number of the first edge."""


@frozen(eq=False)
class Lasso:
    """A run that waits for ever: where it begins, the edges to where it goes round, and once round
    (no edges: it stands still).
    """

    begin: int
    prefix: tuple[int, ...]
    cycle: tuple[int, ...] | None
    """None: it does not go on; what is wrong is wrong already."""


@define(eq=False)
class _WaitingRuns:
    """Every row that can be reached, with whether `then` is waited for: `when` has been met, and
    `then` not since. Breadth first, each with the edge that led to it.
    """

    graph: RunGraph
    came_from: array[int] = field(init=False)
    """By twice the row, one more where it waits: twice the edge that led there, one more where its
    source waits.
    """
    waiting: array[int] = field(factory=lambda: array("i"))
    """The rows that wait, as they were reached."""

    def __attrs_post_init__(self) -> None:
        short = len(self.graph.targets) < 1 << 30
        self.came_from = array("I" if short else "Q", [_UNREACHED]) * (2 * self.graph.size)

    def reach(self, when: RowTest, then: RowTest) -> None:
        """Go through all runs."""
        graph, came_from, pending = self.graph, self.came_from, array("I")

        def visit(row: int, waits: int, edge: int) -> None:
            node = 2 * row + (1 if (waits or when(row)) and not then(row) else 0)
            if came_from[node] == _UNREACHED:
                came_from[node] = edge
                pending.append(node)

        for begin in graph.initial_indices:
            visit(begin, 0, _START)
        for node in pending:  # it grows meanwhile
            row, waits = divmod(node, 2)
            if waits:
                self.waiting.append(row)
            for edge in graph.edges(row):
                visit(graph.targets[edge], waits, 2 * edge + waits + _FIRST_EDGE)

    def path_to(self, row: int) -> tuple[int, tuple[int, ...]]:
        """Return the begin of the way to a row that waits, and the edges of the way."""
        node, edges = 2 * row + 1, list[int]()
        while (last := self.came_from[node]) != _START:
            edge, waits = divmod(last - _FIRST_EDGE, 2)
            edges.append(edge)
            node = 2 * self.graph.source(edge) + waits
        return node // 2, tuple(reversed(edges))


def find_lasso(
    graph: RunGraph, when: RowTest, then: RowTest, again: RowTest | None = None
) -> Lasso | None:
    """Return a run that waits for ever, with as few steps as possible before it goes round; None
    where there is none.

    Args:
        graph: of what was seen.
        when: what makes it wait.
        then: what it waits for.
        again: what must hold somewhere each time round; None: nothing.

    Complexity: steps, once for each event that is strongly fair.
    """
    runs = _WaitingRuns(graph)
    runs.reach(when, then)
    waiting = array("i", (row for row in runs.waiting if graph.complete[row]))
    rows = GroupedRows(graph)
    fair = frozenset(_fair_groups(rows, waiting, again))
    entries = (row for row in waiting if rows.groups[row] in fair and (again is None or again(row)))
    entry = next(entries, None)
    if entry is None:
        return None
    group = rows.groups[entry]
    part = frozenset(row for row in waiting if rows.groups[row] == group)
    return Lasso(*runs.path_to(entry), tuple(_fair_cycle(graph, entry, part)))


def find_broken_wait(graph: RunGraph, when: RowTest, then: RowTest, holds: RowTest) -> Lasso | None:
    """Return a shortest run that waits and in which something does not hold meanwhile; None where
    there is none.
    """
    runs = _WaitingRuns(graph)
    runs.reach(when, then)
    broken = next((row for row in runs.waiting if not holds(row)), None)
    return None if broken is None else Lasso(*runs.path_to(broken), None)


def _fair_groups(rows: GroupedRows, waiting: Sequence[int], again: RowTest | None) -> Iterator[int]:
    """Yield the groups that are the largest parts within which a run may stay for ever.

    A run that stays in a strongly connected part may take all of its steps again and again. Where a
    strongly fair event is possible there and never happens within, no fair run comes back to the
    rows where it is possible: they are left out, and what is left is looked at anew.

    Source: E. A. Emerson, C.-L. Lei, Modalities for Model Checking, 1987 (Streett acceptance).
    """
    graph, pending = rows.graph, [waiting]
    while pending:
        for group, part in rows.components(pending.pop()):
            if again is not None and not any(map(again, part)):
                continue
            taken = _taken_events(rows, group, part)
            starving, neglected = _neglected_events(graph, part, taken)
            if starving:
                pending.append([row for row in part if not graph.enabled_events(row) & starving])
            elif not neglected:
                yield group


def _taken_events(rows: GroupedRows, group: int, part: Sequence[int]) -> FairEvents:
    """Return the fair events that happen within a part."""
    graph, groups = rows.graph, rows.groups
    labels = {
        graph.labels[edge]
        for row in part
        for edge in graph.edges(row)
        if groups[graph.targets[edge]] == group
    }
    return frozenset().union(*(graph.label_events[label] for label in labels))


def _neglected_events(
    graph: RunGraph, part: Sequence[int], taken: FairEvents
) -> tuple[FairEvents, FairEvents]:
    """Return what never happens within a part though it is fair: strongly fair events that are
    possible somewhere in it, and events that are possible everywhere.
    """
    somewhere, everywhere = set[FairEvent](), None
    for row in part:
        enabled = graph.enabled_events(row) - taken
        somewhere |= enabled
        everywhere = enabled if everywhere is None else everywhere & enabled
    return frozenset(filter(graph.is_strong, somewhere)), everywhere or frozenset()


def _fair_cycle(graph: RunGraph, entry: int, part: frozenset[int]) -> list[int]:
    """Return a way round within a part in which every fair event happens, or is not possible: a
    weakly fair one somewhere, a strongly fair one anywhere; empty: standing still is fair.
    """
    path, now = list[int](), entry
    for key in sorted(_events_to_do(graph, entry, part), key=repr):
        visited = [entry, *(graph.targets[edge] for edge in path)]
        strong = graph.is_strong(key)
        if any(key in graph.fair_events(edge) for edge in path) or (
            not strong and any(key not in graph.enabled_events(row) for row in visited)
        ):
            continue
        path += _shortest_path(graph, part, now, key=key, strong=strong)
        now = graph.targets[path[-1]]
    return path + (_shortest_path(graph, part, now, to=entry) if now != entry else [])


def _events_to_do(graph: RunGraph, entry: int, part: frozenset[int]) -> FairEvents:
    """Return the fair events that a way round through a row must do something about."""
    possible = frozenset[FairEvent]().union(*(graph.enabled_events(row) for row in part))
    return graph.enabled_events(entry) | frozenset(filter(graph.is_strong, possible))


def _shortest_path(
    graph: RunGraph,
    part: frozenset[int],
    begin: int,
    *,
    key: FairEvent | None = None,
    strong: bool = False,
    to: int | None = None,
) -> list[int]:
    """Return a shortest way within a part: to a step or a row where `key` is done with, or to a
    row.
    """

    def is_last(edge: int) -> bool:
        target = graph.targets[edge]
        return target == to or (
            key is not None
            and (
                key in graph.fair_events(edge)
                or (not strong and key not in graph.enabled_events(target))
            )
        )

    def steps(now: tuple[int, bool]) -> Iterator[tuple[int, tuple[int, bool]]]:
        for edge in graph.edges(now[0]):
            if graph.targets[edge] in part:
                yield edge, (graph.targets[edge], is_last(edge))

    search = search_breadth_first([(begin, False)], steps, itemgetter(1))
    assert search.goal is not None, "a strongly connected part has no way through it"
    return search.path_to(search.goal)[1]
