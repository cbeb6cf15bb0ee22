"""A picture as PNG, where something is there that makes pixels."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

from statemachines.draw.forms.dot import to_dot
from statemachines.draw.graphs.graph import Graph
from statemachines.draw.missing_parts import MissingPart, import_part
from statemachines.draw.svg.svg_document import to_svg

INSTALL_HINT = (
    "PNG needs `resvg-py` (pip install resvg-py) or `cairosvg`, or the program `rsvg-convert` or"
    " `dot`; SVG needs none of them"
)
_PIXELS_PER_UNIT = 2.0
"""Pixels for one of the SVG's."""


def to_png(graph: Graph) -> bytes:
    """Draw a picture as PNG, twice the size of the SVG, in the light colours.

    The first of resvg, cairosvg, rsvg-convert and dot that is there does it; the pixels are its
    own, so the bytes differ among machines.

    Args:
        graph: the picture.

    Returns:
        The whole file.

    Raises:
        MissingPart: none of them is there.
    """
    for module, draw in RASTERISERS.items():
        if importlib.util.find_spec(module):
            return draw(import_part(module, "PNG"), to_svg(graph))
    if program := shutil.which("rsvg-convert"):
        return _run_program([program, "--zoom", f"{_PIXELS_PER_UNIT:g}"], to_svg(graph))
    if program := shutil.which("dot"):
        return _run_program([program, "-Tpng", "-Gdpi=144"], to_dot(graph))
    raise MissingPart(INSTALL_HINT)


def _resvg(resvg: Any, svg: str) -> bytes:
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=int(_PIXELS_PER_UNIT)))


def _cairosvg(cairosvg: Any, svg: str) -> bytes:
    return bytes(cairosvg.svg2png(bytestring=svg.encode(), scale=_PIXELS_PER_UNIT))


RASTERISERS: dict[str, Callable[[Any, str], bytes]] = {"resvg_py": _resvg, "cairosvg": _cairosvg}


def _run_program(command: list[str], text: str) -> bytes:
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout
