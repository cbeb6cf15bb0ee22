"""What a report says beyond its rows, computed once: what is related, what ended in order, what was
so at a moment.
"""
