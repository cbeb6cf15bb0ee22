"""Judging on Spark, on the driver: what users call, the plan of two stages, and what they give
back.
"""
