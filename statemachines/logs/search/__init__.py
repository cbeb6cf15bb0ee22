"""Bytes first: the bytes of an open file, and which of its lines hold one of many literals or
loggers.
"""
