"""What is kept of one instance from line to line: where it is believed to be, the line before, what
was found, and what single releases would say.
"""
