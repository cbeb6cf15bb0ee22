"""Which rows were met: on maps, as sorted runs, and in files."""
