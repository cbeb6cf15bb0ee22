"""Judging on Spark."""
