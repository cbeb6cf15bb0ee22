"""Two releases in one picture, with what came and what went."""

from __future__ import annotations

from attrs import evolve

from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, Node
from statemachines.draw.graphs.machine_graph import with_description


def with_changes(old: Graph, new: Graph) -> Graph:
    """Mark in a picture what an older one does not have, and put in what only the older one has.

    Args:
        old: the older release's picture.
        new: the younger one's; its order is kept, what went comes after what stayed.

    Returns:
        A picture with the arrows and boxes of both. An arrow whose labels changed is in both, with
        a sign before each label that changed.
    """
    removed = tuple(
        evolve(node, change=ChangeMark.REMOVED) for node in old.nodes if node.name not in new.index
    )
    nodes = (*(_marked_node(node, old) for node in new.nodes), *removed)
    before, after = _edges_by_pair(old), _edges_by_pair(new)
    edges = [_compared_edge(before.get(pair), edge) for pair, edge in after.items()]
    edges += [
        evolve(edge, change=ChangeMark.REMOVED)
        for pair, edge in before.items()
        if pair not in after
    ]
    caption = f"{old.caption} → {new.caption}"
    return with_description(
        Graph(new.name, nodes, tuple(edges), new.groups, title=new.title, caption=caption)
    )


def _marked_node(node: Node, old: Graph) -> Node:
    return node if node.name in old.index else evolve(node, change=ChangeMark.ADDED)


def _edges_by_pair(graph: Graph) -> dict[tuple[str, str, bool], Edge]:
    return {(edge.source, edge.target, edge.is_requirement): edge for edge in graph.edges}


def _compared_edge(before: Edge | None, after: Edge) -> Edge:
    if before is None:
        return evolve(after, change=ChangeMark.ADDED)
    new = (text if text in before.labels else f"+ {text}" for text in after.labels)
    removed = (f"− {text}" for text in before.labels if text not in after.labels)
    return evolve(after, labels=(*new, *removed))
