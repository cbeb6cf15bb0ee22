"""A picture as DOT, the language of graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence, Node, Tone
from statemachines.draw.missing_parts import import_part
from statemachines.draw.theme import LIGHT
from statemachines.draw.xml_markup import estimated_width, printable

_GRAPH_ATTRIBUTES = {"rankdir": "LR", "nodesep": "0.35", "ranksep": "0.55", "splines": "true"}
_FONT_ATTRIBUTES = {"fontname": "Helvetica,Arial,sans-serif"}
_NODE_ATTRIBUTES = {
    **_FONT_ATTRIBUTES,
    "shape": "box",
    "style": "rounded,filled",
    "fontsize": "14",
    "margin": "0.2,0.08",
    "height": "0.46",
    "penwidth": "1.2",
}
_EDGE_ATTRIBUTES = {
    **_FONT_ATTRIBUTES,
    "fontsize": "13",
    "arrowsize": "0.7",
    "penwidth": "1.2",
    "color": LIGHT.line,
    "fontcolor": LIGHT.quiet,
}
_GROUP_ATTRIBUTES = {
    "labelloc": "t",
    "labeljust": "l",
    "style": "rounded,filled",
    "fillcolor": LIGHT.group,
    "color": LIGHT.group_edge,
}
_GROUP_ATTRIBUTES |= {"fontsize": "12", "margin": "14"}
_START_DOT_ATTRIBUTES = {
    "shape": "circle",
    "style": "filled",
    "fillcolor": LIGHT.ink,
    "color": LIGHT.ink,
    "width": "0.12",
    "height": "0.12",
    "margin": "0",
}
_LOOP_WIDTH_SHARE = 0.92
"""A box is at least nearly as wide as the label of its loop, for which graphviz keeps no room."""


def to_dot(graph: Graph) -> str:
    """Write a picture as DOT text, in the light colours.

    Args:
        graph: the picture.

    Returns:
        One `digraph`, the same text for the same picture.

    Raises:
        MissingPart: the `graphviz` package is not installed.

    Source: Graphviz, DOT language (https://graphviz.org/doc/info/lang.html).
    """
    caption = "   ".join(text for text in (graph.title, graph.caption) if text)
    about = {
        **_FONT_ATTRIBUTES,
        "label": _dot_text(caption),
        "labelloc": "b",
        "fontsize": "12",
        "fontcolor": LIGHT.quiet,
    }
    drawing = import_part("graphviz", "DOT").Digraph(
        _graph_identifier(graph.name),
        graph_attr={**_GRAPH_ATTRIBUTES, **about},
        node_attr=_NODE_ATTRIBUTES,
        edge_attr=_EDGE_ATTRIBUTES,
    )
    order = reading_order(graph)
    _add_nodes(drawing, graph, order)
    _add_edges(drawing, graph, order)
    for number, group in enumerate(graph.groups):
        with drawing.subgraph(name=f"cluster_{number}") as box:
            box.attr(label=_dot_text(group.name), **_GROUP_ATTRIBUTES)
            for name in sorted(group.nodes, key=order.__getitem__):
                box.node(name)
    return str(drawing.source)


def _add_nodes(drawing: Any, graph: Graph, order: Mapping[str, int]) -> None:
    loops = {edge.source: edge for edge in graph.edges if edge.is_loop}
    for node in sorted(graph.nodes, key=lambda node: order[node.name]):
        wide = (
            max(map(estimated_width, marked_labels(loops[node.name])), default=0.0)
            if node.name in loops
            else 0.0
        )
        room = {"width": f"{wide * _LOOP_WIDTH_SHARE / 72:.2f}"} if wide else {}
        drawing.node(
            node.name,
            _dot_text(node_text(node)),
            **_node_attributes(node),
            **room,
            tooltip=_dot_text(node.note or node.text),
        )
    for index, node in enumerate(node for node in graph.nodes if node.initial):
        drawing.node(start_dot_name(index), "", **_START_DOT_ATTRIBUTES)
        drawing.edge(start_dot_name(index), node.name, weight="4", minlen="1", color=LIGHT.ink)


def _add_edges(drawing: Any, graph: Graph, order: Mapping[str, int]) -> None:
    """Arrows that lead back have no say in where states stand; those of the normal course have
    most.
    """
    for edge in graph.edges:
        back, loop = order[edge.source] > order[edge.target], edge.is_loop
        pull = (
            {"constraint": "false"}
            if back
            else {"weight": "4"}
            if edge.tone is Tone.COURSE and not loop
            else {}
        )
        drawing.edge(
            edge.source,
            edge.target,
            _dot_text(_edge_text(edge)),
            **_edge_attributes(edge),
            **pull,
            tooltip=_dot_text(edge.note),
        )


def _dot_text(text: str) -> str:
    """Write a text so that graphviz takes no sign of it for its own.

    What `escape` returns is kept as it is: a mere `str` of it that begins with `<` and ends with
    `>` would be markup again.
    """
    escaped: str = import_part("graphviz", "DOT").escape(printable(text))
    return escaped


def start_dot_name(index: int) -> str:
    """Return the node of the dot before the initial state of this place; a blank keeps it apart
    from every state's name.

    Args:
        index: of the state among the initial ones.

    Returns:
        A name in DOT.
    """
    return f"begin {index}"


def node_text(node: Node) -> str:
    """Return what stands in a box, lines apart.

    Args:
        node: a box of the picture.

    Returns:
        Lines joined by line feeds.
    """
    return "\n".join((node.text, *node.lines))


def _edge_text(edge: Edge) -> str:
    """Return what stands beside an arrow, lines apart."""
    return "\n".join(marked_labels(edge))


def marked_labels(edge: Edge) -> tuple[str, ...]:
    """Return the labels with a sign for what colour alone would say.

    Args:
        edge: an arrow of the picture.

    Returns:
        One text a line.
    """
    sign = {ChangeMark.ADDED: "+", ChangeMark.REMOVED: "−"}.get(
        edge.change, "✗" if edge.evidence is LogEvidence.FORBIDDEN else ""
    )
    if not sign:
        return edge.labels
    return (f"{sign} {edge.labels[0]}", *edge.labels[1:]) if edge.labels else (sign,)


def _node_attributes(node: Node) -> Mapping[str, str]:
    """Return the DOT attributes of a box."""
    fill, line = (
        (LIGHT.out, LIGHT.out_edge) if node.tone is Tone.OUT else (LIGHT.course, LIGHT.course_edge)
    )
    looks = {"fillcolor": fill, "color": line, "fontcolor": LIGHT.ink}
    if node.final:
        looks |= {"peripheries": "2"}
    if node.change is not ChangeMark.SAME:
        added = node.change is ChangeMark.ADDED
        looks |= {
            "color": LIGHT.added if added else LIGHT.removed,
            "fillcolor": LIGHT.added_fill if added else LIGHT.removed_fill,
        }
        looks |= {"penwidth": "2"} if added else {"style": "rounded,filled,dashed"}
    if node.evidence is LogEvidence.NEVER:
        looks |= {"color": LIGHT.never, "style": "rounded,dashed"}
    if node.highlighted:
        looks |= {
            "color": LIGHT.highlighted,
            "fillcolor": LIGHT.highlighted_fill,
            "penwidth": "2.4",
        }
    return looks


def _edge_attributes(edge: Edge) -> Mapping[str, str]:
    """Return the DOT attributes of an arrow."""
    looks = {"color": LIGHT.out_edge} if edge.tone is Tone.OUT else {}
    looks |= {"style": "dashed"} if edge.silent else {}
    looks |= {} if edge.taken and not edge.is_requirement else {"style": "dotted"}
    looks |= {"penwidth": f"{edge.width + 0.2:g}"} if edge.width > 1 else {}
    if edge.change is not ChangeMark.SAME:
        looks |= (
            {"color": LIGHT.added, "penwidth": "2.2"}
            if edge.change is ChangeMark.ADDED
            else {"color": LIGHT.removed, "style": "dashed"}
        )
    if edge.evidence in (LogEvidence.NEVER, LogEvidence.FORBIDDEN):
        looks |= (
            {"color": LIGHT.never, "style": "dashed"}
            if edge.evidence is LogEvidence.NEVER
            else {"color": LIGHT.forbidden, "penwidth": "2.6"}
        )
    if edge.highlighted:
        looks |= {"color": LIGHT.highlighted, "penwidth": "2.6"}
    if "color" in looks:
        looks |= {"fontcolor": looks["color"]}
    return looks


def _graph_identifier(name: str) -> str:
    return name.replace("/", ".") or "machine"


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
