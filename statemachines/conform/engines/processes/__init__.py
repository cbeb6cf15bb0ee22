"""Several processes of one machine: they read the logs, and each judges a part of what it told."""
