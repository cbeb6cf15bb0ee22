"""Runs in words: traces, explorations, random walks, differences, and sessions in which a person
chooses.
"""
