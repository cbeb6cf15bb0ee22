"""What runs on the workers between two shuffles: reading chunks, placing observations, judging
instances, and the rows in between.
"""
