"""Above episodes and counted lines: what happened, why, and what followed from it."""
