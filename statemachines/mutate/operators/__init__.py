"""Small changes of a spec, one module for each kind of thing that is changed, and the mutants they
make.
"""
