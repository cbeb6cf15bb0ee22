"""A picture as Mermaid, which GitHub and many wikis draw from the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from statemachines.draw.forms.dot import marked_labels
from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence, Node
from statemachines.draw.theme import LIGHT
from statemachines.draw.xml_markup import printable

_RESERVED = frozenset(
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
_LOOKALIKES = str.maketrans({";": "；", "*": "∗", "%": "％", '"': "”"})


def to_mermaid(graph: Graph) -> str:
    """Write a picture as a Mermaid state diagram.

    Thickness and dashes have no word in Mermaid's state diagrams: counts, marks and "never seen"
    stand in the labels.

    Args:
        graph: the picture.

    Returns:
        A whole diagram without a code fence, ending in a line feed.

    Source: mermaid, State diagrams (https://mermaid.js.org/syntax/stateDiagram.html).
    """
    names = _identifiers(graph)
    title = "   ".join(text for text in (graph.title, graph.caption) if text)
    head = ["---", f'title: "{_quoted_text(title)}"', "---"] if title else []
    about = [f"    accTitle: {_mermaid_text(title)}"] if title else []
    about += [f"    accDescr: {_mermaid_text(graph.description)}"] if graph.description else []
    body = (
        *_state_lines(graph, names),
        *_group_lines(graph, names),
        *_edge_lines(graph, names),
        *_class_lines(graph, names),
    )
    return (
        "\n".join(
            (
                *head,
                "stateDiagram-v2",
                *about,
                "    direction LR",
                *(f"    {line}" for line in body),
            )
        )
        + "\n"
    )


def _identifiers(graph: Graph) -> Mapping[str, str]:
    """Return names that Mermaid takes: a word of its own, or no name at all, gets an underscore, as
    a blank does.
    """
    reserved = {
        node.name for node in graph.nodes if node.name.lower() in _RESERVED or not node.name
    }
    return {
        node.name: f"{node.name}_" if node.name in reserved else node.name.replace(" ", "_")
        for node in graph.nodes
    }


def _state_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    for node in graph.nodes:
        text = "<br>".join(_mermaid_text(line) for line in (node.text, *node.lines))
        yield (
            f'state "{text}" as {names[node.name]}'
            if text != names[node.name]
            else names[node.name]
        )


def _group_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    for number, group in enumerate(graph.groups):
        yield f'state "{_mermaid_text(group.name)}" as group_{number} {{'
        yield from (f"    {names[name]}" for name in group.nodes)
        yield "}"


def _edge_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    yield from (f"[*] --> {names[node.name]}" for node in graph.nodes if node.initial)
    for edge in graph.edges:
        text = "<br>".join(_mermaid_text(line) for line in _edge_texts(edge))
        yield f"{names[edge.source]} --> {names[edge.target]}" + (f" : {text}" if text else "")
    yield from (f"{names[node.name]} --> [*]" for node in graph.nodes if node.final)


def _edge_texts(edge: Edge) -> tuple[str, ...]:
    remarks = (("silent",) if edge.silent else ()) + (() if edge.taken else ("never taken",))
    return (
        *marked_labels(edge),
        *remarks,
        *(("never seen",) if edge.evidence is LogEvidence.NEVER else ()),
    )


def _class_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    used: dict[str, list[str]] = {}
    for node in graph.nodes:
        used.setdefault(_node_class(node), []).append(names[node.name])
    for style, (fill, line) in _class_colours().items():
        if style in used:
            yield f"classDef {style} fill:{fill},stroke:{line},color:{LIGHT.ink}"
            yield f"class {','.join(used[style])} {style}"


def _node_class(node: Node) -> str:
    if node.highlighted:
        return "lit"
    return str(node.tone) if node.change is ChangeMark.SAME else str(node.change)


def _class_colours() -> dict[str, tuple[str, str]]:
    return {
        "course": (LIGHT.course, LIGHT.course_edge),
        "out": (LIGHT.out, LIGHT.out_edge),
        "added": (LIGHT.added_fill, LIGHT.added),
        "removed": (LIGHT.removed_fill, LIGHT.removed),
        "lit": (LIGHT.highlighted_fill, LIGHT.highlighted),
    }


def _mermaid_text(text: str) -> str:
    """Write a text so that Mermaid shows it as it is.

    Its own way, signs by their numbers (`#59;`), is drawn as garbage by version 12, so what it
    would read as its own becomes the sign that looks most alike: a semicolon ends a statement, a
    tag is dropped, stars and underscores around a word are emphasis.
    """
    shown = re.sub(r"<(?=[A-Za-z/!?])", "< ", printable(text)).translate(_LOOKALIKES)
    return " ".join(
        re.sub(r"(?<!\w)_+|_+(?!\w)", lambda match: "＿" * len(match[0]), shown).split()
    )


def _quoted_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
