"""Whether every run is a run of an abstract machine, seen through expressions."""
