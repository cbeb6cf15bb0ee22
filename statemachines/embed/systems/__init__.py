"""A system that lives in a program: its instance, its parts, what is bound to it."""
