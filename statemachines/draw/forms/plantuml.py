"""A picture as PlantUML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.draw.forms.dot import marked_labels
from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence, Node
from statemachines.draw.theme import LIGHT
from statemachines.draw.xml_markup import printable

_SPECIAL_CHARACTERS = "~\\<>*_-/\"[]{}#@'!$&;"
"""Signs that mean something in PlantUML's texts."""
_LINE_COLOURS = (
    ("Border", LIGHT.course_edge),
    ("Arrow", LIGHT.line),
    ("Start", LIGHT.ink),
    ("End", LIGHT.ink),
)
_SKIN_PARAMETERS = (
    "skinparam shadowing false",
    f"skinparam defaultFontColor {LIGHT.ink}",
    *(f"skinparam state{part}Color {colour}" for part, colour in _LINE_COLOURS),
)


def to_plantuml(graph: Graph) -> str:
    """Write a picture as a PlantUML state diagram, in the light colours.

    Args:
        graph: the picture.

    Returns:
        A whole diagram, ending in a line feed.

    Source: PlantUML, State diagrams (https://plantuml.com/state-diagram).
    """
    names = {node.name: f"s{index}" for index, node in enumerate(graph.nodes)}
    title = "   ".join(text for text in (graph.title, graph.caption) if text)
    head = ["@startuml", "hide empty description", "left to right direction", *_SKIN_PARAMETERS]
    head += [f"caption {_plantuml_text(title)}"] if title else []
    return (
        "\n".join((*head, *_state_lines(graph, names), *_edge_lines(graph, names), "@enduml"))
        + "\n"
    )


def _state_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    grouped = {name for group in graph.groups for name in group.nodes}
    yield from (_state_line(node, names) for node in graph.nodes if node.name not in grouped)
    for index, group in enumerate(graph.groups):
        yield f'state "{_plantuml_text(group.name)}" as group{index} {LIGHT.group} {{'
        yield from (f"  {_state_line(graph.index[name], names)}" for name in group.nodes)
        yield "}"


def _state_line(node: Node, names: Mapping[str, str]) -> str:
    fill, line = _node_colours(node)
    text = "\\n".join(_plantuml_text(line) for line in (node.text, *node.lines))
    return f'state "{text}" as {names[node.name]} {fill};line:{line.removeprefix("#")}'


def _node_colours(node: Node) -> tuple[str, str]:
    """Return fill and border, the strongest look first."""
    if node.highlighted:
        return LIGHT.highlighted_fill, LIGHT.highlighted
    if node.change is not ChangeMark.SAME:
        return (
            (LIGHT.added_fill, LIGHT.added)
            if node.change is ChangeMark.ADDED
            else (LIGHT.removed_fill, LIGHT.removed)
        )
    return (LIGHT.out, LIGHT.out_edge) if node.tone == "out" else (LIGHT.course, LIGHT.course_edge)


def _edge_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    yield from (f"[*] --> {names[node.name]}" for node in graph.nodes if node.initial)
    for edge in graph.edges:
        text = "\\n".join(_plantuml_text(line) for line in marked_labels(edge))
        yield f"{names[edge.source]} -[{_edge_style(edge)}]-> {names[edge.target]}" + (
            f" : {text}" if text else ""
        )
    yield from (f"{names[node.name]} --> [*]" for node in graph.nodes if node.final)


def _edge_style(edge: Edge) -> str:
    """Return colour and line; only one of dashed, dotted and bold can be said."""
    colours = {LogEvidence.NEVER: LIGHT.never, LogEvidence.FORBIDDEN: LIGHT.forbidden}
    change_colours = {ChangeMark.ADDED: LIGHT.added, ChangeMark.REMOVED: LIGHT.removed}
    colour = (
        colours.get(edge.evidence)
        or change_colours.get(edge.change)
        or (LIGHT.highlighted if edge.highlighted else "")
    )
    colour = colour or (LIGHT.out_edge if edge.tone == "out" else LIGHT.line)
    dashed = edge.silent or edge.change is ChangeMark.REMOVED or edge.evidence is LogEvidence.NEVER
    kind = (
        "dotted"
        if not edge.taken
        else "dashed"
        if dashed
        else "bold"
        if edge.highlighted or edge.width > 2
        else ""
    )
    return f"{colour},{kind}" if kind else colour


def _plantuml_text(text: str) -> str:
    """Write signs that PlantUML would read as its own by their number."""
    return "".join(
        f"<U+{ord(sign):04X}>" if sign in _SPECIAL_CHARACTERS or sign < " " else sign
        for sign in printable(text)
    )
