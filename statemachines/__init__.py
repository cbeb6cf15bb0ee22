"""A life cycle is written once; the machine, its tests, its pictures and the check of logs come from it."""
