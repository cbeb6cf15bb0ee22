"""Text, JSON and other forms of one report value."""
