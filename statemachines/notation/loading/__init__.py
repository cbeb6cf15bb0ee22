"""From a name or path to a checked spec: the driver of the passes, the catalogue, its compiled
cache.
"""
