"""The `transitions` library: a bridge to it, and machines read from it."""
