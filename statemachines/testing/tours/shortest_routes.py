"""The fewest steps that take every transition of a table, or every pair of transitions: the
postman's problem with free ways home.

A sequence ends anywhere and the next begins at the beginning, at no cost. So what is looked for is
the cheapest circulation that uses every wanted edge: a minimum cost flow, cut into lives by an
Euler circuit. Source: J. Edmonds and E. L. Johnson, Matching, Euler tours and the Chinese postman,
1973.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.semantics.machine.machine_tables import MachineTables

_RouteNode = Hashable
START = "start"
"""Where every life begins; no state is called so: they stand in pairs."""


@frozen
class _RouteEdge:
    """A step: from a node to a node."""

    source: _RouteNode
    target: _RouteNode
    transition: Transition = field(eq=False)
    wanted: bool = True


def transition_routes(tables: MachineTables, *, pairs: bool) -> tuple[tuple[Transition, ...], ...]:
    """Return lives that take every transition that can be reached, in the fewest steps together.

    Args:
        tables: of a machine without data, with one beginning.
        pairs: also every pair of transitions that may follow each other.

    Returns:
        Sequences, each the transitions that it takes in order.
    """
    transitions = _reachable_transitions(tables)
    edges = _pair_edges(tables, transitions) if pairs else _transition_edges(tables, transitions)
    return tuple(_cut_into_routes(edges, _circulation(edges)))


def _reachable_transitions(tables: MachineTables) -> tuple[Transition, ...]:
    """Return the transitions that some run takes, each the first of its event and state."""
    firsts = {key: transitions[0] for key, transitions in tables.candidates.items()}
    visited, pending = (
        set(tables.state_names(tables.initial)),
        list(tables.state_names(tables.initial)),
    )
    while pending:
        here = pending.pop()
        for transition in firsts.values():
            if transition.source == here and transition.target not in visited:
                visited.add(transition.target)
                pending.append(transition.target)
    return tuple(transition for transition in firsts.values() if transition.source in visited)


def _transition_edges(
    tables: MachineTables, transitions: tuple[Transition, ...]
) -> tuple[_RouteEdge, ...]:
    first = tables.state_names(tables.initial)[0]

    def node(state: str) -> _RouteNode:
        return START if state == first else ("state", state)

    return tuple(
        _RouteEdge(node(transition.source), node(transition.target), transition)
        for transition in transitions
    )


def _pair_edges(
    tables: MachineTables, transitions: tuple[Transition, ...]
) -> tuple[_RouteEdge, ...]:
    """Return a graph whose nodes are the transitions taken last and whose wanted edges are the
    pairs.
    """
    first = tables.state_names(tables.initial)[0]
    numbers = list(enumerate(transitions))
    begun = [
        _RouteEdge(START, ("arrow", number), transition, wanted=False)
        for number, transition in numbers
        if transition.source == first
    ]
    pairs = [
        _RouteEdge(("arrow", one), ("arrow", two), second)
        for one, before in numbers
        for two, second in numbers
        if before.target == second.source
    ]
    followed = {edge.target for edge in pairs}
    alone = [
        _RouteEdge(edge.source, edge.target, edge.transition)
        for edge in begun
        if edge.target not in followed
    ]
    return (*(edge for edge in begun if edge.target in followed), *alone, *pairs)


def _circulation(edges: tuple[_RouteEdge, ...]) -> list[int]:
    """Return how often each edge is used: the wanted ones at least once, all together as seldom as
    can be.
    """
    used = [int(edge.wanted) for edge in edges]
    surplus: Counter[_RouteNode] = Counter()
    for edge, times in zip(edges, used, strict=True):
        surplus[edge.target] += times
        surplus[edge.source] -= times
    extra = [0] * len(edges)
    lacking = [node for node, count in surplus.items() if node != START for _ in range(-count)]
    spare = Counter({node: count for node, count in surplus.items() if count > 0 and node != START})
    for node in lacking:
        origin, path = _cheapest_path(edges, extra, spare, node)
        for number, step in path:
            extra[number] += step
        spare[origin] -= 1
    return _connected_circulation(
        edges, [least + more for least, more in zip(used, extra, strict=True)]
    )


def _connected_circulation(edges: tuple[_RouteEdge, ...], used: list[int]) -> list[int]:
    """Add ways from the start to circles that nothing leads to."""
    while True:
        walked = [edge for edge, times in zip(edges, used, strict=True) if times]
        reached, before = set[_RouteNode]({START}), 0
        while len(reached) != before:
            before = len(reached)
            reached |= {edge.target for edge in walked if edge.source in reached}
        apart = next((edge for edge in walked if edge.source not in reached), None)
        if apart is None:
            return used
        for number, _ in _cheapest_path(edges, [0] * len(edges), Counter(), apart.source)[1]:
            used[number] += 1


def _cheapest_path(
    edges: tuple[_RouteEdge, ...], extra: list[int], spare: Counter[_RouteNode], wanted: _RouteNode
) -> tuple[_RouteNode, list[tuple[int, int]]]:
    """Return the cheapest way to a node, from the start or from where a life could go on: where it
    comes from, and edges with signs.
    """
    cost: dict[_RouteNode, int] = {START: 0} | {
        node: 0 for node, count in spare.items() if count > 0
    }
    came: dict[_RouteNode, tuple[_RouteNode, int, int]] = {}
    for _ in range(len(edges) + 1):
        changed = False
        for number, edge in enumerate(edges):
            steps = [(edge.source, edge.target, 1)] + (
                [(edge.target, edge.source, -1)] if extra[number] > 0 else []
            )
            for source, target, sign in steps:
                if source in cost and cost[source] + sign < cost.get(target, 1 << 30):
                    cost[target], came[target], changed = (
                        cost[source] + sign,
                        (source, number, sign),
                        True,
                    )
        if not changed:
            break
    path, here = list[tuple[int, int]](), wanted
    while here in came:
        here, number, sign = came[here]
        path.append((number, sign))
    return here, path


def _cut_into_routes(
    edges: tuple[_RouteEdge, ...], used: list[int]
) -> Iterator[tuple[Transition, ...]]:
    """Yield lives: walk over every use of every edge, and home where a node has no way on."""
    out: defaultdict[_RouteNode, list[_RouteEdge | None]] = defaultdict(list)
    balance: Counter[_RouteNode] = Counter()
    for edge, times in zip(edges, used, strict=True):
        out[edge.source] += [edge] * times
        balance[edge.target] += times
        balance[edge.source] -= times
    for node, more in balance.items():
        if node != START:
            out[node] += [None] * more
    sequence = list[Transition]()
    for step in _euler_circuit(out):
        if step is None:
            yield tuple(sequence)
            sequence = []
        else:
            sequence.append(step.transition)
    if sequence:
        yield tuple(sequence)


def _euler_circuit(
    out: defaultdict[_RouteNode, list[_RouteEdge | None]],
) -> Iterator[_RouteEdge | None]:
    """Yield an Euler circuit from the start (Hierholzer); None is a way home."""
    stack: list[tuple[_RouteNode, _RouteEdge | None]] = [(START, None)]
    circuit = list[_RouteEdge | None]()
    while stack:
        node, came = stack[-1]
        if out[node]:
            step = out[node].pop(0)
            stack.append((START if step is None else step.target, step))
        else:
            circuit.append(came)
            stack.pop()
    return iter(circuit[-2::-1])
