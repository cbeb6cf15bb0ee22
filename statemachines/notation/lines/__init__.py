"""Templates of log lines as regular expressions: are they unambiguous, safe and searchable, and
which line reads a message.
"""
