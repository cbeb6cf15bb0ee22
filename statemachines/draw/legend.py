"""What the lines and colours of a picture mean, for those of them that it uses."""

from __future__ import annotations

from attrs import frozen

from statemachines.draw.graph import Edge, Graph, Mark, Node, Seen


@frozen
class Entry:
    """A short line of a look, and what it means."""

    looks: str
    """Class of the arrow."""
    means: str


MEANINGS = (
    Entry("course silent", "may pass without a line in a log"),
    Entry("untaken", "in the table, never taken"),
    Entry("course needs", "allowed only if"),
    Entry("added", "+ new"),
    Entry("removed", "− gone"),
    Entry("never", "never seen"),
    Entry("forbidden", "✗ seen, forbidden"),
    Entry("lit", "the way taken"),
)


def legend(graph: Graph) -> tuple[Entry, ...]:
    """Return the entries that a picture needs; none for a plain one."""
    things: tuple[Node | Edge, ...] = (*graph.nodes, *graph.edges)
    used = {"lit"} if any(each.lit for each in things) else set()
    used |= {"course silent"} if any(edge.silent for edge in graph.edges) else set()
    used |= {"untaken"} if not all(edge.taken for edge in graph.edges) else set()
    used |= {"course needs"} if any(edge.needs for edge in graph.edges) else set()
    used |= {str(each.mark) for each in things if each.mark is not Mark.SAME}
    used |= {str(each.seen) for each in things if each.seen in (Seen.NEVER, Seen.FORBIDDEN)}
    return tuple(entry for entry in MEANINGS if entry.looks in used)
