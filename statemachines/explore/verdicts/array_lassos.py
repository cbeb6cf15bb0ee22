"""The shortest run that breaks a promise, looked for many rows at once.

It is the one that `lassos` finds row by row: rows are reached in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field

from statemachines.explore.verdicts.edge_arrays import Array, slices
from statemachines.explore.verdicts.fair_parts import FairParts, Waiting
from statemachines.explore.verdicts.lassos import (
    FIRST_NODE,
    START,
    UNREACHED,
    RowLasso,
    fair_cycle,
    path_to,
)


@define(eq=False)
class ArrayRuns:
    """Runs, breadth first, in the order of the beginnings and of the steps of a row; its nodes are
    those of `GraphRuns`.

    Complexity: steps, once for each event that is strongly fair; beside the edges sixteen bytes a
        row.
    """

    parts: FairParts
    begins: Sequence[int]
    when: Array
    """By row: whether it makes a run wait."""
    then: Array
    """By row: whether it is what a run waits for."""
    waiting: Array = field(init=False)
    """By row: whether it waits in some run."""

    def __attrs_post_init__(self) -> None:
        self.when, self.then = map(self._marks, (self.when, self.then))
        self.waiting = self.parts.waiting_rows(self.when, self.then)

    def _marks(self, values: bytes) -> Array:
        return self.parts.numpy.frombuffer(values, dtype=bool)

    def lasso(self, settled: bytes | None = None) -> RowLasso | None:
        """Return a run that waits for ever, with as few steps as possible before it goes round;
        None where there is none. `settled`: see `GraphRuns`.
        """
        waiting = Waiting(self.waiting, None if settled is None else ~self._marks(settled))
        groups = self._fair_groups(waiting)
        if groups is None:
            return None
        goals = groups > 0
        if waiting.again is not None:
            goals &= waiting.again
        rows = self._path_to_first(goals)
        if rows is None:  # all that leads there are rows not all of whose steps were seen
            return None
        inside, edges = groups == groups[rows[-1]], self.parts.edges
        possible = edges.possible_events(inside)
        return RowLasso(rows, fair_cycle(edges, rows[-1], inside.tobytes().__getitem__, possible))

    def broken_wait(self, holds: bytes) -> RowLasso | None:
        """Return a shortest run that waits and in which something does not hold meanwhile; None
        where there is none.
        """
        broken = self.waiting & ~self._marks(holds)
        rows = self._path_to_first(broken) if broken.any() else None
        return None if rows is None else RowLasso(rows, None)

    def _fair_groups(self, waiting: Waiting) -> Array | None:
        """Return by row the number of the part in which a fair run may stay; None where there is
        none. A row in which a run may stand still is a part where no other has it.
        """
        parts, numpy, many = self.parts, self.parts.numpy, 0
        groups = numpy.zeros(parts.edges.size, dtype=numpy.int32)
        for many, rows in enumerate(parts.fair_parts(waiting), 1):
            groups[rows] = many
        for rows in parts.still_rows(waiting):
            rows = rows.compress(groups.take(rows) == 0)
            groups[rows] = numpy.arange(many + 1, many + 1 + len(rows), dtype=numpy.int32)
            many += len(rows)
        return groups if many else None

    def _path_to_first(self, goals: Array) -> list[int] | None:
        """Return the rows of the way to the first row among some that is reached waiting; None
        where there is none.
        """
        numpy = self.parts.numpy
        came_from = numpy.zeros(2 * self.parts.edges.size, dtype=numpy.uint32)
        rows = numpy.array(self.begins, dtype=numpy.int64)
        level = [self._visit(came_from, self._nodes(rows, 0), numpy.full(len(rows), START))]
        while level:
            for nodes in level:
                waiting = (nodes >> 1).compress(nodes & 1)
                reached = goals.take(waiting)
                if reached.any():
                    return path_to(came_from, int(waiting[reached.argmax()]))
            every = (some for nodes in level for some in self._next_nodes(came_from, nodes))
            level = [some for some in every if len(some)]
        return None

    def _next_nodes(self, came_from: Array, level: Array) -> Iterator[Array]:
        for nodes in slices(level):
            edges = self.parts.edges.in_order(nodes >> 1)
            sources = self.parts.numpy.repeat(nodes, edges.counts)
            reached = self._nodes(edges.targets, sources & 1)
            yield self._visit(came_from, reached, sources + FIRST_NODE)

    def _nodes(self, rows: Array, waits: Any) -> Array:
        waits = (self.when.take(rows) | (waits == 1)) & ~self.then.take(rows)
        return (rows.astype(self.parts.numpy.int64) << 1) + waits

    def _visit(self, came_from: Array, nodes: Array, sources: Array) -> Array:
        """Return the nodes that are new, each once."""
        new = came_from.take(nodes) == UNREACHED
        nodes, sources = nodes.compress(new), sources.compress(new)
        first = self.parts.numpy.unique(nodes, return_index=True)[1]
        first.sort()
        nodes = nodes.take(first)
        came_from[nodes] = sources.take(first)
        return nodes
