"""Trying a machine out: random walks within its scope."""
