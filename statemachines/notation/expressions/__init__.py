"""Expressions of the notation: Python's syntax, read into typed nodes that never raise."""
