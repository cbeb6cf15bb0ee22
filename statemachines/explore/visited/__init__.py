"""Which rows were met: on maps and sorted."""
