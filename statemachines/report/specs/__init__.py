"""Machines, systems and specs in words: rows of what they declare, whether a step is legal, what is
wrong with a spec.
"""
