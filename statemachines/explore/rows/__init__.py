"""Breadth-first search row by row, rows that are the same but for names (symmetry), and paths
replayed as traces.
"""
