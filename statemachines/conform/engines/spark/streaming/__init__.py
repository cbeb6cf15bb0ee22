"""Logs that come without end: a query that reads each file on as its lines come, and tables of what
changed.
"""
