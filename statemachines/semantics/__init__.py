"""What a machine does: the pure step, its beginnings, and its dense tables."""
