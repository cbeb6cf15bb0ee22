"""A spec file as a YAML tree with positions, its keys and their shapes, the JSON Schema, and
diagnostics rendered for a terminal.
"""
