"""The fewest steps that take every transition of a table, or every pair of transitions: the postman's problem with free ways home.

A life ends anywhere and the next begins at the beginning, at no cost. So what is looked for is the cheapest circulation that uses every
wanted edge: a minimum cost flow, cut into lives by an Euler circuit.
Source: J. Edmonds and E. L. Johnson, Matching, Euler tours and the Chinese postman, 1973.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator

from attrs import field, frozen

from statemachines.model.machines import Transition
from statemachines.semantics.tables import Tables

Node = Hashable
START = "start"
"""Where every life begins; no state is called so: they stand in pairs."""


@frozen
class Edge:
    """A step: from a node to a node."""

    source: Node
    target: Node
    arrow: Transition = field(eq=False)
    wanted: bool = True


def lives(tables: Tables, *, pairs: bool) -> tuple[tuple[Transition, ...], ...]:
    """Return lives that take every transition that can be reached, in the fewest steps together.

    Args:
        tables: of a machine without data, with one beginning.
        pairs: also every pair of transitions that may follow each other.
    """
    arrows = _reachable(tables)
    edges = _pair_edges(tables, arrows) if pairs else _edges(tables, arrows)
    return tuple(_cut(edges, _circulation(edges)))


def _reachable(tables: Tables) -> tuple[Transition, ...]:
    """Return the arrows that some run takes, each the first of its event and state."""
    firsts = {key: arrows[0] for key, arrows in tables.candidates.items()}
    seen, pending = set(tables.names(tables.initial)), list(tables.names(tables.initial))
    while pending:
        here = pending.pop()
        for arrow in firsts.values():
            if arrow.source == here and arrow.target not in seen:
                seen.add(arrow.target)
                pending.append(arrow.target)
    return tuple(arrow for arrow in firsts.values() if arrow.source in seen)


def _edges(tables: Tables, arrows: tuple[Transition, ...]) -> tuple[Edge, ...]:
    first = tables.names(tables.initial)[0]

    def node(state: str) -> Node:
        return START if state == first else ("state", state)

    return tuple(Edge(node(arrow.source), node(arrow.target), arrow) for arrow in arrows)


def _pair_edges(tables: Tables, arrows: tuple[Transition, ...]) -> tuple[Edge, ...]:
    """Return a graph whose nodes are the arrows taken last and whose wanted edges are the pairs."""
    first = tables.names(tables.initial)[0]
    numbers = list(enumerate(arrows))
    begun = [Edge(START, ("arrow", number), arrow, wanted=False) for number, arrow in numbers if arrow.source == first]
    pairs = [
        Edge(("arrow", one), ("arrow", two), second) for one, before in numbers for two, second in numbers if before.target == second.source
    ]
    followed = {edge.target for edge in pairs}
    alone = [Edge(edge.source, edge.target, edge.arrow) for edge in begun if edge.target not in followed]
    return (*(edge for edge in begun if edge.target in followed), *alone, *pairs)


def _circulation(edges: tuple[Edge, ...]) -> list[int]:
    """Return how often each edge is used: the wanted ones at least once, all together as seldom as can be."""
    used = [int(edge.wanted) for edge in edges]
    surplus: Counter[Node] = Counter()
    for edge, times in zip(edges, used, strict=True):
        surplus[edge.target] += times
        surplus[edge.source] -= times
    extra = [0] * len(edges)
    lacking = [node for node, count in surplus.items() if node != START for _ in range(-count)]
    spare = Counter({node: count for node, count in surplus.items() if count > 0 and node != START})
    for node in lacking:
        origin, way = _cheapest(edges, extra, spare, node)
        for number, step in way:
            extra[number] += step
        spare[origin] -= 1
    return _joined(edges, [one + more for one, more in zip(used, extra, strict=True)])


def _joined(edges: tuple[Edge, ...], used: list[int]) -> list[int]:
    """Add ways from the start to circles that nothing leads to."""
    while True:
        walked = [edge for edge, times in zip(edges, used, strict=True) if times]
        reached, before = set[Node]({START}), 0
        while len(reached) != before:
            before = len(reached)
            reached |= {edge.target for edge in walked if edge.source in reached}
        apart = next((edge for edge in walked if edge.source not in reached), None)
        if apart is None:
            return used
        for number, _ in _cheapest(edges, [0] * len(edges), Counter(), apart.source)[1]:
            used[number] += 1


def _cheapest(edges: tuple[Edge, ...], extra: list[int], spare: Counter[Node], wanted: Node) -> tuple[Node, list[tuple[int, int]]]:
    """Return the cheapest way to a node, from the start or from where a life could go on: where it comes from, and edges with signs."""
    cost: dict[Node, int] = {START: 0} | {node: 0 for node, count in spare.items() if count > 0}
    came: dict[Node, tuple[Node, int, int]] = {}
    for _ in range(len(edges) + 1):
        changed = False
        for number, edge in enumerate(edges):
            steps = [(edge.source, edge.target, 1)] + ([(edge.target, edge.source, -1)] if extra[number] > 0 else [])
            for source, target, sign in steps:
                if source in cost and cost[source] + sign < cost.get(target, 1 << 30):
                    cost[target], came[target], changed = cost[source] + sign, (source, number, sign), True
        if not changed:
            break
    way, here = list[tuple[int, int]](), wanted
    while here in came:
        here, number, sign = came[here]
        way.append((number, sign))
    return here, way


def _cut(edges: tuple[Edge, ...], used: list[int]) -> Iterator[tuple[Transition, ...]]:
    """Yield lives: walk over every use of every edge, and home where a node has no way on."""
    out: defaultdict[Node, list[Edge | None]] = defaultdict(list)
    balance: Counter[Node] = Counter()
    for edge, times in zip(edges, used, strict=True):
        out[edge.source] += [edge] * times
        balance[edge.target] += times
        balance[edge.source] -= times
    for node, more in balance.items():
        if node != START:
            out[node] += [None] * more
    life = list[Transition]()
    for step in _circuit(out):
        if step is None:
            yield tuple(life)
            life = []
        else:
            life.append(step.arrow)
    if life:
        yield tuple(life)


def _circuit(out: defaultdict[Node, list[Edge | None]]) -> Iterator[Edge | None]:
    """Yield an Euler circuit from the start (Hierholzer); None is a way home."""
    stack: list[tuple[Node, Edge | None]] = [(START, None)]
    found = list[Edge | None]()
    while stack:
        node, came = stack[-1]
        if out[node]:
            step = out[node].pop(0)
            stack.append((START if step is None else step.target, step))
        else:
            found.append(came)
            stack.pop()
    return iter(found[-2::-1])
