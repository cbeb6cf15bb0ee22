"""Instances divided among several who judge: what each says of its part, and joining that."""
