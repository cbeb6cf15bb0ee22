"""The shortest run that breaks a promise, looked for many rows at once.

It is the one that `lassos` finds row by row: rows are reached in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.edge_arrays import Array, RowEdges, slices
from statemachines.explore.verdicts.fair_parts import FairParts, Waiting
from statemachines.explore.verdicts.run_graphs import FairEvents

_UNREACHED, _START, _FIRST_NODE = 0, 1, 2
"""From where a node was reached: from nowhere, by a beginning, and the number of the first node."""


@frozen(eq=False)
class RowStep:
    """A step of a run: the first one between two rows that is these fair events."""

    source: int
    target: int
    events: FairEvents | None = None
    """None: the first one of all."""


@frozen(eq=False)
class RowLasso:
    """A run that waits for ever: where it begins, the steps to where it goes round, and once round
    (none: it stands still).
    """

    begin: int
    prefix: Sequence[RowStep]
    cycle: Sequence[RowStep] | None
    """None: it does not go on; what is wrong is wrong already."""


def find_row_lasso(
    parts: FairParts, begins: Sequence[int], conditions: tuple[Array, Array], waiting: Waiting
) -> RowLasso | None:
    """Return a run that waits for ever, with as few steps as possible before it goes round; None
    where there is none.

    Args:
        parts: knows the edges.
        begins: the rows in which runs begin.
        conditions: by row, whether what makes it wait holds, and what it waits for.
        waiting: what `waiting_rows` found, and what counts.

    Complexity: steps, once for each event that is strongly fair; beside the edges sixteen bytes a
        row.
    """
    groups = _fair_groups(parts, waiting)
    if groups is None:
        return None
    goals = groups > 0
    if waiting.again is not None:
        goals &= waiting.again
    runs = _OrderedRuns(parts, *conditions)
    entry = runs.first_goal(begins, goals)
    if entry is None:  # all that leads there are rows not all of whose steps were seen
        return None
    rows = runs.path_to(entry)
    inside = groups == groups[entry]
    return RowLasso(rows[0], _first_steps(rows), _FairCycle(parts, entry, inside).steps())


def find_row_broken_wait(
    parts: FairParts, begins: Sequence[int], conditions: tuple[Array, Array], broken: Array
) -> RowLasso | None:
    """Return a shortest run that waits and leads to a row in which something does not hold
    meanwhile; None where there is none.
    """
    runs = _OrderedRuns(parts, *conditions)
    row = runs.first_goal(begins, broken) if broken.any() else None
    if row is None:
        return None
    rows = runs.path_to(row)
    return RowLasso(rows[0], _first_steps(rows), None)


def _fair_groups(parts: FairParts, waiting: Waiting) -> Array | None:
    """Return by row the number of the part in which a fair run may stay; None where there is none.
    A row in which a run may stand still is a part where no other has it.
    """
    numpy, many = parts.numpy, 0
    groups = numpy.zeros(parts.edges.size, dtype=numpy.int32)
    for many, rows in enumerate(parts.fair_parts(waiting), 1):
        groups[rows] = many
    for rows in parts.still_rows(waiting):
        rows = rows.compress(groups.take(rows) == 0)
        groups[rows] = numpy.arange(many + 1, many + 1 + len(rows), dtype=numpy.int32)
        many += len(rows)
    return groups if many else None


def _first_steps(rows: Sequence[int]) -> list[RowStep]:
    return [RowStep(*step) for step in itertools.pairwise(rows)]


def _first_times(numpy: Any, numbers: Array) -> Array:
    """Return where each number stands for the first time, in order."""
    places = numpy.unique(numbers, return_index=True)[1]
    places.sort()
    return places


@define(eq=False)
class _OrderedRuns:
    """Runs, breadth first, in the order of the beginnings and of the steps of a row: nodes are
    twice a row, one more where it waits.
    """

    parts: FairParts
    when: Array
    then: Array
    came_from: Array = field(init=False)
    """By node: the one from which it was reached first."""

    def __attrs_post_init__(self) -> None:
        numpy = self.parts.numpy
        self.came_from = numpy.zeros(2 * self.parts.edges.size, dtype=numpy.uint32)

    def first_goal(self, begins: Sequence[int], goals: Array) -> int | None:
        """Return the first row among some that is reached waiting; None where there is none."""
        numpy = self.parts.numpy
        rows = numpy.array(begins, dtype=numpy.int64)
        level = [self._visit(self._nodes(rows, 0), numpy.full(len(rows), _START))]
        while level:
            following = list[Array]()
            for nodes in level:
                waiting = (nodes >> 1).compress(nodes & 1)
                reached = goals.take(waiting)
                if reached.any():
                    return int(waiting[reached.argmax()])
            for nodes in level:
                following += [some for some in self._next_nodes(nodes) if len(some)]
            level = following
        return None

    def _next_nodes(self, level: Array) -> Iterator[Array]:
        for nodes in slices(level):
            edges = self.parts.edges.in_order(nodes >> 1)
            sources = self.parts.numpy.repeat(nodes, edges.counts)
            yield self._visit(self._nodes(edges.targets, sources & 1), sources + _FIRST_NODE)

    def _nodes(self, rows: Array, waits: Array) -> Array:
        waits = (self.when.take(rows) | (waits == 1)) & ~self.then.take(rows)
        return (rows.astype(self.parts.numpy.int64) << 1) + waits

    def _visit(self, nodes: Array, sources: Array) -> Array:
        """Return the nodes that are new, each once."""
        new = self.came_from.take(nodes) == _UNREACHED
        nodes, sources = nodes.compress(new), sources.compress(new)
        first = _first_times(self.parts.numpy, nodes)
        nodes = nodes.take(first)
        self.came_from[nodes] = sources.take(first)
        return nodes

    def path_to(self, row: int) -> list[int]:
        """Return the rows of the way to one that waits."""
        node, rows = 2 * row + 1, [row]
        while (last := int(self.came_from[node])) != _START:
            node = last - _FIRST_NODE
            rows.append(node >> 1)
        return rows[::-1]


@define(eq=False)
class _FairCycle:
    """A way round within a part in which every fair event happens, or is not possible: a weakly
    fair one somewhere, a strongly fair one anywhere; nothing where standing still is fair.
    """

    parts: FairParts
    entry: int
    inside: Array
    """By row: whether it is in the part."""

    def steps(self) -> list[RowStep]:
        """Return its steps."""
        path, now = list[RowStep](), self.entry
        for event, bit in self._events_to_do():
            visited = [self.entry, *(step.target for step in path)]
            strong = self.parts.edges.graph.is_strong(event)
            happened = any(step.events and event in step.events for step in self._labelled(path))
            if happened or (not strong and (self._enabled(visited) & bit == 0).any()):
                continue
            path += self._shortest_path(now, event=event, strong=strong)
            now = path[-1].target
        return path + (self._shortest_path(now, to=self.entry) if now != self.entry else [])

    def _enabled(self, rows: Sequence[int]) -> Array:
        return self.parts.edges.enabled_bits(self.parts.numpy.array(rows))

    def _events_to_do(self) -> list[tuple[FairEvent, int]]:
        """Return the fair events that a way round must do something about, with their bits."""
        numpy, edges = self.parts.numpy, self.parts.edges
        own, possible = int(self._enabled([self.entry])[0]), 0
        for begin in range(0, len(self.inside), 1 << 16):
            rows = numpy.flatnonzero(self.inside[begin : begin + (1 << 16)]) + begin
            possible |= int(numpy.bitwise_or.reduce(edges.enabled_bits(rows)))
        known = sorted(edges.event_bits.items(), key=lambda item: repr(item[0]))
        strong = sum(bit for event, bit in known if edges.graph.is_strong(event))
        wanted = own | (possible & strong)
        return [(event, bit) for event, bit in known if wanted & bit]

    def _labelled(self, path: Sequence[RowStep]) -> Iterator[RowStep]:
        """Yield steps with the fair events that they are."""
        for step in path:
            if step.events is None:
                edges = self._edges_from([step.source])
                place = int((edges.targets == step.target).argmax())
                yield RowStep(step.source, step.target, self._events(edges, place))
            else:
                yield step

    def _edges_from(self, rows: Sequence[int]) -> RowEdges:
        return self.parts.edges.in_order(self.parts.numpy.array(rows))

    def _events(self, edges: RowEdges, place: int) -> FairEvents:
        return self.parts.edges.graph.label_events[int(edges.labels[place])]

    def _shortest_path(
        self,
        begin: int,
        *,
        event: FairEvent | None = None,
        strong: bool = False,
        to: int | None = None,
    ) -> list[RowStep]:
        """Return a shortest way within the part: to a step or a row where an event is done with, or
        to a row.
        """
        edges, numpy = self.parts.edges, self.parts.numpy
        bit = 0 if event is None else edges.event_bits[event]

        def is_last(targets: Array, labels: Array) -> Array:
            if to is not None:
                return targets == to
            done = edges.label_bits(labels) & bit != 0
            return done if strong else done | (edges.enabled_bits(targets) & bit == 0)

        reached, first = self.parts.no_rows(), numpy.array([begin])
        reached[begin] = True
        levels: list[_Level] = [(first, -first)]
        while len(levels[-1][0]):
            following: list[_Level] = []
            for place, some in self._level_edges(levels[-1][0]):
                last = is_last(some.targets, some.labels)
                if last.any():
                    final = int(last.argmax())
                    path = _way_back(levels, place + int(some.rows[final]))
                    target, events = int(some.targets[final]), self._events(some, final)
                    return [*_first_steps(path), RowStep(path[-1], target, events)]
                new = numpy.flatnonzero(~reached.take(some.targets))
                new = new.take(_first_times(numpy, some.targets.take(new)))
                targets = some.targets.take(new)
                reached[targets] = True
                following.append((targets, some.rows.take(new) + place))
            levels.append(_joined_levels(numpy, following))
        raise AssertionError("a strongly connected part has no way through it")

    def _level_edges(self, rows: Array) -> Iterator[tuple[int, RowEdges]]:
        """Yield the edges from rows that stay in the part, in order, and where the rows begin; each
        with the place of its row among these in place of rows.
        """
        numpy, begin = self.parts.numpy, 0
        for some in slices(rows):
            edges = self.parts.edges.in_order(some)
            sources = numpy.repeat(numpy.arange(len(some)), edges.counts)
            inside = self.inside.take(edges.targets)
            targets, labels = edges.targets.compress(inside), edges.labels.compress(inside)
            yield begin, RowEdges(sources.compress(inside), targets, edges.counts, labels)
            begin += len(some)


_Level = tuple[Array, Array]
"""Rows that were reached, and the place of the row of the level before that leads to each."""


def _joined_levels(numpy: Any, levels: Sequence[_Level]) -> _Level:
    rows, sources = zip(*levels, strict=True)
    return numpy.concatenate(rows), numpy.concatenate(sources)


def _way_back(levels: Sequence[_Level], place: int) -> list[int]:
    """Return the rows of the way to the one at a place of the last level."""
    rows = list[int]()
    for reached, sources in reversed(levels):
        rows.append(int(reached[place]))
        place = int(sources[place])
    return rows[::-1]
