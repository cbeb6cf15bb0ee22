"""A trace or a log, laid over a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, field, frozen

from statemachines.draw.graphs.graph import Edge, Graph, LogEvidence, Node, Tone
from statemachines.draw.graphs.machine_graph import with_description
from statemachines.model.evidence.durations import format_duration

StatePair = tuple[str, str]
"""Where a step left and where it led."""
_THICKEST_EDGE = 5.0
_MOST_ORDINALS = 4
"""Numbers of steps that are written beside an arrow."""


@frozen
class Counts:
    """What a log tells of a machine, all instances together."""

    taken: Mapping[StatePair, int]
    """How often each step was taken; pairs that the machine does not have are forbidden steps."""
    held_ms: Mapping[str, int] = field(factory=dict)
    """How long each state was held, in milliseconds."""
    named: frozenset[str] = frozenset()
    """States that a line named, whether or not a step led there."""


def with_counts(graph: Graph, counts: Counts) -> Graph:
    """Lay a log over a picture: thickness and number by how often, dashed where never, red where
    forbidden.

    Args:
        graph: a machine's picture.
        counts: what was seen; states that the picture does not have are left out.

    Returns:
        Another picture, with an arrow for each step that the machine does not have.
    """
    known = {(edge.source, edge.target) for edge in graph.edges}
    most = max((count for count in counts.taken.values()), default=1)
    edges = tuple(
        _counted_edge(edge, counts.taken.get((edge.source, edge.target), 0), most)
        for edge in graph.edges
    )
    strange = tuple(
        Edge(
            *pair,
            labels=(_count_label(count),),
            evidence=LogEvidence.FORBIDDEN,
            width=_edge_width(count, most),
            note=f"{pair[0]} → {pair[1]}\nforbidden",
        )
        for pair, count in counts.taken.items()
        if count and pair not in known and graph.index.keys() >= set(pair)
    )
    visited = (
        {name for pair, count in counts.taken.items() if count for name in pair}
        | set(counts.held_ms)
        | counts.named
    )
    nodes = tuple(_held_node(node, counts.held_ms, node.name in visited) for node in graph.nodes)
    return with_description(evolve(graph, nodes=nodes, edges=(*edges, *strange)))


def with_trace(graph: Graph, steps: Iterable[StatePair], *, begins: str = "") -> Graph:
    """Highlight the path that one instance took, each arrow with the numbers of its steps, from 1.

    Args:
        graph: a machine's picture.
        steps: the steps in order; one that the picture has no arrow for is drawn as forbidden.
        begins: the state before the first step, which alone is highlighted where there is none.

    Returns:
        Another picture, with numbered arrows.
    """
    ordinals: dict[StatePair, list[int]] = {}
    for index, pair in enumerate(steps, start=1):
        ordinals.setdefault(pair, []).append(index)
    known = {(edge.source, edge.target) for edge in graph.edges}
    strange = (
        Edge(*pair, evidence=LogEvidence.FORBIDDEN, tone=Tone.COURSE)
        for pair in ordinals
        if pair not in known and graph.index.keys() >= set(pair)
    )
    edges = tuple(
        _highlighted_edge(edge, ordinals.get((edge.source, edge.target), ()))
        for edge in (*graph.edges, *strange)
    )
    visited = {begins, *(name for pair in ordinals for name in pair)}
    return with_description(
        evolve(
            graph,
            nodes=tuple(evolve(node, highlighted=node.name in visited) for node in graph.nodes),
            edges=edges,
        )
    )


def _counted_edge(edge: Edge, count: int, most: int) -> Edge:
    if count:
        return evolve(
            edge,
            evidence=LogEvidence.TAKEN,
            width=_edge_width(count, most),
            labels=(*edge.labels, _count_label(count)),
        )
    return evolve(edge, evidence=LogEvidence.NEVER) if edge.taken else edge


def _edge_width(count: int, most: int) -> float:
    return round(1 + (_THICKEST_EDGE - 1) * math.log1p(count) / math.log1p(max(most, 1)), 1)


def _count_label(count: int) -> str:
    return f"{count:,}×"


def _held_node(node: Node, held_ms: Mapping[str, int], visited: bool) -> Node:
    lines = (format_duration(held_ms[node.name]),) if node.name in held_ms else ()
    return evolve(
        node,
        lines=(*node.lines, *lines),
        evidence=LogEvidence.TAKEN if visited else LogEvidence.NEVER,
    )


def _highlighted_edge(edge: Edge, ordinals: Sequence[int]) -> Edge:
    if not ordinals:
        return edge
    more = "…" if len(ordinals) > _MOST_ORDINALS else ""
    return evolve(
        edge,
        highlighted=True,
        labels=(*edge.labels, ", ".join(map(str, ordinals[:_MOST_ORDINALS])) + more),
    )
