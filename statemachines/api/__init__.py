"""What users hold: one Machine, one Spec, one System, check, the log of an instance's steps, the
version.
"""
