"""`check --follow`: what is said while logs are written, to whom, and when."""
