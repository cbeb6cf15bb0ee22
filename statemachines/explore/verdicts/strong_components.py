"""Strongly connected parts of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field


def strong_components(following: Mapping[int, Sequence[int]]) -> Iterator[frozenset[int]]:
    """Yield the strongly connected parts of a graph, those that others lead to first.

    Args:
        following: node to where its edges lead, each of them a node too.

    Complexity: nodes and edges, once each; it does not recurse.

    Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972.

    >>> sorted(map(sorted, strong_components({1: [2], 2: [1, 3], 3: []})))
    [[1, 2], [3]]
    """
    walk = _TarjanSearch(following)
    for node in following:
        if node not in walk.order:
            yield from walk.components_from(node)


@define
class _TarjanSearch:
    successors: Mapping[int, Sequence[int]]
    order: dict[int, int] = field(factory=dict)
    low_link: dict[int, int] = field(factory=dict)
    stack: list[int] = field(factory=list)
    on_stack: set[int] = field(factory=set)

    def components_from(self, root: int) -> Iterator[frozenset[int]]:
        path = [self._enter(root)]
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in self.order:
                    path.append(self._enter(target))
                    break
                if target in self.on_stack:
                    self.low_link[node] = min(self.low_link[node], self.order[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    self.low_link[above] = min(self.low_link[above], self.low_link[node])
                if self.low_link[node] == self.order[node]:
                    yield self._pop_component(node)

    def _enter(self, node: int) -> tuple[int, Iterator[int]]:
        self.order[node] = self.low_link[node] = len(self.order)
        self.stack.append(node)
        self.on_stack.add(node)
        return node, iter(self.successors[node])

    def _pop_component(self, node: int) -> frozenset[int]:
        part = {node}
        while (top := self.stack.pop()) != node:
            part.add(top)
        self.on_stack -= part
        return frozenset(part)
