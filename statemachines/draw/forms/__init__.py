"""A graph, a machine or a system as text: DOT, Mermaid, PlantUML, Markdown."""
