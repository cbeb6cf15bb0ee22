"""One machine: its dense tables, step, its initial snapshots, all values of a type, paths between
states.
"""
