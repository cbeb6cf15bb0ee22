"""The values that everything else is about: bare data, no I/O, no behaviour beyond what a value
knows of itself.
"""
