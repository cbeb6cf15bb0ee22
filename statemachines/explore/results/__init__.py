"""What exploring found, as values: traces and results of properties."""
