"""Lines to records: neighbours, continuation lines, the scan of one chunk of a file, the first and
the last time.
"""
