"""A trace or a log, laid over a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, field, frozen

from statemachines.draw.build import described
from statemachines.draw.graph import Edge, Graph, Node, Seen, Tone
from statemachines.model.durations import duration

Pair = tuple[str, str]
"""Where a step left and where it led."""
THICKEST = 5.0
ORDINALS = 4
"""Numbers of steps that are written beside an arrow."""


@frozen
class Counts:
    """What a log tells of a machine, all instances together."""

    taken: Mapping[Pair, int]
    """How often each step was taken; pairs that the machine does not have are forbidden steps."""
    held_ms: Mapping[str, int] = field(factory=dict)
    """How long each state was held, in milliseconds."""
    named: frozenset[str] = frozenset()
    """States that a line named, whether or not a step led there."""


def with_counts(graph: Graph, counts: Counts) -> Graph:
    """Lay a log over a picture: thickness and number by how often, dashed where never, red where forbidden.

    Args:
        graph: a machine's picture.
        counts: what was seen; states that the picture does not have are left out.
    """
    known = {(edge.source, edge.target) for edge in graph.edges}
    most = max((count for count in counts.taken.values()), default=1)
    edges = tuple(_counted(edge, counts.taken.get((edge.source, edge.target), 0), most) for edge in graph.edges)
    strange = tuple(
        Edge(*pair, labels=(_times(count),), seen=Seen.FORBIDDEN, width=_width(count, most), note=f"{pair[0]} → {pair[1]}\nforbidden")
        for pair, count in counts.taken.items()
        if count and pair not in known and graph.index.keys() >= set(pair)
    )
    visited = {name for pair, count in counts.taken.items() if count for name in pair} | set(counts.held_ms) | counts.named
    nodes = tuple(_held(node, counts.held_ms, node.name in visited) for node in graph.nodes)
    return described(evolve(graph, nodes=nodes, edges=(*edges, *strange)))


def with_trace(graph: Graph, steps: Iterable[Pair]) -> Graph:
    """Highlight the way that one instance took, each arrow with the numbers of its steps, from 1.

    Args:
        graph: a machine's picture.
        steps: the steps in order; one that the picture has no arrow for is drawn as forbidden.
    """
    ordinals: dict[Pair, list[int]] = {}
    for place, pair in enumerate(steps, start=1):
        ordinals.setdefault(pair, []).append(place)
    known = {(edge.source, edge.target) for edge in graph.edges}
    strange = (
        Edge(*pair, seen=Seen.FORBIDDEN, tone=Tone.COURSE) for pair in ordinals if pair not in known and graph.index.keys() >= set(pair)
    )
    edges = tuple(_lit(edge, ordinals.get((edge.source, edge.target), ())) for edge in (*graph.edges, *strange))
    visited = {name for pair in ordinals for name in pair}
    return described(evolve(graph, nodes=tuple(evolve(node, lit=node.name in visited) for node in graph.nodes), edges=edges))


def _counted(edge: Edge, count: int, most: int) -> Edge:
    if count:
        return evolve(edge, seen=Seen.TAKEN, width=_width(count, most), labels=(*edge.labels, _times(count)))
    return evolve(edge, seen=Seen.NEVER) if edge.taken else edge


def _width(count: int, most: int) -> float:
    return round(1 + (THICKEST - 1) * math.log1p(count) / math.log1p(max(most, 1)), 1)


def _times(count: int) -> str:
    return f"{count:,}×"


def _held(node: Node, held_ms: Mapping[str, int], visited: bool) -> Node:
    lines = (duration(held_ms[node.name]),) if node.name in held_ms else ()
    return evolve(node, lines=(*node.lines, *lines), seen=Seen.TAKEN if visited else Seen.NEVER)


def _lit(edge: Edge, ordinals: Sequence[int]) -> Edge:
    if not ordinals:
        return edge
    more = "…" if len(ordinals) > ORDINALS else ""
    return evolve(edge, lit=True, labels=(*edge.labels, ", ".join(map(str, ordinals[:ORDINALS])) + more))
