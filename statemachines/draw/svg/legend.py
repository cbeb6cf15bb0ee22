"""What the lines and colours of a picture mean, for those of them that it uses."""

from __future__ import annotations

from attrs import frozen

from statemachines.draw.graphs.graph import ChangeMark, Edge, Graph, LogEvidence, Node


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
        str(shown.seen)
        for shown in things
        if shown.seen in (LogEvidence.NEVER, LogEvidence.FORBIDDEN)
    }
    return tuple(entry for entry in _LEGEND_ENTRIES if entry.edge_classes in used)
