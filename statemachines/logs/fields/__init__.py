"""What stands in the fields of a line: times in every form, dates without a year or a day,
midnights, levels.
"""
