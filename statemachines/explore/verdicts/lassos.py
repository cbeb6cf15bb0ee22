"""Runs that wait for ever: where a fair run may go round without what must come.

A weakly fair event happens where it is possible without a break, a strongly fair one where it is
possible again and again. A counterexample goes round for ever in a part of the graph in which every
fair event happens, or is not possible: somewhere in it, or anywhere in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Protocol

from attrs import frozen

from statemachines.explore.models.model_protocol import Taken
from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.strong_components import strong_components
from statemachines.model.breadth_first import ShortestPaths, search_breadth_first


@frozen(eq=False)
class FairnessEdge:
    """A step that changes something."""

    target: int
    fair_events: frozenset[FairEvent]
    taken: Taken


class FairnessGraph(Protocol):
    """What was seen, as a graph of rows."""

    @property
    def initial_indices(self) -> Iterable[int]:
        """The places of the rows in which runs begin."""
        ...

    def edges(self, index: int) -> tuple[FairnessEdge, ...] | None:
        """Return the steps from a row; None where they were not all seen."""
        ...

    def enabled_events(self, index: int) -> frozenset[FairEvent]:
        """Return the fair events that are possible in a row."""
        ...

    def is_strong(self, event: FairEvent) -> bool:
        """Tell whether a fair event happens where it is possible again and again, and not only
        where it is possible without a break.
        """
        ...


RowTest = Callable[[int], bool]
"""Tells of the row at a place whether a condition holds there."""


@frozen(eq=False)
class Lasso:
    """A run that waits for ever: where it begins, the way to where it goes round, and once round
    (no steps: it stands still).
    """

    begin: int
    prefix: tuple[FairnessEdge, ...]
    cycle: tuple[FairnessEdge, ...] | None
    """None: it does not go on; what is wrong is wrong already."""


_WaitNode = tuple[int, bool]
"""A row, and whether `when` has been met and `then` not since."""


def find_lasso(
    graph: FairnessGraph, when: RowTest, then: RowTest, again: RowTest | None = None
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
    reached = _reached_nodes(graph, when, then)
    waiting = [
        index for index, waits in reached.came_from if waits and graph.edges(index) is not None
    ]
    fair = list(_fair_parts(graph, frozenset(waiting), again))
    if not fair:
        return None
    rank = {index: number for number, index in enumerate(waiting) if again is None or again(index)}
    entry = min((index for part in fair for index in part if index in rank), key=rank.__getitem__)
    part = next(part for part in fair if entry in part)
    (begin, _), edges = reached.path_to((entry, True))
    return Lasso(begin, tuple(edges), tuple(_fair_cycle(graph, entry, part)))


def find_broken_wait(
    graph: FairnessGraph, when: RowTest, then: RowTest, holds: RowTest
) -> Lasso | None:
    """Return a shortest run that waits and in which something does not hold meanwhile; None where
    there is none.
    """
    reached = _reached_nodes(graph, when, then)
    for index, waits in reached.came_from:
        if waits and not holds(index):
            (begin, _), edges = reached.path_to((index, True))
            return Lasso(begin, tuple(edges), None)
    return None


def _reached_nodes(
    graph: FairnessGraph, when: RowTest, then: RowTest
) -> ShortestPaths[_WaitNode, FairnessEdge]:
    """Return every row that can be reached, with whether `then` is waited for; breadth first, each
    with the step that led to it.
    """

    def node(index: int, waits: bool) -> _WaitNode:
        return index, (waits or when(index)) and not then(index)

    def steps(now: _WaitNode) -> Iterator[tuple[FairnessEdge, _WaitNode]]:
        for edge in graph.edges(now[0]) or ():
            yield edge, node(edge.target, now[1])

    return search_breadth_first((node(begin, False) for begin in graph.initial_indices), steps)


def _fair_parts(
    graph: FairnessGraph, nodes: frozenset[int], again: RowTest | None
) -> Iterator[frozenset[int]]:
    """Yield the largest parts within which a run may stay for ever.

    A run that stays in a strongly connected part may take all of its steps again and again. Where a
    strongly fair event is possible there and never happens within, no fair run comes back to the
    rows where it is possible: they are left out, and what is left is looked at anew.

    Source: E. A. Emerson, C.-L. Lei, Modalities for Model Checking, 1987 (Streett acceptance).
    """
    pending = [nodes]
    while pending:
        inside = pending.pop()
        for part in strong_components(_edges_within(graph, inside)):
            if again is not None and not any(map(again, part)):
                continue
            taken = _taken_events(graph, part)
            enabled = [graph.enabled_events(index) for index in part]
            starving = {
                event for event in frozenset().union(*enabled) - taken if graph.is_strong(event)
            }
            if starving:
                pending.append(
                    frozenset(one for one in part if not graph.enabled_events(one) & starving)
                )
            elif frozenset.intersection(*enabled) <= taken:
                yield part


def _edges_within(graph: FairnessGraph, inside: frozenset[int]) -> dict[int, list[int]]:
    """Return where the steps from some rows lead that stay within them."""
    return {
        index: [edge.target for edge in graph.edges(index) or () if edge.target in inside]
        for index in sorted(inside)
    }


def _taken_events(graph: FairnessGraph, part: frozenset[int]) -> frozenset[FairEvent]:
    """Return the fair events that happen within a part."""
    return frozenset(
        key
        for index in part
        for edge in graph.edges(index) or ()
        if edge.target in part
        for key in edge.fair_events
    )


def _fair_cycle(graph: FairnessGraph, entry: int, part: frozenset[int]) -> list[FairnessEdge]:
    """Return a way round within a part in which every fair event happens, or is not possible: a
    weakly fair one somewhere, a strongly fair one anywhere; empty: standing still is fair.
    """
    path, now = list[FairnessEdge](), entry
    for key in sorted(_events_to_do(graph, entry, part), key=repr):
        visited = [entry, *(edge.target for edge in path)]
        strong = graph.is_strong(key)
        if any(key in edge.fair_events for edge in path) or (
            not strong and any(key not in graph.enabled_events(index) for index in visited)
        ):
            continue
        path += _shortest_path(graph, part, now, key=key, strong=strong)
        now = path[-1].target
    return path + (_shortest_path(graph, part, now, to=entry) if now != entry else [])


def _events_to_do(graph: FairnessGraph, entry: int, part: frozenset[int]) -> frozenset[FairEvent]:
    """Return the fair events that a way round through a row must do something about."""
    possible = frozenset().union(*(graph.enabled_events(index) for index in part))
    strong = {event for event in possible if graph.is_strong(event)}
    return graph.enabled_events(entry) | strong


def _shortest_path(
    graph: FairnessGraph,
    part: frozenset[int],
    begin: int,
    *,
    key: FairEvent | None = None,
    strong: bool = False,
    to: int | None = None,
) -> list[FairnessEdge]:
    """Return a shortest way within a part: to a step or a place where `key` is done with, or to a
    row.
    """

    def is_last(edge: FairnessEdge) -> bool:
        return edge.target == to or (
            key is not None
            and (
                key in edge.fair_events
                or (not strong and key not in graph.enabled_events(edge.target))
            )
        )

    def steps(now: tuple[int, bool]) -> Iterator[tuple[FairnessEdge, tuple[int, bool]]]:
        for edge in graph.edges(now[0]) or ():
            if edge.target in part:
                yield edge, (edge.target, is_last(edge))

    found = search_breadth_first([(begin, False)], steps, itemgetter(1))
    assert found.goal is not None, "a strongly connected part has no way through it"
    return found.path_to(found.goal)[1]
