"""Random walks through a machine or a system."""
