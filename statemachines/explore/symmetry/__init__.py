"""Interchangeable names: one row stands for all that differ in nothing but which name is which."""
