"""How one line is taken apart: wrappers of transports, layouts of text and JSON as data, and what
they read.
"""
