"""Many observations at once, as columns of numbers: what reading dense logs yields, what is kept of
them until all is read, and plain steps judged many at once.
"""
