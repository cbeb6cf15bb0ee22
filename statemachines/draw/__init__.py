"""Pictures: machines, traces and logs as neutral graphs; DOT, SVG, PNG, Mermaid, Markdown, timelines.

Nothing heavy is imported before it draws.
"""

from __future__ import annotations

from statemachines.draw.build import to_graph
from statemachines.draw.dot import to_dot
from statemachines.draw.graph import Graph
from statemachines.draw.markdown import to_markdown
from statemachines.draw.mermaid import to_mermaid
from statemachines.draw.missing import MissingPart
from statemachines.draw.png import to_png
from statemachines.draw.svg import to_svg

__all__ = ["Graph", "MissingPart", "to_dot", "to_graph", "to_markdown", "to_mermaid", "to_png", "to_svg"]
