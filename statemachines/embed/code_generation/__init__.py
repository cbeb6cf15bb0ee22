"""A machine as one Python module that needs nothing."""
