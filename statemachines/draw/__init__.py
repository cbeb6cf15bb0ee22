"""Pictures: machines, traces and logs as neutral graphs; DOT, SVG, PNG, Mermaid, Markdown,
timelines.

Nothing heavy is imported before it draws.
"""

from __future__ import annotations

from statemachines.draw.forms.dot import to_dot
from statemachines.draw.forms.markdown import to_markdown
from statemachines.draw.forms.mermaid import to_mermaid
from statemachines.draw.forms.plantuml import to_plantuml
from statemachines.draw.forms.system_markdown import system_markdown
from statemachines.draw.graphs.graph import Graph
from statemachines.draw.graphs.log_counts import step_counts
from statemachines.draw.graphs.log_overlay import Counts, with_counts, with_trace
from statemachines.draw.graphs.machine_graph import to_graph
from statemachines.draw.graphs.release_changes import with_changes
from statemachines.draw.graphs.system_graph import system_graph
from statemachines.draw.missing_parts import MissingPart
from statemachines.draw.svg.png import to_png
from statemachines.draw.svg.svg_document import to_svg
from statemachines.draw.timelines.timeline_document import timeline_svg

__all__ = [
    "Counts",
    "Graph",
    "MissingPart",
    "step_counts",
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
    "with_changes",
    "with_counts",
    "with_trace",
]
