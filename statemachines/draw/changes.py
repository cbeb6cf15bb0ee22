"""Two releases in one picture, with what came and what went."""

from __future__ import annotations

from attrs import evolve

from statemachines.draw.build import described
from statemachines.draw.graph import Edge, Graph, Mark, Node


def with_changes(old: Graph, new: Graph) -> Graph:
    """Mark in a picture what an older one does not have, and put in what only the older one has.

    Args:
        old: the older release's picture.
        new: the younger one's; its order is kept, what went comes after what stayed.

    Returns:
        A picture with the arrows and boxes of both. An arrow whose labels changed is in both, with a sign before each label that changed.
    """
    gone = tuple(evolve(node, mark=Mark.REMOVED) for node in old.nodes if node.name not in new.index)
    nodes = (*(_marked(node, old) for node in new.nodes), *gone)
    before, after = _by_pair(old), _by_pair(new)
    edges = [_compared(before.get(pair), edge) for pair, edge in after.items()]
    edges += [evolve(edge, mark=Mark.REMOVED) for pair, edge in before.items() if pair not in after]
    caption = f"{old.caption} → {new.caption}"
    return described(Graph(new.name, nodes, tuple(edges), new.groups, title=new.title, caption=caption))


def _marked(node: Node, old: Graph) -> Node:
    return node if node.name in old.index else evolve(node, mark=Mark.ADDED)


def _by_pair(graph: Graph) -> dict[tuple[str, str, bool], Edge]:
    return {(edge.source, edge.target, edge.needs): edge for edge in graph.edges}


def _compared(before: Edge | None, after: Edge) -> Edge:
    if before is None:
        return evolve(after, mark=Mark.ADDED)
    new = (text if text in before.labels else f"+ {text}" for text in after.labels)
    gone = (f"− {text}" for text in before.labels if text not in after.labels)
    return evolve(after, labels=(*new, *gone))
