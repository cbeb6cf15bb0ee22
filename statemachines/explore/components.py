"""Strongly connected parts of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field


def components(following: Mapping[int, Sequence[int]]) -> Iterator[frozenset[int]]:
    """Yield the strongly connected parts of a graph, those that others lead to first.

    Args:
        following: node to where its edges lead, each of them a node too.

    Complexity: nodes and edges, once each; it does not recurse.

    Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972.

    >>> sorted(map(sorted, components({1: [2], 2: [1, 3], 3: []})))
    [[1, 2], [3]]
    """
    walk = _Walk(following)
    for node in following:
        if node not in walk.number:
            yield from walk.parts_from(node)


@define
class _Walk:
    following: Mapping[int, Sequence[int]]
    number: dict[int, int] = field(factory=dict)
    low: dict[int, int] = field(factory=dict)
    stack: list[int] = field(factory=list)
    on_stack: set[int] = field(factory=set)

    def parts_from(self, root: int) -> Iterator[frozenset[int]]:
        path = [self._enter(root)]
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in self.number:
                    path.append(self._enter(target))
                    break
                if target in self.on_stack:
                    self.low[node] = min(self.low[node], self.number[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    self.low[above] = min(self.low[above], self.low[node])
                if self.low[node] == self.number[node]:
                    yield self._part(node)

    def _enter(self, node: int) -> tuple[int, Iterator[int]]:
        self.number[node] = self.low[node] = len(self.number)
        self.stack.append(node)
        self.on_stack.add(node)
        return node, iter(self.following[node])

    def _part(self, node: int) -> frozenset[int]:
        part = {node}
        while (top := self.stack.pop()) != node:
            part.add(top)
        self.on_stack -= part
        return frozenset(part)
