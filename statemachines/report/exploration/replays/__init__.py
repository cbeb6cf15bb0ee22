"""Counterexamples that were written before, taken again step by step."""
