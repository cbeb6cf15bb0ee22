"""The verbs for those who write specs: a spec to start from, what is wrong with it, its form."""
