"""What a spec says once for many places, written out where it counts: nodes to nodes, so that every
pass behind it reads the long form only.
"""
