"""A search that stopped early, kept in a file, and the fingerprints that tell files apart."""
