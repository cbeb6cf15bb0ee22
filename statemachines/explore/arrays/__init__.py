"""The same search on arrays of numpy, level by level, with the tables that it looks up."""
