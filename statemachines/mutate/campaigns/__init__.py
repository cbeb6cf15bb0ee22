"""All mutants before all judges, of a machine or of a system."""
