"""Hand files to the stages: the local engine with its stores, and Spark."""
