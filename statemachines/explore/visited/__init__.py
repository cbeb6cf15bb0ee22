"""Which rows were visited: on maps, as sorted runs, and in files."""
