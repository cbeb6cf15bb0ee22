"""System files: parts, links, shared variables and rules, from text to `model.systems`."""
