"""Mermaid's state diagrams, read (they are written by draw: of any graph)."""
