"""From a machine to its picture."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from statemachines.draw.graphs.data_box import data_box, is_nameless
from statemachines.draw.graphs.edge_labels import edge_labels, edge_note
from statemachines.draw.graphs.graph import (
    ChangeMark,
    Edge,
    Graph,
    LogEvidence,
    Node,
    NodeGroup,
    Tone,
)
from statemachines.draw.graphs.tones import state_tones
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition


def to_graph(machine: MachineDefinition, *, releases: str = "") -> Graph:
    """Picture a machine.

    Args:
        machine: any machine.
        releases: what the caption calls the releases that look like this one, such as
            `2.6.0..2.7.2`; the machine's own where empty.

    Returns:
        One box a state and one arrow a pair of states, in the author's order.
    """
    tone = state_tones(machine)
    caption = releases or machine.release
    if is_nameless(machine):
        return with_description(
            Graph(machine.name, (data_box(machine),), (), title=machine.name, caption=caption)
        )
    nodes = tuple(_state_node(state, tone[state.name]) for state in machine.states)
    edges = tuple(
        _transition_edge(between, tone) for between in _transitions_by_pair(machine).values()
    )
    return with_description(
        Graph(
            machine.name, nodes, edges, _node_groups(machine), title=machine.name, caption=caption
        )
    )


def with_description(graph: Graph) -> Graph:
    """Return the same picture with its description in words made anew.

    Args:
        graph: the picture, before it is placed.

    Returns:
        A new graph.
    """
    return evolve(graph, description=graph_description(graph))


def _state_node(state: State, tone: Tone) -> Node:
    return Node(
        state.name, initial=state.initial, final=state.final, tone=tone, note=state.doc.strip()
    )


def _transitions_by_pair(
    machine: MachineDefinition,
) -> dict[tuple[str, str], tuple[Transition, ...]]:
    """Return the transitions of each pair of states, in order of their first mention."""
    pairs: dict[tuple[str, str], tuple[Transition, ...]] = {}
    for move in machine.moves:
        pair = (move.source, move.target)
        pairs[pair] = (*pairs.get(pair, ()), move)
    return pairs


def _transition_edge(between: tuple[Transition, ...], tone: dict[str, Tone]) -> Edge:
    first = between[0]
    return Edge(
        first.source,
        first.target,
        labels=edge_labels(between),
        tone=tone[first.target],
        silent=all(transition.silent for transition in between),
        taken=any(transition.taken for transition in between),
        note=edge_note(between),
    )


def _node_groups(machine: MachineDefinition) -> tuple[NodeGroup, ...]:
    """Return the groups of more than one state, unless one holds them all: a box around everything
    says nothing.
    """
    members: dict[str, list[str]] = {}
    for state in machine.states:
        if state.group:
            members.setdefault(state.group, []).append(state.name)
    return tuple(
        NodeGroup(name, tuple(nodes))
        for name, nodes in members.items()
        if 1 < len(nodes) < len(machine.states)
    )


def graph_description(graph: Graph) -> str:
    """Return the alt text: how it begins and ends, then where each state leads, one sentence a
    state.

    Args:
        graph: the picture, before it is placed.

    Returns:
        Sentences on one line.

    Complexity: linear in the arrows.
    """
    if not graph.edges and len(graph.nodes) == 1:
        return (
            ", ".join(text for text in (graph.nodes[0].text, *graph.nodes[0].lines) if text) + "."
        )
    initial_states = [node.text for node in graph.nodes if node.initial]
    ends = [node.text for node in graph.nodes if node.final]
    first = f"{len(graph.nodes)} states"
    first += f", begins in {_name_list(initial_states, 'or')}" if initial_states else ""
    first += f", may end in {_name_list(ends, 'or')}" if ends else ""
    return " ".join((f"{first}.", *_state_sentences(graph)))


def _state_sentences(graph: Graph) -> Iterable[str]:
    for node in graph.nodes:
        leaving = [_edge_text(graph, edge) for edge in graph.edges if edge.source == node.name]
        yield (
            f"{node.text} leads to {', '.join(leaving)}."
            if leaving
            else f"Nothing leads from {node.text}."
        )


def _edge_text(graph: Graph, edge: Edge) -> str:
    remarks = [_label_sentence(edge.labels)] if edge.labels else []
    remarks += ["silent"] if edge.silent else []
    remarks += [] if edge.taken else ["never taken by the code"]
    remarks += [edge.change] if edge.change is not ChangeMark.SAME else []
    remarks += {LogEvidence.NEVER: ["never seen"], LogEvidence.FORBIDDEN: ["forbidden"]}.get(
        edge.evidence, []
    )
    target = "itself" if edge.is_loop else graph.index[edge.target].text
    return f"{target} ({'; '.join(remarks)})" if remarks else target


def _label_sentence(labels: tuple[str, ...]) -> str:
    """Put broken labels together again: a line that begins with a guard or an effect goes on with
    the one before.
    """
    return "".join(
        f"{'' if not index else ' ' if line[0] in '[/' else ', '}{line}"
        for index, line in enumerate(labels)
    )


def _name_list(names: list[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
