"""Readings of logs, kept in a folder from check to check."""
