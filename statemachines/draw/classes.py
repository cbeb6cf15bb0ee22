"""The names of a thing's looks: classes of the SVG, and what the DOT text paints."""

from __future__ import annotations

from statemachines.draw.graph import Edge, Mark, Node, Seen


def node_classes(node: Node) -> tuple[str, ...]:
    """Return what is special about a box, the strongest last."""
    return (
        "state",
        str(node.tone),
        *(("final",) if node.final else ()),
        *((str(node.mark),) if node.mark is not Mark.SAME else ()),
        *(("never",) if node.seen is Seen.NEVER else ()),
        *(("lit",) if node.lit else ()),
    )


def edge_classes(edge: Edge) -> tuple[str, ...]:
    """Return what is special about an arrow, the strongest last."""
    return (
        "arrow",
        str(edge.tone),
        *(("silent",) if edge.silent else ()),
        *(() if edge.taken else ("untaken",)),
        *(("needs",) if edge.needs else ()),
        *((str(edge.mark),) if edge.mark is not Mark.SAME else ()),
        *((str(edge.seen),) if edge.seen in (Seen.NEVER, Seen.FORBIDDEN) else ()),
        *(("lit",) if edge.lit else ()),
    )
