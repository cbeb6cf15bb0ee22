"""What the verbs ask of the engines: the catalogue, pictures by form, lines of an instance, what a
line means, mutants, a page's context.
"""
