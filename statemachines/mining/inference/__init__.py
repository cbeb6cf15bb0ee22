"""Templates to machines: which words are states, which name the instance, which steps were seen."""
