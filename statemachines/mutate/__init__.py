"""Mutants of machines: small changes that good judges notice, and who notices them."""
