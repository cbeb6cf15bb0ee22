"""Logs that grow: what was read of one stays read, and it is known again wherever it lies."""
