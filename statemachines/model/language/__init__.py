"""The expression language as values: typed nodes, types, immutable maps and records."""
