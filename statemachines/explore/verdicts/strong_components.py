"""Strongly connected parts of a graph of runs."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from attrs import define, field

from statemachines.explore.verdicts.run_graphs import RunGraph


@define(eq=False)
class GroupedRows:
    """Rows in groups: edges count that stay within one.

    Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972.
    """

    graph: RunGraph
    groups: array[int] = field(init=False)
    """By row: its group; 0: none."""
    count: int = 0
    """Groups that there were."""
    order: array[int] = field(init=False)
    """By row: when it was met, from 1 on; 0: not yet."""
    low_link: array[int] = field(init=False)
    visited: int = 0

    def __attrs_post_init__(self) -> None:
        zeros = bytes(4 * self.graph.size)
        self.groups, self.order, self.low_link = (array("i", zeros) for _ in range(3))

    def add_group(self, rows: Sequence[int]) -> int:
        """Put rows into a new group, out of those in which they were."""
        self.count += 1
        for row in rows:
            self.groups[row] = self.count
            self.order[row] = 0
        return self.count

    def components(self, rows: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield the strongly connected parts of some rows, those that others lead to first: each is
        a group by itself.

        Complexity: rows and edges, once each; it does not recurse.
        """
        group = self.add_group(rows)
        for row in rows:
            if not self.order[row] and self.groups[row] == group:
                yield from self._components_from(row, group)

    def _components_from(self, root: int, group: int) -> Iterator[tuple[int, Sequence[int]]]:
        graph, groups, order, low = self.graph, self.groups, self.order, self.low_link
        ends, targets = graph.ends, graph.targets
        path, places, stack = array("i"), array("I"), array("i")

        def enter(row: int) -> None:
            self.visited += 1
            order[row] = low[row] = self.visited
            path.append(row)
            stack.append(row)
            places.append(ends[row - 1] if row else 0)

        enter(root)
        while path:
            row, place = path[-1], places[-1]
            if place < ends[row]:
                places[-1] += 1
                target = targets[place]
                if groups[target] != group:  # another group's, or a part that is done
                    continue
                if not order[target]:
                    enter(target)
                elif order[target] < low[row]:
                    low[row] = order[target]
                continue
            path.pop()
            places.pop()
            if path and low[row] < low[path[-1]]:
                low[path[-1]] = low[row]
            if low[row] == order[row]:
                begin = len(stack) - 1
                while stack[begin] != row:
                    begin -= 1
                part = stack[begin:]
                del stack[begin:]
                yield self.add_group(part), part
