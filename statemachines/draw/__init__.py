"""Pictures: machines, traces and logs as neutral graphs; DOT, SVG, PNG, Mermaid, Markdown, timelines.

Nothing heavy is imported before it draws.
"""

from __future__ import annotations

from statemachines.draw.build import to_graph
from statemachines.draw.changes import with_changes
from statemachines.draw.counting import counts_of, way_of
from statemachines.draw.dot import to_dot
from statemachines.draw.graph import Graph
from statemachines.draw.markdown import to_markdown
from statemachines.draw.mermaid import to_mermaid
from statemachines.draw.missing import MissingPart
from statemachines.draw.overlay import Counts, with_counts, with_trace
from statemachines.draw.plantuml import to_plantuml
from statemachines.draw.png import to_png
from statemachines.draw.svg import to_svg
from statemachines.draw.system_markdown import system_markdown
from statemachines.draw.systems import system_graph
from statemachines.draw.timeline import timeline_svg

__all__ = [
    "Counts",
    "Graph",
    "MissingPart",
    "counts_of",
    "system_graph",
    "system_markdown",
    "timeline_svg",
    "to_dot",
    "to_graph",
    "to_markdown",
    "to_mermaid",
    "to_plantuml",
    "to_png",
    "to_svg",
    "way_of",
    "with_changes",
    "with_counts",
    "with_trace",
]
