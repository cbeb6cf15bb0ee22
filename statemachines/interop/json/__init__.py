"""Mappings and JSON of machines."""
