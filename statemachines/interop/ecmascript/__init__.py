"""Expressions and values in ECMAScript, SCXML's data model."""
