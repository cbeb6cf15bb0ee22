"""How a verb ends: exit codes, errors that are messages, signals."""
