"""Machines, systems, changes, counts and traces as a neutral graph."""
