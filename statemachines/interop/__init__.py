"""Machines from and to other forms, loaded when asked for: drafts with a list of what did not carry
over.
"""
