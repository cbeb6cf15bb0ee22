"""Where spec files lie, their bytes, and values cached by the contents of the files that they were
read from.
"""
