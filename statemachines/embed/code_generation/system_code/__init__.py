"""A system as one Python module that needs nothing: its machines, its links, and what all do."""
