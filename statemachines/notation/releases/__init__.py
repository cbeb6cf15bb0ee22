"""What a release's name and a range mean, classes of releases in which a spec says the same, and a
spec in one release.
"""
