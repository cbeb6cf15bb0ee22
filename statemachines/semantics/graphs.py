"""Ways through a machine: pure questions over a chosen part of its arrows, answered on bit masks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import frozen

from statemachines.model.machines import Transition
from statemachines.semantics.tables import States, Tables


@frozen
class Graph:
    """Some of a machine's arrows, between states as numbers."""

    ordered: tuple[tuple[int, ...], ...]
    """By state: where its arrows lead, each once, in the author's order of the arrows."""
    masks: tuple[States, ...]
    """By state: the same as a set."""


def graph_of(tables: Tables, keep: Callable[[Transition], bool] = lambda arrow: True) -> Graph:
    """Return the graph of the arrows that are kept (all where nothing is said)."""
    ordered: list[dict[int, None]] = [{} for _ in tables.states]
    for arrow in tables.machine.moves:
        if keep(arrow):
            ordered[tables.number[arrow.source]][tables.number[arrow.target]] = None
    return Graph(tuple(map(tuple, ordered)), tuple(sum(1 << place for place in places) for places in ordered))


def successors(graph: Graph, states: States) -> States:
    """Return where one step leads from any of some states."""
    found = 0
    for place, mask in enumerate(graph.masks):
        if states >> place & 1:
            found |= mask
    return found


def reachable(graph: Graph, states: States) -> States:
    """Return where any number of steps leads from any of some states; no step is a number, so they are in it themselves."""
    found, fresh = states, states
    while fresh:
        fresh = successors(graph, fresh) & ~found
        found |= fresh
    return found


def shortest_path(graph: Graph, sources: States, targets: States) -> tuple[int, ...] | None:
    """Return the states of a shortest way from one of `sources` to one of `targets`, both ends included.

    Of several shortest ones it is the first in the author's order: the earliest source, then the earliest arrow at every step.

    Returns:
        One state where the two sets meet; None where nothing leads there.
    """
    came_from = {place: -1 for place in range(len(graph.masks)) if sources >> place & 1}
    waiting = deque(came_from)
    while waiting:
        place = waiting.popleft()
        if targets >> place & 1:
            return _back(came_from, place)
        for following in graph.ordered[place]:
            if following not in came_from:
                came_from[following] = place
                waiting.append(following)
    return None


def _back(came_from: dict[int, int], place: int) -> tuple[int, ...]:
    path = []
    while place != -1:
        path.append(place)
        place = came_from[place]
    return tuple(reversed(path))
