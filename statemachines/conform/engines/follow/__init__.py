"""Logs that are still being written: followed, and judged as their lines come."""
