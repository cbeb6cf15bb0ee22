"""Expressions, type checks and operations compiled to Python functions; partial evaluation where
values are unknown.
"""
