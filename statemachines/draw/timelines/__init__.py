"""What instances did over time, as rows of bars."""
