"""Runs that wait for ever: where a fair run may go round without what must come.

A weakly fair event happens where it is possible without a break, a strongly fair one where it is
possible again and again. A counterexample goes round for ever in a part of the graph in which every
fair event happens, or is not possible: somewhere in it, or anywhere in it.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterator, Sequence

from attrs import define, field, frozen

from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.edge_arrays import EdgeArrays
from statemachines.explore.verdicts.run_graphs import FairEvents, RunGraph
from statemachines.explore.verdicts.strong_components import GroupedRows

UNREACHED, START, FIRST_NODE = 0, 1, 2
"""From where a node was reached: from nowhere, by a beginning, and the number of the first node."""


@frozen(eq=False)
class RowStep:
    """A step of a run: the first one between two rows that is these fair events."""

    source: int
    target: int
    events: FairEvents


@frozen(eq=False)
class RowLasso:
    """A run that waits for ever: the rows to where it goes round, by the first step between two of
    them, and once round (none: it stands still).
    """

    rows: Sequence[int]
    cycle: Sequence[RowStep] | None
    """None: it does not go on; what is wrong is wrong already."""


@define(eq=False)
class GraphRuns:
    """Every row that can be reached, with whether `then` is waited for: `when` has been met, and
    `then` not since. Breadth first: nodes are twice a row, one more where it waits.
    """

    graph: RunGraph
    begins: Sequence[int]
    when: bytes
    """By row: whether it makes a run wait."""
    then: bytes
    """By row: whether it is what a run waits for."""
    came_from: array[int] = field(init=False)
    """By node: the one from which it was reached first."""
    waiting: array[int] = field(factory=lambda: array("i"))
    """The rows that wait, as they were reached."""

    def __attrs_post_init__(self) -> None:
        graph, when, then, pending = self.graph, self.when, self.then, array("Q")
        short = graph.size < 1 << 30
        came_from = self.came_from = array("I" if short else "Q", [UNREACHED]) * (2 * graph.size)

        def visit(row: int, waits: int, source: int) -> None:
            node = 2 * row + (1 if (waits or when[row]) and not then[row] else 0)
            if came_from[node] == UNREACHED:
                came_from[node] = source
                pending.append(node)

        for begin in self.begins:
            visit(begin, 0, START)
        for node in pending:  # it grows meanwhile
            row, waits = divmod(node, 2)
            if waits:
                self.waiting.append(row)
            for edge in graph.edges(row):
                visit(graph.targets[edge], waits, node + FIRST_NODE)

    def lasso(self, settled: bytes | None = None) -> RowLasso | None:
        """Return a run that waits for ever, with as few steps as possible before it goes round;
        None where there is none.

        Args:
            settled: by row what must not hold somewhere each time round; None: nothing.

        Complexity: steps, once for each event that is strongly fair.
        """
        waiting = array("i", (row for row in self.waiting if self.graph.complete[row]))
        rows = GroupedRows(self.graph)
        fair = frozenset(_fair_groups(rows, waiting, settled))
        entries = (row for row in waiting if rows.groups[row] in fair)
        entry = next((row for row in entries if settled is None or not settled[row]), None)
        if entry is None:
            return None
        part = frozenset(row for row in waiting if rows.groups[row] == rows.groups[entry])
        possible = frozenset[FairEvent]().union(*map(self.graph.enabled_events, part))
        cycle = fair_cycle(self.graph, entry, part.__contains__, possible)
        return RowLasso(path_to(self.came_from, entry), cycle)

    def broken_wait(self, holds: bytes) -> RowLasso | None:
        """Return a shortest run that waits and in which something does not hold meanwhile; None
        where there is none.
        """
        broken = next((row for row in self.waiting if not holds[row]), None)
        return None if broken is None else RowLasso(path_to(self.came_from, broken), None)


def path_to(came_from: Sequence[int], row: int) -> list[int]:
    """Return the rows of the way to one that waits; `came_from`: by node, as `GraphRuns` has it."""
    node, rows = 2 * row + 1, [row]
    while (last := int(came_from[node])) != START:
        node = last - FIRST_NODE
        rows.append(node >> 1)
    return rows[::-1]


def _fair_groups(rows: GroupedRows, waiting: Sequence[int], settled: bytes | None) -> Iterator[int]:
    """Yield the groups that are the largest parts within which a run may stay for ever.

    A run that stays in a strongly connected part may take all of its steps again and again. Where a
    strongly fair event is possible there and never happens within, no fair run comes back to the
    rows where it is possible: they are left out, and what is left is looked at anew.

    Source: E. A. Emerson, C.-L. Lei, Modalities for Model Checking, 1987 (Streett acceptance).
    """
    graph, pending = rows.graph, [waiting]
    while pending:
        for group, part in rows.components(pending.pop()):
            if settled is not None and all(settled[row] for row in part):
                continue
            taken = _taken_events(rows, group, part)
            neglected = [graph.enabled_events(row) - taken for row in part]
            starving = frozenset(filter(graph.is_strong, frozenset[FairEvent]().union(*neglected)))
            if starving:
                pending.append([row for row in part if not graph.enabled_events(row) & starving])
            elif not frozenset.intersection(*neglected):
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


def fair_cycle(
    graph: RunGraph | EdgeArrays,
    entry: int,
    inside: Callable[[int], object],
    possible: FairEvents,
) -> list[RowStep]:
    """Return a way round within a part in which every fair event happens, or is not possible: a
    weakly fair one somewhere, a strongly fair one anywhere; empty: standing still is fair.

    Args:
        graph: the steps.
        entry: the row of the part in which it begins.
        inside: tells whether a row is in the part.
        possible: the fair events that are possible somewhere in it.
    """
    path, now = list[RowStep](), entry
    for event in sorted(
        graph.enabled_events(entry) | frozenset(filter(graph.is_strong, possible)), key=repr
    ):
        visited = [entry, *(step.target for step in path)]
        if any(event in step.events for step in path) or (
            not graph.is_strong(event)
            and any(event not in graph.enabled_events(row) for row in visited)
        ):
            continue
        path += _shortest_path(graph, inside, now, event=event)
        now = path[-1].target
    return path + (_shortest_path(graph, inside, now, to=entry) if now != entry else [])


def _shortest_path(
    graph: RunGraph | EdgeArrays,
    inside: Callable[[int], object],
    begin: int,
    *,
    event: FairEvent | None = None,
    to: int | None = None,
) -> list[RowStep]:
    """Return a shortest way within a part: to a step or a row where an event is done with, or to a
    row.
    """

    def is_last(target: int, events: FairEvents) -> bool:
        if event is None or event in events:
            return target == to or event is not None
        return not graph.is_strong(event) and event not in graph.enabled_events(target)

    reached, levels = bytearray(graph.size), [(array("i", [begin]), array("i", [0]))]
    reached[begin] = 1
    while levels[-1][0]:
        rows, sources = array("i"), array("i")
        for place, target, events in graph.steps(levels[-1][0]):
            if not inside(target):
                continue
            if is_last(target, events):
                path = _way_back(levels, place)
                first = [_first_step(graph, *pair) for pair in itertools.pairwise(path)]
                return [*first, RowStep(path[-1], target, events)]
            if not reached[target]:
                reached[target] = 1
                rows.append(target)
                sources.append(place)
        levels.append((rows, sources))
    raise AssertionError("a strongly connected part has no way through it")


def _way_back(levels: Sequence[tuple[Sequence[int], Sequence[int]]], place: int) -> list[int]:
    """Return the rows of the way to the one at a place of the last level."""
    path = list[int]()
    for rows, sources in reversed(levels):
        path.append(rows[place])
        place = sources[place]
    return path[::-1]


def _first_step(graph: RunGraph | EdgeArrays, source: int, target: int) -> RowStep:
    """Return the first step between two rows."""
    steps = graph.steps([source])
    return RowStep(source, target, next(events for _, after, events in steps if after == target))
