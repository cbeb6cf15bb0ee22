"""Mutants of machines: small changes that a good set of judges would notice, and who notices them."""
