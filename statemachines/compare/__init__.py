"""Two machines given the same events side by side, and what changed between them."""
