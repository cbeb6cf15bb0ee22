"""A machine in a program of its own: instances, and bridges to other libraries."""
