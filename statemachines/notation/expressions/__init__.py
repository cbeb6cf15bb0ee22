"""Expressions of the notation: Python's syntax, read into typed nodes of our own that never raise."""
