"""A picture as SVG: one text, no script, no font, no network; light or dark as the viewer prefers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from statemachines.draw.classes import edge_classes, node_classes
from statemachines.draw.css import ROOT, style
from statemachines.draw.dot import marked
from statemachines.draw.graph import Edge, Graph, Group, Node
from statemachines.draw.layout import Box, Curve, Layout, Spot, layout, moved, spots
from statemachines.draw.legend import Entry, legend
from statemachines.draw.markup import breadth, lines, number, plain, tag

MARGIN = 14.0
LINE = 15.0
"""Height of a line of small text."""
CORNER = 9.0


def to_svg(graph: Graph) -> str:
    """Draw a picture as SVG.

    Returns:
        A whole SVG document ending in a line feed, the same bytes for the same picture; widths and heights in CSS pixels.

    Raises:
        MissingPart: nothing is installed that lays graphs out.
    """
    placed, width, height = _framed(layout(graph), graph)
    foot = tuple(_foot(graph, Spot(MARGIN, height + LINE), width))
    size = (width, height + LINE * (len(foot) + 0.6) + (MARGIN if foot else 0) - (0 if foot else LINE * 0.6))
    return document(graph.title, graph.description, size, (*_drawn(placed), *foot))


def document(title: str, description: str, size: tuple[float, float], inside: tuple[str, ...]) -> str:
    """Wrap elements into a document that is one image with a name and a description.

    Args:
        title: its name.
        description: the picture in words, for those who cannot see it.
        size: width and height in CSS pixels, rounded up.
        inside: the elements; only rules of classes that they use are in the document.
    """
    width, height = (number(math.ceil(each)) for each in size)
    measures = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    used = {"paper", *(name for found in re.findall(r' class="([^"]*)"', "".join(inside)) for name in found.split())}
    scope, rules = style(used)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT} {scope}" role="img" {measures}>'
    paper = tag("rect", class_="paper", width="100%", height="100%", rx=8.0)
    words = (tag("title", plain(title)), tag("desc", plain(description)), f"<style>\n{rules}\n</style>")
    return f"{lines((head, *words, paper, *inside))}\n</svg>\n"


def _framed(place: Layout, graph: Graph) -> tuple[Layout, float, float]:
    """Shift a layout so that all of it, labels too, is within the margins; with its width and height."""
    points = [*spots(place), *(spot for each in place.curves for spot in _label_corners(*each))] or [Spot(0, 0)]
    left, top = min(each.x for each in points), min(each.y for each in points)
    right, bottom = max(each.x for each in points), max(each.y for each in points)
    foot = breadth(f"{graph.title}   {graph.caption}")
    width = max(right - left, foot, 160.0) + 2 * MARGIN
    spare = (width - 2 * MARGIN - (right - left)) / 2
    return moved(place, Spot(MARGIN + spare - left, MARGIN - top)), width, bottom - top + 2 * MARGIN


def _label_corners(edge: Edge, curve: Curve) -> Iterator[Spot]:
    texts = marked(edge)
    if texts and curve.label:
        across, down = max(map(breadth, texts)) / 2, len(texts) * LINE / 2
        yield Spot(curve.label.x - across, curve.label.y - down)
        yield Spot(curve.label.x + across, curve.label.y + down)


def _drawn(place: Layout) -> Iterator[str]:
    yield from (_group(*each) for each in place.groups)
    yield from (_begin(curve) for curve in place.beginnings)
    yield from (_arrow(*each) for each in place.curves)
    yield from (_state(*each) for each in place.boxes)


def _group(group: Group, box: Box) -> str:
    corner, _ = box.corners
    name = tag("text", plain(group.name), class_="small left", x=corner.x + 10, y=corner.y + LINE)
    return tag("g", _rect(box, 0), name, class_="group")


def _begin(curve: Curve) -> str:
    start = curve.points[0]
    return tag("g", tag("circle", cx=start.x, cy=start.y, r=4.5), tag("path", d=_path(curve)), _head(curve, 1), class_="begin")


def _arrow(edge: Edge, curve: Curve) -> str:
    wide = {"style": f"stroke-width: {number(edge.width + 0.3)}"} if edge.width > 1 else {}
    drawn = [tag("title", plain(edge.note))] if edge.note else []
    drawn += [tag("path", d=_path(curve), **wide), _head(curve, edge.width)]
    drawn += _words(marked(edge), curve.label, "small") if curve.label else []
    return tag("g", *drawn, class_=" ".join(edge_classes(edge)), data_from=edge.source, data_to=edge.target)


def _state(node: Node, box: Box) -> str:
    drawn = [tag("title", plain(node.note))] if node.note else []
    drawn += [_rect(box, 0), *([_rect(box, 3.5)] if node.final else [])]
    drawn += _words((node.text, *node.lines), box.middle, "")
    return tag("g", *drawn, class_=" ".join(node_classes(node)), data_state=node.name)


def _rect(box: Box, inset: float) -> str:
    corner, _ = box.corners
    wide, high = box.width - 2 * inset, box.height - 2 * inset
    return tag("rect", x=corner.x + inset, y=corner.y + inset, width=wide, height=high, rx=CORNER - inset * 0.7)


def _words(texts: tuple[str, ...], middle: Spot, looks: str) -> list[str]:
    """Write lines around a middle; in a box the lines after the first are small."""
    top = middle.y - (len(texts) - 1) * LINE / 2
    sizes = [looks or ("small" if place else "") for place in range(len(texts))]
    return [
        tag("text", plain(text), x=middle.x, y=top + place * LINE + (4.2 if size else 4.9), **({"class_": size} if size else {}))
        for place, (text, size) in enumerate(zip(texts, sizes, strict=True))
        if text
    ]


def _path(curve: Curve) -> str:
    first, *rest = (f"{number(point.x)} {number(point.y)}" for point in curve.points)
    return f"M{first} C{' '.join(rest)}"


def _head(curve: Curve, width: float) -> str:
    """Draw the head from the end of the line to the tip."""
    base, tip = curve.points[-1], curve.tip
    far = max(((tip.x - base.x) ** 2 + (tip.y - base.y) ** 2) ** 0.5, 0.1)
    half = (2.7 + width * 0.5) / far
    across = Spot((tip.y - base.y) * half, (base.x - tip.x) * half)
    corners = (tip, Spot(base.x + across.x, base.y + across.y), Spot(base.x - across.x, base.y - across.y))
    return tag("polygon", points=" ".join(f"{number(each.x)},{number(each.y)}" for each in corners))


def _foot(graph: Graph, start: Spot, width: float) -> Iterator[str]:
    """Write title and caption below, then what the lines mean; one element a line of text."""
    y = start.y
    if graph.title or graph.caption:
        title = tag("tspan", plain(graph.title), class_="title")
        caption = f" \u2003{plain(graph.caption)}" if graph.caption else ""
        yield tag("text", title, caption, class_="small", x=width / 2, y=y)
        y += LINE * 1.2
    for row in _rows(legend(graph), width):
        yield tag("g", *_entries(row, y, width))
        y += LINE


def _rows(entries: tuple[Entry, ...], width: float) -> Iterator[tuple[Entry, ...]]:
    """Break the legend where the picture ends."""
    row: tuple[Entry, ...] = ()
    for entry in entries:
        if row and sum(map(_entry_width, (*row, entry))) > width - 2 * MARGIN:
            yield row
            row = ()
        row = (*row, entry)
    if row:
        yield row


def _entry_width(entry: Entry) -> float:
    return 34 + breadth(entry.means) + 18


def _entries(row: tuple[Entry, ...], y: float, width: float) -> Iterator[str]:
    x = (width - sum(map(_entry_width, row)) + 18) / 2
    for entry in row:
        yield tag("g", tag("path", d=f"M{number(x)} {number(y - 4)} h26"), class_=f"arrow {entry.looks}")
        yield tag("text", plain(entry.means), class_="small left", x=x + 32, y=y)
        x += _entry_width(entry)
