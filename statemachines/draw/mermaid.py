"""A picture as Mermaid, which GitHub and many wikis draw from the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from statemachines.draw.dot import marked
from statemachines.draw.graph import Edge, Graph, Mark, Node, Seen
from statemachines.draw.markup import printable
from statemachines.draw.theme import LIGHT

RESERVED = frozenset(
    (
        "state",
        "note",
        "end",
        "direction",
        "class",
        "classdef",
        "style",
        "as",
        "hide",
        "scale",
        "default",
        "title",
        "click",
        "acctitle",
        "accdescr",
    )
)
"""Words that a state's name must not be, in lower case."""
ALIKE = str.maketrans({";": "；", "*": "∗", "%": "％", '"': "”"})


def to_mermaid(graph: Graph) -> str:
    """Write a picture as a Mermaid state diagram, ending in a line feed.

    Thickness and dashes have no word in Mermaid's state diagrams: counts, marks and "never seen" stand in the labels.
    """
    names = _identifiers(graph)
    title = "   ".join(text for text in (graph.title, graph.caption) if text)
    head = ["---", f'title: "{_quoted(title)}"', "---"] if title else []
    about = [f"    accTitle: {_text(title)}"] if title else []
    about += [f"    accDescr: {_text(graph.description)}"] if graph.description else []
    body = (*_states(graph, names), *_groups(graph, names), *_arrows(graph, names), *_looks(graph, names))
    return "\n".join((*head, "stateDiagram-v2", *about, "    direction LR", *(f"    {line}" for line in body))) + "\n"


def _identifiers(graph: Graph) -> Mapping[str, str]:
    """Return names that Mermaid takes: a word of its own, or no name at all, gets an underscore, as a blank does."""
    reserved = {node.name for node in graph.nodes if node.name.lower() in RESERVED or not node.name}
    return {node.name: f"{node.name}_" if node.name in reserved else node.name.replace(" ", "_") for node in graph.nodes}


def _states(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    for node in graph.nodes:
        text = "<br>".join(_text(line) for line in (node.text, *node.lines))
        yield f'state "{text}" as {names[node.name]}' if text != names[node.name] else names[node.name]


def _groups(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    for number, group in enumerate(graph.groups):
        yield f'state "{_text(group.name)}" as group_{number} {{'
        yield from (f"    {names[name]}" for name in group.nodes)
        yield "}"


def _arrows(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    yield from (f"[*] --> {names[node.name]}" for node in graph.nodes if node.initial)
    for edge in graph.edges:
        text = "<br>".join(_text(line) for line in _words(edge))
        yield f"{names[edge.source]} --> {names[edge.target]}" + (f" : {text}" if text else "")
    yield from (f"{names[node.name]} --> [*]" for node in graph.nodes if node.final)


def _words(edge: Edge) -> tuple[str, ...]:
    remarks = (("silent",) if edge.silent else ()) + (() if edge.taken else ("never taken",))
    return (*marked(edge), *remarks, *(("never seen",) if edge.seen is Seen.NEVER else ()))


def _looks(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    used: dict[str, list[str]] = {}
    for node in graph.nodes:
        used.setdefault(_look(node), []).append(names[node.name])
    for look, (fill, line) in _palette().items():
        if look in used:
            yield f"classDef {look} fill:{fill},stroke:{line},color:{LIGHT.ink}"
            yield f"class {','.join(used[look])} {look}"


def _look(node: Node) -> str:
    if node.lit:
        return "lit"
    return str(node.tone) if node.mark is Mark.SAME else str(node.mark)


def _palette() -> dict[str, tuple[str, str]]:
    return {
        "course": (LIGHT.course, LIGHT.course_edge),
        "out": (LIGHT.out, LIGHT.out_edge),
        "added": (LIGHT.added_fill, LIGHT.added),
        "removed": (LIGHT.removed_fill, LIGHT.removed),
        "lit": (LIGHT.lit_fill, LIGHT.lit),
    }


def _text(text: str) -> str:
    """Write a text so that Mermaid shows it as it is.

    Its own way, signs by their numbers (`#59;`), is drawn as garbage by version 12, so what it would read as its own becomes the sign that
    looks most alike: a semicolon ends a statement, a tag is dropped, stars and underscores around a word are emphasis.
    """
    shown = re.sub(r"<(?=[A-Za-z/!?])", "< ", printable(text)).translate(ALIKE)
    return " ".join(re.sub(r"(?<!\w)_+|_+(?!\w)", lambda found: "＿" * len(found[0]), shown).split())


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
