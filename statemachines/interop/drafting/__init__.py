"""A draft of a spec from another form, and how it is written."""
