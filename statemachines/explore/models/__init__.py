"""A machine or a system within a scope as rows of small numbers: scopes, columns, initial rows,
successors.
"""
