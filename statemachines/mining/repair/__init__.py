"""The smallest change of a spec that admits logs which are known to be right."""
