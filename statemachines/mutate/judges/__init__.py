"""Who may detect a mutant: exploring, tests, logs; when two machines are the same."""
