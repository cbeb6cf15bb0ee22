"""A graph as SVG and PNG: where things stand, how they look."""
