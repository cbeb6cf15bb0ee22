"""The order in which a picture is read, from left to right."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw.graphs.graph import Graph, Tone


def reading_order(graph: Graph) -> dict[str, int]:
    """Return the place of each state: as a walk from the first beginning comes to them, the course
    before the way out.

    An arrow to an earlier place leads back. The walk takes the arrows in the author's order and
    goes on as far as it can, so that a cycle is entered where one enters it from the beginning;
    only then it takes the next.

    Args:
        graph: the picture, before it is placed.

    Returns:
        0 for the first state, and so on, by name.
    """
    starts = [node.name for node in graph.nodes if node.initial] + [
        node.name for node in graph.nodes
    ]
    first_order = _depth_first_order(graph, starts)
    by_tone = sorted(first_order, key=lambda name: graph.index[name].tone is Tone.OUT)
    return {name: index for index, name in enumerate(by_tone)}


def _depth_first_order(graph: Graph, starts: list[str]) -> list[str]:
    """Return all states so that each stands before those that were first found behind it: depth
    first, the last left one in front.
    """
    nexts: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for edge in graph.edges:
        nexts[edge.source].append(edge.target)
    order: list[str] = []
    visited: set[str] = set()
    for start in starts:
        left: list[str] = []
        waiting: list[tuple[str, Iterator[str]]] = (
            [(start, iter(nexts[start]))] if start not in visited else []
        )
        visited.add(start)
        while waiting:
            _, targets = waiting[-1]
            target = next((index for index in targets if index not in visited), None)
            if target is None:
                left.append(waiting.pop()[0])
            else:
                visited.add(target)
                waiting.append((target, iter(nexts[target])))
        order += reversed(left)
    return order
