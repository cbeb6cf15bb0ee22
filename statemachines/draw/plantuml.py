"""A picture as PlantUML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.draw.dot import marked
from statemachines.draw.graph import Edge, Graph, Mark, Node, Seen
from statemachines.draw.markup import printable
from statemachines.draw.theme import LIGHT

MARKS = "~\\<>*_-/\"[]{}#@'!$&;"
"""Signs that mean something in PlantUML's texts."""
LINES = (("Border", LIGHT.course_edge), ("Arrow", LIGHT.line), ("Start", LIGHT.ink), ("End", LIGHT.ink))
LOOKS = (
    "skinparam shadowing false",
    f"skinparam defaultFontColor {LIGHT.ink}",
    *(f"skinparam state{part}Color {colour}" for part, colour in LINES),
)


def to_plantuml(graph: Graph) -> str:
    """Write a picture as a PlantUML state diagram, in the light colours, ending in a line feed."""
    names = {node.name: f"s{place}" for place, node in enumerate(graph.nodes)}
    title = "   ".join(text for text in (graph.title, graph.caption) if text)
    head = ["@startuml", "hide empty description", "left to right direction", *LOOKS]
    head += [f"caption {_text(title)}"] if title else []
    return "\n".join((*head, *_states(graph, names), *_arrows(graph, names), "@enduml")) + "\n"


def _states(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    grouped = {name for group in graph.groups for name in group.nodes}
    yield from (_state(node, names) for node in graph.nodes if node.name not in grouped)
    for place, group in enumerate(graph.groups):
        yield f'state "{_text(group.name)}" as group{place} {LIGHT.group} {{'
        yield from (f"  {_state(graph.index[name], names)}" for name in group.nodes)
        yield "}"


def _state(node: Node, names: Mapping[str, str]) -> str:
    fill, line = _colours(node)
    text = "\\n".join(_text(each) for each in (node.text, *node.lines))
    return f'state "{text}" as {names[node.name]} {fill};line:{line.removeprefix("#")}'


def _colours(node: Node) -> tuple[str, str]:
    """Return fill and border, the strongest look first."""
    if node.lit:
        return LIGHT.lit_fill, LIGHT.lit
    if node.mark is not Mark.SAME:
        return (LIGHT.added_fill, LIGHT.added) if node.mark is Mark.ADDED else (LIGHT.removed_fill, LIGHT.removed)
    return (LIGHT.out, LIGHT.out_edge) if node.tone == "out" else (LIGHT.course, LIGHT.course_edge)


def _arrows(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    yield from (f"[*] --> {names[node.name]}" for node in graph.nodes if node.initial)
    for edge in graph.edges:
        text = "\\n".join(_text(line) for line in marked(edge))
        yield f"{names[edge.source]} -[{_look(edge)}]-> {names[edge.target]}" + (f" : {text}" if text else "")
    yield from (f"{names[node.name]} --> [*]" for node in graph.nodes if node.final)


def _look(edge: Edge) -> str:
    """Return colour and line; only one of dashed, dotted and bold can be said."""
    colours = {Seen.NEVER: LIGHT.never, Seen.FORBIDDEN: LIGHT.forbidden}
    marks = {Mark.ADDED: LIGHT.added, Mark.REMOVED: LIGHT.removed}
    colour = colours.get(edge.seen) or marks.get(edge.mark) or (LIGHT.lit if edge.lit else "")
    colour = colour or (LIGHT.out_edge if edge.tone == "out" else LIGHT.line)
    dashed = edge.silent or edge.mark is Mark.REMOVED or edge.seen is Seen.NEVER
    kind = "dotted" if not edge.taken else "dashed" if dashed else "bold" if edge.lit or edge.width > 2 else ""
    return f"{colour},{kind}" if kind else colour


def _text(text: str) -> str:
    """Write signs that PlantUML would read as its own by their number."""
    return "".join(f"<U+{ord(sign):04X}>" if sign in MARKS or sign < " " else sign for sign in printable(text))
