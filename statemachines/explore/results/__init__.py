"""What exploring found, as values: traces, results of properties, and the Python that replays a
trace.
"""
