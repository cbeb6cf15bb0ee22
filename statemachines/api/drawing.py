"""Pictures of machines, by the name of their form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from statemachines.model.machines import Machine

if TYPE_CHECKING:
    from statemachines.draw.graph import Graph

FORMS = ("svg", "dot", "mermaid", "markdown", "png")


class CannotDraw(ValueError):
    """A part that a form needs is not installed; the message says which."""


def drawn(machine: Machine, form: str, *, releases: str = "") -> bytes:
    """Draw a machine.

    Args:
        machine: in one release.
        form: one of `FORMS`.
        releases: what stands below the title, such as a range that all have this picture.

    Returns:
        The file's content; UTF-8 with a line feed at the end for the forms that are text.

    Raises:
        CannotDraw: the form needs something that is not there.
    """
    from statemachines.draw import MissingPart, to_graph, to_markdown, to_png

    try:
        if form == "markdown":
            return _text(to_markdown(machine))
        graph = to_graph(machine, releases=releases or machine.release)
        return to_png(graph) if form == "png" else _text(_writers()[form](graph))
    except MissingPart as problem:
        raise CannotDraw(str(problem)) from None


def _writers() -> dict[str, Callable[[Graph], str]]:
    from statemachines.draw import to_dot, to_mermaid, to_svg

    return {"svg": to_svg, "dot": to_dot, "mermaid": to_mermaid}


def _text(text: str) -> bytes:
    return (text.rstrip("\n") + "\n").encode()
