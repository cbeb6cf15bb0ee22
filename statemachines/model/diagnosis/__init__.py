"""A position in a spec, what is wrong there, and which known word was meant."""
