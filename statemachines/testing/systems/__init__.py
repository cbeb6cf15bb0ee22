"""Tests from a system: a program whose parts must move together, beside the parts and links."""
