"""What every writer of a machine asks."""
