"""A picture as SVG: one text without script, font or network; light or dark by preference."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from attrs import frozen

from statemachines.draw.forms.dot import marked_labels
from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence, Node, NodeGroup
from statemachines.draw.svg.graph_layout import (
    Box,
    Curve,
    GraphLayout,
    Point,
    graph_layout,
    outermost_points,
    shifted_layout,
)
from statemachines.draw.svg.style_sheet import ROOT_CLASS, edge_classes, node_classes, style_sheet
from statemachines.draw.xml_markup import (
    element,
    escaped_text,
    estimated_width,
    joined_lines,
    short_number,
)

MARGIN = 14.0
LINE_HEIGHT = 15.0
"""Height of a line of small text."""
_CORNER_RADIUS = 9.0


def to_svg(graph: Graph) -> str:
    """Draw a picture as SVG.

    Args:
        graph: the picture.

    Returns:
        A whole SVG document ending in a line feed, the same bytes for the same picture; widths and
        heights in CSS pixels.

    Raises:
        MissingPart: nothing is installed that lays graphs out.
    """
    placed, width, height = _framed_layout(graph_layout(graph), graph)
    foot = tuple(_footer_elements(graph, Point(MARGIN, height + LINE_HEIGHT), width))
    size = (
        width,
        height
        + LINE_HEIGHT * (len(foot) + 0.6)
        + (MARGIN if foot else 0)
        - (0 if foot else LINE_HEIGHT * 0.6),
    )
    return svg_document(graph.title, graph.description, size, (*_layout_elements(placed), *foot))


def svg_document(
    title: str, description: str, size: tuple[float, float], inside: tuple[str, ...]
) -> str:
    """Wrap elements into a document that is one image with a name and a description.

    Args:
        title: its name.
        description: the picture in words, for those who cannot see it.
        size: width and height in CSS pixels, rounded up.
        inside: the elements; only rules of classes that they use are in the document.

    Returns:
        An SVG document.
    """
    width, height = (short_number(math.ceil(length)) for length in size)
    measures = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    used = {
        "paper",
        *(
            name
            for classes in re.findall(r' class="([^"]*)"', "".join(inside))
            for name in classes.split()
        ),
    }
    scope, rules = style_sheet(used)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT_CLASS} {scope}" role="img"'
        f" {measures}>"
    )
    paper = element("rect", class_="paper", width="100%", height="100%", rx=8.0)
    words = (
        element("title", escaped_text(title)),
        element("desc", escaped_text(description)),
        f"<style>\n{rules}\n</style>",
    )
    return f"{joined_lines((head, *words, paper, *inside))}\n</svg>\n"


def _framed_layout(layout: GraphLayout, graph: Graph) -> tuple[GraphLayout, float, float]:
    """Shift a layout so that all of it, labels too, is within the margins; with its width and
    height.
    """
    points = [
        *outermost_points(layout),
        *(spot for curve in layout.curves for spot in _label_corners(*curve)),
    ] or [Point(0, 0)]
    left, top = min(point.x for point in points), min(point.y for point in points)
    right, bottom = max(point.x for point in points), max(point.y for point in points)
    foot = estimated_width(f"{graph.title}   {graph.caption}")
    width = max(right - left, foot, 160.0) + 2 * MARGIN
    spare = (width - 2 * MARGIN - (right - left)) / 2
    return (
        shifted_layout(layout, Point(MARGIN + spare - left, MARGIN - top)),
        width,
        bottom - top + 2 * MARGIN,
    )


def _label_corners(edge: Edge, curve: Curve) -> Iterator[Point]:
    texts = marked_labels(edge)
    if texts and curve.label:
        across, down = max(map(estimated_width, texts)) / 2, len(texts) * LINE_HEIGHT / 2
        yield Point(curve.label.x - across, curve.label.y - down)
        yield Point(curve.label.x + across, curve.label.y + down)


def _layout_elements(layout: GraphLayout) -> Iterator[str]:
    yield from (_group_element(*group) for group in layout.groups)
    yield from (_start_element(curve) for curve in layout.start_curves)
    yield from (_edge_element(*curve) for curve in layout.curves)
    yield from (_node_element(*box) for box in layout.boxes)


def _group_element(group: NodeGroup, box: Box) -> str:
    corner, _ = box.corners
    name = element(
        "text",
        escaped_text(group.name),
        class_="small left",
        x=corner.x + 10,
        y=corner.y + LINE_HEIGHT,
    )
    return element("g", _box_rectangle(box, 0), name, class_="group")


def _start_element(curve: Curve) -> str:
    start = curve.points[0]
    return element(
        "g",
        element("circle", cx=start.x, cy=start.y, r=4.5),
        element("path", d=_path_data(curve)),
        _arrow_head(curve, 1),
        class_="begin",
    )


def _edge_element(edge: Edge, curve: Curve) -> str:
    wide = {"style": f"stroke-width: {short_number(edge.width + 0.3)}"} if edge.width > 1 else {}
    elements = [element("title", escaped_text(edge.note))] if edge.note else []
    elements += [element("path", d=_path_data(curve), **wide), _arrow_head(curve, edge.width)]
    elements += _text_elements(marked_labels(edge), curve.label, "small") if curve.label else []
    return element(
        "g",
        *elements,
        class_=" ".join(edge_classes(edge)),
        data_from=edge.source,
        data_to=edge.target,
    )


def _node_element(node: Node, box: Box) -> str:
    elements = [element("title", escaped_text(node.note))] if node.note else []
    elements += [_box_rectangle(box, 0), *([_box_rectangle(box, 3.5)] if node.final else [])]
    elements += _text_elements((node.text, *node.lines), box.middle, "")
    return element("g", *elements, class_=" ".join(node_classes(node)), data_state=node.name)


def _box_rectangle(box: Box, inset: float) -> str:
    corner, _ = box.corners
    wide, high = box.width - 2 * inset, box.height - 2 * inset
    return element(
        "rect",
        x=corner.x + inset,
        y=corner.y + inset,
        width=wide,
        height=high,
        rx=_CORNER_RADIUS - inset * 0.7,
    )


def _text_elements(texts: tuple[str, ...], middle: Point, looks: str) -> list[str]:
    """Write lines around a middle; in a box the lines after the first are small."""
    top = middle.y - (len(texts) - 1) * LINE_HEIGHT / 2
    sizes = [looks or ("small" if index else "") for index in range(len(texts))]
    return [
        element(
            "text",
            escaped_text(text),
            x=middle.x,
            y=top + index * LINE_HEIGHT + (4.2 if size else 4.9),
            **({"class_": size} if size else {}),
        )
        for index, (text, size) in enumerate(zip(texts, sizes, strict=True))
        if text
    ]


def _path_data(curve: Curve) -> str:
    first, *rest = (f"{short_number(point.x)} {short_number(point.y)}" for point in curve.points)
    return f"M{first} C{' '.join(rest)}"


def _arrow_head(curve: Curve, width: float) -> str:
    """Draw the head from the end of the line to the tip."""
    base, tip = curve.points[-1], curve.tip
    far = max(((tip.x - base.x) ** 2 + (tip.y - base.y) ** 2) ** 0.5, 0.1)
    half = (2.7 + width * 0.5) / far
    across = Point((tip.y - base.y) * half, (base.x - tip.x) * half)
    corners = (
        tip,
        Point(base.x + across.x, base.y + across.y),
        Point(base.x - across.x, base.y - across.y),
    )
    return element(
        "polygon",
        points=" ".join(f"{short_number(corner.x)},{short_number(corner.y)}" for corner in corners),
    )


def _footer_elements(graph: Graph, start: Point, width: float) -> Iterator[str]:
    """Write title and caption below, then what the lines mean; one element a line of text."""
    y = start.y
    if graph.title or graph.caption:
        title = element("tspan", escaped_text(graph.title), class_="title")
        caption = f" \u2003{escaped_text(graph.caption)}" if graph.caption else ""
        yield element("text", title, caption, class_="small", x=width / 2, y=y)
        y += LINE_HEIGHT * 1.2
    for row in _legend_rows(legend_entries(graph), width):
        yield element("g", *_legend_elements(row, y, width))
        y += LINE_HEIGHT


def _legend_rows(
    entries: tuple[LegendEntry, ...], width: float
) -> Iterator[tuple[LegendEntry, ...]]:
    """Break the legend where the picture ends."""
    row: tuple[LegendEntry, ...] = ()
    for entry in entries:
        if row and sum(map(_legend_entry_width, (*row, entry))) > width - 2 * MARGIN:
            yield row
            row = ()
        row = (*row, entry)
    if row:
        yield row


def _legend_entry_width(entry: LegendEntry) -> float:
    return 34 + estimated_width(entry.meaning) + 18


def _legend_elements(row: tuple[LegendEntry, ...], y: float, width: float) -> Iterator[str]:
    x = (width - sum(map(_legend_entry_width, row)) + 18) / 2
    for entry in row:
        yield element(
            "g",
            element("path", d=f"M{short_number(x)} {short_number(y - 4)} h26"),
            class_=f"arrow {entry.edge_classes}",
        )
        yield element("text", escaped_text(entry.meaning), class_="small left", x=x + 32, y=y)
        x += _legend_entry_width(entry)


@frozen
class LegendEntry:
    """A short line of a look, and what it means."""

    edge_classes: str
    """Class of the arrow."""
    meaning: str


_LEGEND_ENTRIES = (
    LegendEntry("course silent", "may pass without a line in a log"),
    LegendEntry("untaken", "in the table, never taken"),
    LegendEntry("course needs", "allowed only if"),
    LegendEntry("added", "+ new"),
    LegendEntry("removed", "− gone"),
    LegendEntry("never", "never seen"),
    LegendEntry("forbidden", "✗ seen, forbidden"),
    LegendEntry("lit", "the way taken"),
)


def legend_entries(graph: Graph) -> tuple[LegendEntry, ...]:
    """Return the entries that a picture needs; none for a plain one.

    Args:
        graph: the picture, before it is placed.

    Returns:
        The entries, in their order.
    """
    things: tuple[Node | Edge, ...] = (*graph.nodes, *graph.edges)
    used = {"lit"} if any(shown.highlighted for shown in things) else set()
    used |= {"course silent"} if any(edge.silent for edge in graph.edges) else set()
    used |= {"untaken"} if not all(edge.taken for edge in graph.edges) else set()
    used |= {"course needs"} if any(edge.is_requirement for edge in graph.edges) else set()
    used |= {str(shown.change) for shown in things if shown.change is not ChangeMark.SAME}
    used |= {
        str(shown.evidence)
        for shown in things
        if shown.evidence in (LogEvidence.NEVER, LogEvidence.FORBIDDEN)
    }
    return tuple(entry for entry in _LEGEND_ENTRIES if entry.edge_classes in used)
