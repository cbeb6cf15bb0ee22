"""Part B of the notation: types, variables, operations, properties; read once for each class of
releases in which a spec says the same.
"""
