"""Specs from logs: wordings, instances, states and steps that the lines of an unknown program show,
and the smallest change of a spec that admits logs known to be right.
"""
