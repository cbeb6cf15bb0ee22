"""What verbs are given: machines, words, levels, a project's defaults, the request of `check`."""
