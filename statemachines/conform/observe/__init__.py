"""Records to observations: which lines of the catalogue read a record, and what a chunk shows as a
whole (its profile).
"""
