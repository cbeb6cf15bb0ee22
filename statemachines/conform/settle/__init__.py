"""What all profiles say together: processes, the releases that fit, the order of the observations
of each instance.
"""
