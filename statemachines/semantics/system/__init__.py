"""Several machines together: the step of a system and its initial snapshots."""
