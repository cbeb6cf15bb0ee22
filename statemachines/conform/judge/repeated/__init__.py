"""Lines of one instance that repeat others: what came of a line is remembered by where the instance
was known to be and by what the line says.
"""
