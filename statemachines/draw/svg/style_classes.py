"""The names of a thing's looks: classes of the SVG, and what the DOT text paints."""

from __future__ import annotations

from statemachines.draw.graphs.graph import ChangeMark, Edge, LogEvidence, Node


def node_classes(node: Node) -> tuple[str, ...]:
    """Return what is special about a box, the strongest last.

    Args:
        node: a box of the picture.

    Returns:
        Classes of the style sheet.
    """
    return (
        "state",
        str(node.tone),
        *(("final",) if node.final else ()),
        *((str(node.change),) if node.change is not ChangeMark.SAME else ()),
        *(("never",) if node.seen is LogEvidence.NEVER else ()),
        *(("lit",) if node.highlighted else ()),
    )


def edge_classes(edge: Edge) -> tuple[str, ...]:
    """Return what is special about an arrow, the strongest last.

    Args:
        edge: an arrow of the picture.

    Returns:
        Classes of the style sheet.
    """
    return (
        "arrow",
        str(edge.tone),
        *(("silent",) if edge.silent else ()),
        *(() if edge.taken else ("untaken",)),
        *(("needs",) if edge.is_requirement else ()),
        *((str(edge.change),) if edge.change is not ChangeMark.SAME else ()),
        *((str(edge.seen),) if edge.seen in (LogEvidence.NEVER, LogEvidence.FORBIDDEN) else ()),
        *(("lit",) if edge.highlighted else ()),
    )
