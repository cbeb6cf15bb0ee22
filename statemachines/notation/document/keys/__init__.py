"""The keys of a spec with their shapes, by what they are about."""
