"""Exploring in discrete time: what `after` sends comes when it is due, by clocks that run alike."""
