"""The passes between a document and a spec, one a file."""
