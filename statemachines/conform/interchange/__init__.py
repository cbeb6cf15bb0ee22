"""The values that the stages hand on: the plan of a check, properties by release, observations,
profiles, judgements.
"""
