"""Judgements of all instances to one report: subjects, episodes, eras and restarts, accounts of
what was asked, names for numbers.
"""
