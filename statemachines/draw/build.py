"""From a machine to its picture."""

from __future__ import annotations

from attrs import evolve

from statemachines.draw.describe import description
from statemachines.draw.graph import Edge, Graph, Group, Node, Tone
from statemachines.draw.labels import labels, note
from statemachines.draw.operations import is_nameless, operations
from statemachines.draw.tones import tones
from statemachines.model.machines import Machine, State, Transition


def to_graph(machine: Machine, *, releases: str = "") -> Graph:
    """Picture a machine.

    Args:
        machine: any machine.
        releases: what the caption calls the releases that look like this one, such as `2.6.0..2.7.2`; the machine's own where empty.

    Returns:
        One box a state and one arrow a pair of states, in the author's order.
    """
    tone = tones(machine)
    caption = releases or machine.release
    if is_nameless(machine):
        return described(Graph(machine.name, (operations(machine),), (), title=machine.name, caption=caption))
    nodes = tuple(_node(state, tone[state.name]) for state in machine.states)
    edges = tuple(_edge(between, tone) for between in _between(machine).values())
    return described(Graph(machine.name, nodes, edges, _groups(machine), title=machine.name, caption=caption))


def described(graph: Graph) -> Graph:
    """Return the same picture with its description in words made anew."""
    return evolve(graph, description=description(graph))


def _node(state: State, tone: Tone) -> Node:
    return Node(state.name, initial=state.initial, final=state.final, tone=tone, note=state.doc.strip())


def _between(machine: Machine) -> dict[tuple[str, str], tuple[Transition, ...]]:
    """Return the transitions of each pair of states, in order of their first mention."""
    pairs: dict[tuple[str, str], tuple[Transition, ...]] = {}
    for each in machine.moves:
        pair = (each.source, each.target)
        pairs[pair] = (*pairs.get(pair, ()), each)
    return pairs


def _edge(between: tuple[Transition, ...], tone: dict[str, Tone]) -> Edge:
    first = between[0]
    return Edge(
        first.source,
        first.target,
        labels=labels(between),
        tone=tone[first.target],
        silent=all(each.silent for each in between),
        taken=any(each.taken for each in between),
        note=note(between),
    )


def _groups(machine: Machine) -> tuple[Group, ...]:
    """Return the groups of more than one state, unless one holds them all: a box around everything says nothing."""
    members: dict[str, list[str]] = {}
    for state in machine.states:
        if state.group:
            members.setdefault(state.group, []).append(state.name)
    return tuple(Group(name, tuple(nodes)) for name, nodes in members.items() if 1 < len(nodes) < len(machine.states))
