"""A picture in words, for those who cannot see it."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence


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
        edge.seen, []
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
