"""The observations of one instance, in their order, to findings, steps and states: a fold over
beliefs.
"""
