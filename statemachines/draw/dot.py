"""A picture as DOT, the language of graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from statemachines.draw.graph import Edge, Graph, Mark, Node, Seen, Tone
from statemachines.draw.markup import breadth, printable
from statemachines.draw.missing import need
from statemachines.draw.reading import onwards
from statemachines.draw.theme import LIGHT

SPACE = {"rankdir": "LR", "nodesep": "0.35", "ranksep": "0.55", "splines": "true"}
FONTS = {"fontname": "Helvetica,Arial,sans-serif"}
NODES = {**FONTS, "shape": "box", "style": "rounded,filled", "fontsize": "14", "margin": "0.2,0.08", "height": "0.46", "penwidth": "1.2"}
EDGES = {**FONTS, "fontsize": "13", "arrowsize": "0.7", "penwidth": "1.2", "color": LIGHT.line, "fontcolor": LIGHT.quiet}
GROUPS = {"labelloc": "t", "labeljust": "l", "style": "rounded,filled", "fillcolor": LIGHT.group, "color": LIGHT.group_edge}
GROUPS |= {"fontsize": "12", "margin": "14"}
DOTS = {"shape": "circle", "style": "filled", "fillcolor": LIGHT.ink, "color": LIGHT.ink, "width": "0.12", "height": "0.12", "margin": "0"}
NARROWER = 0.92
"""A box is at least nearly as wide as the label of its loop, for which graphviz keeps no room."""


def to_dot(graph: Graph) -> str:
    """Write a picture as DOT text, in the light colours.

    Raises:
        MissingPart: the `graphviz` package is not installed.
    """
    caption = "   ".join(text for text in (graph.title, graph.caption) if text)
    about = {**FONTS, "label": _text(caption), "labelloc": "b", "fontsize": "12", "fontcolor": LIGHT.quiet}
    drawing = need("graphviz", "DOT").Digraph(_identifier(graph.name), graph_attr={**SPACE, **about}, node_attr=NODES, edge_attr=EDGES)
    order = onwards(graph)
    _draw_nodes(drawing, graph, order)
    _draw_edges(drawing, graph, order)
    for number, group in enumerate(graph.groups):
        with drawing.subgraph(name=f"cluster_{number}") as box:
            box.attr(label=_text(group.name), **GROUPS)
            for name in sorted(group.nodes, key=order.__getitem__):
                box.node(name)
    return str(drawing.source)


def _draw_nodes(drawing: Any, graph: Graph, order: Mapping[str, int]) -> None:
    loops = {edge.source: edge for edge in graph.edges if edge.is_loop}
    for node in sorted(graph.nodes, key=lambda node: order[node.name]):
        wide = max(map(breadth, marked(loops[node.name])), default=0.0) if node.name in loops else 0.0
        room = {"width": f"{wide * NARROWER / 72:.2f}"} if wide else {}
        drawing.node(node.name, _text(node_text(node)), **node_looks(node), **room, tooltip=_text(node.note or node.text))
    for place, node in enumerate(node for node in graph.nodes if node.initial):
        drawing.node(beginning(place), "", **DOTS)
        drawing.edge(beginning(place), node.name, weight="4", minlen="1", color=LIGHT.ink)


def _draw_edges(drawing: Any, graph: Graph, order: Mapping[str, int]) -> None:
    """Arrows that lead back have no say in where states stand; those of the normal course have most."""
    for edge in graph.edges:
        back, loop = order[edge.source] > order[edge.target], edge.is_loop
        pull = {"constraint": "false"} if back else {"weight": "4"} if edge.tone is Tone.COURSE and not loop else {}
        drawing.edge(edge.source, edge.target, _text(edge_text(edge)), **edge_looks(edge), **pull, tooltip=_text(edge.note))


def _text(text: str) -> str:
    """Write a text so that graphviz takes no sign of it for its own."""
    return str(need("graphviz", "DOT").escape(printable(text)))


def beginning(place: int) -> str:
    """Return the node of the dot before the initial state of this place; a blank keeps it apart from every state's name."""
    return f"begin {place}"


def node_text(node: Node) -> str:
    """Return what stands in a box, lines apart."""
    return "\n".join((node.text, *node.lines))


def edge_text(edge: Edge) -> str:
    """Return what stands beside an arrow, lines apart."""
    return "\n".join(marked(edge))


def marked(edge: Edge) -> tuple[str, ...]:
    """Return the labels with a sign for what colour alone would say."""
    sign = {Mark.ADDED: "+", Mark.REMOVED: "−"}.get(edge.mark, "✗" if edge.seen is Seen.FORBIDDEN else "")
    if not sign:
        return edge.labels
    return (f"{sign} {edge.labels[0]}", *edge.labels[1:]) if edge.labels else (sign,)


def node_looks(node: Node) -> Mapping[str, str]:
    """Return the DOT attributes of a box."""
    fill, line = (LIGHT.out, LIGHT.out_edge) if node.tone is Tone.OUT else (LIGHT.course, LIGHT.course_edge)
    looks = {"fillcolor": fill, "color": line, "fontcolor": LIGHT.ink}
    if node.final:
        looks |= {"peripheries": "2"}
    if node.mark is not Mark.SAME:
        added = node.mark is Mark.ADDED
        looks |= {"color": LIGHT.added if added else LIGHT.removed, "fillcolor": LIGHT.added_fill if added else LIGHT.removed_fill}
        looks |= {"penwidth": "2"} if added else {"style": "rounded,filled,dashed"}
    if node.seen is Seen.NEVER:
        looks |= {"color": LIGHT.never, "style": "rounded,dashed"}
    if node.lit:
        looks |= {"color": LIGHT.lit, "fillcolor": LIGHT.lit_fill, "penwidth": "2.4"}
    return looks


def edge_looks(edge: Edge) -> Mapping[str, str]:
    """Return the DOT attributes of an arrow."""
    looks = {"color": LIGHT.out_edge} if edge.tone is Tone.OUT else {}
    looks |= {"style": "dashed"} if edge.silent else {}
    looks |= {} if edge.taken and not edge.needs else {"style": "dotted"}
    looks |= {"penwidth": f"{edge.width + 0.2:g}"} if edge.width > 1 else {}
    if edge.mark is not Mark.SAME:
        looks |= {"color": LIGHT.added, "penwidth": "2.2"} if edge.mark is Mark.ADDED else {"color": LIGHT.removed, "style": "dashed"}
    if edge.seen in (Seen.NEVER, Seen.FORBIDDEN):
        looks |= {"color": LIGHT.never, "style": "dashed"} if edge.seen is Seen.NEVER else {"color": LIGHT.forbidden, "penwidth": "2.6"}
    if edge.lit:
        looks |= {"color": LIGHT.lit, "penwidth": "2.6"}
    if "color" in looks:
        looks |= {"fontcolor": looks["color"]}
    return looks


def _identifier(name: str) -> str:
    return name.replace("/", ".") or "machine"
